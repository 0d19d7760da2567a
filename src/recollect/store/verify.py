"""Whether the store is what it should be, told as findings."""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import StoreError
from recollect.model.finding import Finding, Verdict
from recollect.model.normal import text_hash
from recollect.store.sqlite import SqliteDb

_PAGE = 1000


def verify(db: SqliteDb) -> list[Finding]:
    """Check the file, the texts against their fingerprints, and the indexes against the rows."""
    checks = {"database file": _file, "links": _links, "texts": _texts, "search index": _index}
    return [_looked_at(db, check, look) for check, look in checks.items()]


def _looked_at(db: SqliteDb, check: str, look: Callable[[SqliteDb], Finding]) -> Finding:
    try:
        return look(db)
    except (StoreError, UnicodeDecodeError) as error:  # damage can stop the look itself
        return _broken(check, str(error), "recollect restore BACKUP")


def _file(db: SqliteDb) -> Finding:
    said = db.pragma("quick_check")
    if said == "ok":
        return Finding(check="database file", verdict=Verdict.PASS, detail=f"{db.path} is sound")
    return _broken("database file", f"{db.path}: {said}", "recollect restore BACKUP")


def _links(db: SqliteDb) -> Finding:
    dangling = db.rows("verify_links")
    if not dangling:
        return Finding(check="links", verdict=Verdict.PASS, detail="every row that points somewhere finds it")
    return _broken("links", f"{len(dangling)} rows point to nothing", "recollect restore BACKUP")


def _texts(db: SqliteDb) -> Finding:
    altered: list[str] = []
    after = seen = 0
    while page := db.rows("verify_hashes", after=after, limit=_PAGE):
        altered += [row["id"] for row in page if text_hash(row["text"]) != row["text_hash"]]
        seen += len(page)
        after = page[-1]["num"]
    if not altered:
        return Finding(check="texts", verdict=Verdict.PASS, detail=f"{seen} texts are as they were stored")
    named = ", ".join(altered[:5])
    return _broken(
        "texts", f"{len(altered)} of {seen} texts were altered: {named}", "recollect restore BACKUP"
    )


def _index(db: SqliteDb) -> Finding:
    counts = db.rows("verify_counts")[0]
    try:
        if not db.read_only:  # to SQLite the question is a write
            db.run("fulltext_check")
    except StoreError as error:
        return _broken("search index", str(error), "recollect doctor --fix")
    if counts["memories"] != counts["filed"]:
        detail = f"{counts['memories']} memories, but {counts['filed']} entries"
        return _broken("search index", detail, "recollect doctor --fix")
    return Finding(check="search index", verdict=Verdict.PASS, detail=f"{counts['filed']} entries")


def _broken(check: str, detail: str, fix: str) -> Finding:
    return Finding(check=check, verdict=Verdict.FAIL, detail=detail, fix=fix)
