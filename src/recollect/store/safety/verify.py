"""Checking that a store is sound, as a list of findings."""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import StoreError
from recollect.model.health import Finding, FindingLevel
from recollect.store.db import Db
from recollect.store.safety import commit_counter, snapshots
from recollect.store.tables import row_checksums

MEND = "recollect doctor --fix"
_MAX_NAMED = 5


def verify(db: Db) -> list[Finding]:
    """Check the file, the commits against their count, every memory against its seal, and the indexes."""
    checks = {
        "database file": _check_file,
        "commits": _check_commits,
        "links": _check_links,
        "memories": _check_memories,
        "search index": _check_index,
    }
    return [_run_check(db, check, look) for check, look in checks.items()]


def _run_check(db: Db, check: str, look: Callable[[Db], Finding]) -> Finding:
    try:
        return look(db)
    except (StoreError, UnicodeDecodeError) as error:  # damage can stop the look itself
        return _make_failure(check, str(error))


def _check_file(db: Db) -> Finding:
    # A damaged search index is found below; it can be written anew from the rows.
    problems = [
        row["said"] for row in db.rows("integrity") if "FTS5" not in row["said"] and row["said"] != "ok"
    ]
    if not problems:
        return Finding(check="database file", verdict=FindingLevel.PASS, detail=f"{db.path} is sound")
    return _make_failure("database file", f"{db.path}: {'; '.join(problems[:3])}")


def _check_commits(db: Db) -> Finding:
    # What was noticed at open and could not be noted, because the store may only be read, stands in `losses` alone.
    losses = tuple(loss.describe() for loss in commit_counter.list_losses(db)) or db.losses
    if losses:
        return _make_failure("commits", "; ".join(losses))
    if logs := snapshots.list_kept_logs(db.path):
        return _make_failure(
            "commits", f"some may be missing; the log that could not be trusted is {logs[-1]}"
        )
    return Finding(check="commits", verdict=FindingLevel.PASS, detail="none is missing")


def _check_links(db: Db) -> Finding:
    dangling = db.rows("verify_links")
    if not dangling:
        return Finding(
            check="links", verdict=FindingLevel.PASS, detail="every row that points somewhere finds it"
        )
    return _make_failure("links", f"{len(dangling)} rows point to nothing")


def _check_memories(db: Db) -> Finding:
    checked = 0
    altered: list[str] = []
    for row, sound in row_checksums.check_rows(db):
        checked += 1
        if not sound:
            altered.append(str(row["id"]))
    if not altered:
        return Finding(
            check="memories", verdict=FindingLevel.PASS, detail=f"{checked} are as they were written"
        )
    examples = ", ".join(altered[:_MAX_NAMED]) + (" …" if len(altered) > _MAX_NAMED else "")
    return _make_failure("memories", f"{len(altered)} of {checked} were altered: {examples}")


def _check_index(db: Db) -> Finding:
    counts = db.rows("verify_counts")[0]
    try:
        if db.makes_terms and not db.read_only:  # to SQLite the question is a write
            db.run("fulltext_check")
    except StoreError as error:
        return _make_failure("search index", str(error))
    if counts["memories"] != counts["filed"]:
        detail = f"{counts['memories']} memories, but {counts['filed']} entries"
        return _make_failure("search index", detail)
    return Finding(check="search index", verdict=FindingLevel.PASS, detail=f"{counts['filed']} entries")


def _make_failure(check: str, detail: str) -> Finding:
    return Finding(check=check, verdict=FindingLevel.FAIL, detail=detail, fix=MEND)
