"""Co-change ties: which files are touched together, as the tables keep it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta

from recollect.model.cochange import Tie, Ties, Votes
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, to_micros

_MICROSECOND = timedelta(microseconds=1)


def read_all_ties(db: Db, project_id: str) -> Ties:
    """All that ties the files of a project."""
    ties = _read_files(db, project_id)
    for row in db.rows("ties_of_project", project_id=project_id):
        ties.put(row["path"], row["other"], _tie_from_row(row))
    return ties


def read_ties_around(db: Db, project_id: str, paths: Iterable[str]) -> Ties:
    """All files of a project, and what ties these few."""
    ties = _read_files(db, project_id)
    for path in dict.fromkeys(paths):
        for row in db.rows("ties_of_path", project_id=project_id, path=path):
            ties.put(row["path"], row["other"], _tie_from_row(row))
    return ties


def read_tie_between(db: Db, project_id: str, one: str, other: str) -> Tie:
    """What ties two files, in the order they are named here."""
    first, second = sorted((one, other))
    row = db.row("tie_of_two", project_id=project_id, path=first, other=second)
    tie = _tie_from_row(row) if row else Tie()
    return tie if first == one else tie.turned()


def read_file_votes(db: Db, project_id: str, path: str) -> Votes:
    """How often a file was touched at all."""
    row = db.row("file_votes_of_path", project_id=project_id, path=path)
    return _votes_from_row(row) if row else Votes()


def count_touches(db: Db, project_id: str, path: str) -> int:
    """In how many commits and sessions a file was touched."""
    row = db.row("file_times", project_id=project_id, path=path)
    return int(row["times"]) if row else 0


def count_joint_touches(db: Db, project_id: str, path: str) -> dict[str, int]:
    """In how many of them each other file was touched as well."""
    times: dict[str, int] = {}
    for row in db.rows("ties_of_path", project_id=project_id, path=path):
        other = row["other"] if row["path"] == path else row["path"]
        times[other] = row["commits"] + row["sessions"]
    return times


def read_companions(db: Db, project_id: str, path: str) -> dict[str, tuple[float, Votes]]:
    """What one file was touched with: for each other file its share of all that company, and the votes."""
    learned = db.row("ties_learned", project_id=project_id)
    occasion = learned["occasion"] if learned else 0
    votes_by_path = {
        row["other"] if row["path"] == path else row["path"]: _votes_from_row(row)
        for row in db.rows("ties_of_path", project_id=project_id, path=path)
    }
    total = sum(votes.on(occasion) for votes in votes_by_path.values())
    return (
        {other: (votes.on(occasion) / total, votes) for other, votes in votes_by_path.items()}
        if total
        else {}
    )


def read_newest_commit(db: Db, project_id: str) -> str:
    """The newest commit that was learned from, and behind it where a shallow clone ended; empty if none was."""
    row = db.row("ties_learned", project_id=project_id)
    return str(row["commit_sha"]) if row else ""


def save_occasion(db: Db, project_id: str, ties: Ties, files: Collection[str]) -> None:
    """Keep what one occasion changed: the votes of these files and what ties them to each other."""
    part = Ties()
    part.occasion = ties.occasion
    part.files = {path: ties.files[path] for path in files if path in ties.files}
    for one in part.files:
        for other in part.files:
            if one < other:
                part.put(one, other, ties.between(one, other))
    save_ties(db, project_id, part, commit_sha=read_newest_commit(db, project_id))


def save_ties(db: Db, project_id: str, ties: Ties, *, commit_sha: str, gone: Iterable[str] = ()) -> None:
    """Keep these ties, the whole or a part; what is `gone` loses its own."""
    for path in gone:
        db.run("file_votes_delete", project_id=project_id, path=path)
        db.run("ties_delete", project_id=project_id, path=path)
    db.run_many(
        "file_votes_put",
        (
            {"project_id": project_id, "path": path, **_votes_to_columns(votes)}
            for path, votes in ties.files.items()
        ),
    )
    db.run_many(
        "tie_put",
        (
            {
                "project_id": project_id,
                "path": path,
                "other": other,
                **_votes_to_columns(tie.votes),
                "forward": tie.forward,
                "apart": tie.apart // _MICROSECOND,
            }
            for path, other, tie in ties.pairs()
        ),
    )
    db.run("ties_learned_put", project_id=project_id, occasion=ties.occasion, commit_sha=commit_sha)


def forget_ties(db: Db, project_id: str) -> None:
    """Let a project's ties be learned anew."""
    db.run("ties_forget", project_id=project_id)
    db.run("file_votes_forget", project_id=project_id)
    db.run("ties_learned_put", project_id=project_id, occasion=0, commit_sha="")


def _read_files(db: Db, project_id: str) -> Ties:
    ties = Ties()
    learned = db.row("ties_learned", project_id=project_id)
    ties.occasion = learned["occasion"] if learned else 0
    for row in db.rows("file_votes_of_project", project_id=project_id):
        ties.files[row["path"]] = _votes_from_row(row)
    return ties


def _tie_from_row(row: Row) -> Tie:
    return Tie(votes=_votes_from_row(row), forward=row["forward"], apart=row["apart"] * _MICROSECOND)


def _votes_from_row(row: Row) -> Votes:
    return Votes(
        weight=row["weight"],
        occasion=row["occasion"],
        commits=row["commits"],
        sessions=row["sessions"],
        last_at=from_micros(row["last_at"]) if row["last_at"] is not None else None,
    )


def _votes_to_columns(votes: Votes) -> dict[str, object]:
    return {
        "weight": votes.weight,
        "occasion": votes.occasion,
        "commits": votes.commits,
        "sessions": votes.sessions,
        "last_at": to_micros(votes.last_at) if votes.last_at else None,
    }
