"""Past sessions and the files they visited, from which the next files are predicted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.model.predicted_file import PastFile, PastSession
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables.row_values import from_micros, json_list, to_micros

_ALL = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A past session as foresight reads it: without the words of its files."""

    num: int
    branch: str
    folder: str
    # The files it touched, and the files it only named on the branch that was asked about.
    files: Sequence[PastFile]
    named: Sequence[str]


def find_read_until(db: Db, session_id: str) -> datetime | None:
    """The last moment of a session that was read; None for one that never was."""
    row = db.row("past_session_seen_to", session_id=session_id)
    return from_micros(row["seen_to"]) if row else None


def list_sessions_behind(db: Db, limit: int) -> list[str]:
    """The sessions that went on after they were read, or never were; the newest first."""
    return [row["id"] for row in db.rows("past_sessions_behind", limit=limit)]


def save_past_session(db: Db, past: PastSession, seen_to: datetime) -> None:
    """Keep this of a session, in place of what was kept of it before."""
    db.run("past_session_forget", session_id=past.session_id)
    session = db.insert(
        "past_session_put",
        session_id=past.session_id,
        branch=past.branch,
        folder=past.folder,
        at=to_micros(past.at),
        seen_to=to_micros(seen_to),
    )
    files = past.files
    db.run_many(
        "past_path_put", ({"path": file.path, "name": file.path.rpartition("/")[2]} for file in files)
    )
    db.run_many("past_file_put", ({"session": session, **_file_to_columns(file)} for file in files))
    db.run_many(
        "past_word_put",
        (
            {"session": session, "path": file.path, "word": word, "times": times}
            for file in files
            for word, times in file.words.items()
        ),
    )
    db.run_many(
        "past_name_put",
        (
            {"session": session, "path": file.path, "name": name}
            for file in files
            for name in dict.fromkeys(file.names)
        ),
    )


def keep_newest_sessions(db: Db, project_id: str, keep: int) -> None:
    """Let go of all but the newest so many sessions of a project."""
    rows = db.rows("past_sessions_beyond", project_id=project_id, most=_ALL, keep=keep)
    for row in rows:
        db.run("past_session_forget", session_id=row["session_id"])
    if rows:
        db.run("past_paths_prune")


def forget_words(db: Db, before: datetime) -> int:
    """Let go of the words seen in files before a moment; which files they were stays. How many words."""
    with db.transaction():
        moment = to_micros(before)
        return db.run("past_words_forget", before=moment) + db.run("past_names_forget", before=moment)


def list_visits(db: Db, project_id: str, *, branch: str, but_not: str, limit: int) -> list[Visit]:
    """The newest sessions of a project with the files of each, the newest first."""
    rows = db.rows("past_sessions_recent", project_id=project_id, but_not=but_not, limit=limit)
    touched: dict[int, list[PastFile]] = {row["num"]: [] for row in rows}
    named: dict[int, list[str]] = {row["num"]: [] for row in rows}
    # A branch without a name is no branch that anything could be named on.
    rows_of_files = db.tuples("past_files_of", sessions=_numbers(touched), branch=branch or None)
    for session, path, edited, on, times in rows_of_files:
        if times:
            touched[session].append(PastFile(path=path, touched=times, edited=edited, branch=on))
        else:
            named[session].append(path)
    return [
        Visit(
            num=row["num"],
            branch=row["branch"],
            folder=row["folder"],
            files=touched[row["num"]],
            named=named[row["num"]],
        )
        for row in rows
    ]


def count_words(db: Db, sessions: Iterable[int]) -> dict[int, int]:
    """How many words were seen of each file, by its number."""
    return dict(db.tuples("past_lengths_of", sessions=_numbers(sessions)))


def find_word_holders(db: Db, words: Iterable[str], sessions: Iterable[int]) -> dict[str, dict[int, int]]:
    """The files that hold each of these words, by number, and how often."""
    times_by_word: dict[str, dict[int, int]] = {}
    for word, number, times in db.tuples(
        "past_words_held", words=json_list(words), sessions=_numbers(sessions)
    ):
        times_by_word.setdefault(word, {})[number] = times
    return times_by_word


def find_definers(db: Db, names: Iterable[str], sessions: Iterable[int]) -> dict[str, list[str]]:
    """The files that define each of these names."""
    paths_by_name: dict[str, list[str]] = {}
    for name, path in db.tuples("past_names_held", names=json_list(names), sessions=_numbers(sessions)):
        paths_by_name.setdefault(name, []).append(path)
    return paths_by_name


def read_paths(db: Db, numbers: Iterable[int]) -> dict[int, str]:
    """The paths of these files."""
    return dict(db.tuples("past_paths_by_number", numbers=_numbers(numbers)))


def find_files_named(db: Db, names: Iterable[str], sessions: Iterable[int]) -> dict[str, list[str]]:
    """The files that have each of these names, the last part of their path."""
    paths_by_name: dict[str, list[str]] = {}
    for name, path in db.tuples("past_paths_called", names=json_list(names), sessions=_numbers(sessions)):
        paths_by_name.setdefault(name, []).append(path)
    return paths_by_name


def _file_to_columns(file: PastFile) -> dict[str, object]:
    return {
        "path": file.path,
        "touched": file.touched,
        "edited": file.edited,
        "branch": file.branch,
        "length": sum(file.words.values()),
    }


def _numbers(numbers: Iterable[int]) -> str:
    return json.dumps(list(numbers))
