"""Whether the store is what it should be, told as findings."""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import StoreError
from recollect.model.finding import Finding, Verdict
from recollect.store.db import Db
from recollect.store.safety import commit_counter
from recollect.store.tables import row_checksums

MEND = "recollect doctor --fix"
_MOST_NAMED = 5


def verify(db: Db) -> list[Finding]:
    """Check the file, the commits against their count, every memory against its seal, and the indexes."""
    checks = {
        "database file": _file,
        "commits": _commits,
        "links": _links,
        "memories": _memories,
        "search index": _index,
    }
    return [_looked_at(db, check, look) for check, look in checks.items()]


def _looked_at(db: Db, check: str, look: Callable[[Db], Finding]) -> Finding:
    try:
        return look(db)
    except (StoreError, UnicodeDecodeError) as error:  # damage can stop the look itself
        return _broken(check, str(error))


def _file(db: Db) -> Finding:
    # A damaged search index is found below; it can be written anew from the rows.
    said = [row["said"] for row in db.rows("integrity") if "FTS5" not in row["said"] and row["said"] != "ok"]
    if not said:
        return Finding(check="database file", verdict=Verdict.PASS, detail=f"{db.path} is sound")
    return _broken("database file", f"{db.path}: {'; '.join(said[:3])}")


def _commits(db: Db) -> Finding:
    # What was noticed at open and could not be noted, because the store may only be read, stands in `losses` alone.
    losses = tuple(loss.told() for loss in commit_counter.noted(db)) or db.losses
    if losses:
        return _broken("commits", "; ".join(losses))
    return Finding(check="commits", verdict=Verdict.PASS, detail="none is missing")


def _links(db: Db) -> Finding:
    dangling = db.rows("verify_links")
    if not dangling:
        return Finding(check="links", verdict=Verdict.PASS, detail="every row that points somewhere finds it")
    return _broken("links", f"{len(dangling)} rows point to nothing")


def _memories(db: Db) -> Finding:
    seen = 0
    altered: list[str] = []
    for row, sound in row_checksums.checked(db):
        seen += 1
        if not sound:
            altered.append(str(row["id"]))
    if not altered:
        return Finding(check="memories", verdict=Verdict.PASS, detail=f"{seen} are as they were written")
    named = ", ".join(altered[:_MOST_NAMED]) + (" …" if len(altered) > _MOST_NAMED else "")
    return _broken("memories", f"{len(altered)} of {seen} were altered: {named}")


def _index(db: Db) -> Finding:
    counts = db.rows("verify_counts")[0]
    try:
        if not db.read_only:  # to SQLite the question is a write
            db.run("fulltext_check")
    except StoreError as error:
        return _broken("search index", str(error))
    if counts["memories"] != counts["filed"]:
        detail = f"{counts['memories']} memories, but {counts['filed']} entries"
        return _broken("search index", detail)
    return Finding(check="search index", verdict=Verdict.PASS, detail=f"{counts['filed']} entries")


def _broken(check: str, detail: str) -> Finding:
    return Finding(check=check, verdict=Verdict.FAIL, detail=detail, fix=MEND)
