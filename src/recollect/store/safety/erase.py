"""
Taking a purged text out of everything that repeats it: notes, events, trails, chats, versions of notes, files beside.

A memory is rarely the only place that holds its words. The person typed them into a prompt, the agent noted them, a run
printed them. Every text of every table is looked at; a table that comes later is looked at too.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from recollect.errors import StoreError
from recollect.events.inbox import seal_line, unseal_line
from recollect.events.locks import lock_within, open_own_file
from recollect.model.purged_text import PURGED, PurgedText
from recollect.store.db import Db, StoredTable, TableAccess
from recollect.store.safety.snapshots import FILE_ENDINGS
from recollect.store.search import fulltext
from recollect.store.sqlite.driver import SqliteDb, connect

# Other memories are memories of their own, and are purged by themselves. The rest is made of the code, of git and of
# names, and says nothing that somebody said.
_NOT_SEARCHED = frozenset(
    "memory memory_anchor memory_subject memory_tag subject_word relation vector vector_words model usefulness pruned "
    "meta migration project project_key project_path identity session transcript tie ties_learned file_votes "
    "code_edge code_file code_mention code_node code_parse code_tree survey ops_due past_file past_path "
    "past_session".split()
)
# Files beside the store that hold lines, and those that hold whole stores.
_LINE_FILES = (".inbox", ".inbox.torn", ".hooks.log")
_STORE_FILES = (".damaged-", ".before-restore-")
_LOCK_SECONDS = 5.0
_PAGE = 1000
# What is kept of sentences that were read: in an event's data by this name, and in a table of its own.
_SKETCHES = "statements"
_SKETCH_TABLE = "read_statement"


def erase_rows(db: Db, purged: PurgedText, sources: Collection[str] = ()) -> int:
    """Erase a text from every row; in the rows with these ids also what says it in other words. How many changed."""
    access = db.access_tables()
    with db.transaction():
        changed = sum(
            _erase_table(access, table, purged, sources)
            for table in access.tables()
            if table.name not in _NOT_SEARCHED
        )
    if changed:
        db.run("chunks_unfile_marked", mark=PURGED)
        db.run("vault_optimize")
    return changed


def erase_files(db_path: str, purged: PurgedText, memory_ids: Collection[str]) -> list[str]:
    """Erase it from what lies beside the store: lines of logs, and stores that were put aside. Which files changed."""
    if db_path == ":memory:" or "://" in db_path:
        return []
    folder, name = os.path.split(db_path)
    changed = []
    for file in sorted(Path(folder).iterdir()):
        if not file.name.startswith(name) or not file.is_file() or file.is_symlink():
            continue
        rest = file.name[len(name) :]
        if rest in _LINE_FILES or rest.endswith(".claimed"):
            is_changed = erase_lines(file, purged)
        else:
            is_store = rest.startswith(_STORE_FILES) and not rest.endswith(FILE_ENDINGS[1:])
            is_changed = is_store and _erase_store(file, purged, memory_ids)
        if is_changed:
            changed.append(str(file))
    return changed


def erase_lines(file: Path, purged: PurgedText) -> bool:
    """Erase a text from a file of lines, each JSON or plain; whether it was there."""
    try:
        # In the same file: a writer may have it open, and the old bytes must not stay on in a file without a name.
        descriptor = open_own_file(file)
    except OSError:
        return False
    with os.fdopen(descriptor, "r+b") as stream:
        lock_within(descriptor, _LOCK_SECONDS)
        before = stream.read()
        after = b"".join(_erase_line(line, purged) for line in before.splitlines(keepends=True))
        if after == before:
            return False
        stream.seek(0)
        stream.write(after)
        stream.truncate()
        stream.flush()
        os.fsync(descriptor)
    return True


def _erase_line(line: bytes, purged: PurgedText) -> bytes:
    body = unseal_line(line)
    if body is not None and body != line.rstrip():
        erased_body = _erase_text(body.decode("utf-8", "surrogateescape"), purged)
        return seal_line(erased_body.encode("utf-8", "surrogateescape")) + b"\n"
    text = line.decode("utf-8", "surrogateescape")
    erased = _erase_text(text.rstrip("\n"), purged) + ("\n" if text.endswith("\n") else "")
    return erased.encode("utf-8", "surrogateescape")


def _erase_table(
    access: TableAccess, table: StoredTable, purged: PurgedText, sources: Collection[str]
) -> int:
    changed = 0
    after: tuple[object, ...] = ()
    while rows := access.read(table, after, _PAGE):
        for values in rows:
            cells = dict(zip(table.columns, values, strict=True))
            after = tuple(cells[column] for column in table.key)
            if table.name == "vault_note" and cells["gone_at"] is None:
                continue  # the name of a file that is there
            is_source = table.name == _SKETCH_TABLE or any(
                cells.get(name) in sources for name in ("id", "memory_id") if cells.get(name)
            )
            changes = dict(_find_changes(cells, purged, is_source=is_source))
            if any(column in table.key for column in changes):  # a word of an index: nothing is left of it
                access.drop(table, after)
            elif changes:
                access.change(table, after, changes)
            changed += bool(changes)
    return changed


def _find_changes(cells: dict[str, Any], purged: PurgedText, *, is_source: bool) -> Iterator[tuple[str, Any]]:
    for column, cell in cells.items():
        erased = cell
        if isinstance(cell, str):
            erased = _erase_text(cell, purged, is_source=is_source)
        elif isinstance(cell, bytes):
            erased = _erase_packed(cell, purged)
        if erased != cell:
            yield column, erased


def _erase_text(text: str, purged: PurgedText, *, is_source: bool = False) -> str:
    erase = purged.erase_source if is_source else purged.erase_values
    if text[:1] in ("{", "["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return str(erase(text))
        erased = erase(_drop_sketches(value, purged))
        return text if erased == value else json.dumps(erased, ensure_ascii=False, separators=(",", ":"))
    return str(erase(text))


def _drop_sketches(value: Any, purged: PurgedText) -> Any:
    """An event, or its data, without the sketches of sentences that say a purged text: they lack its small words."""
    if not isinstance(value, dict):
        return value
    parts = {name: _drop_sketches(part, purged) for name, part in value.items()}
    if isinstance(sketches := parts.get(_SKETCHES), list):
        parts[_SKETCHES] = [words for words in sketches if not purged.is_retold(str(words))]
    return parts


def _erase_packed(body: bytes, purged: PurgedText) -> bytes:
    """A text that is kept compressed."""
    try:
        text = zlib.decompress(body).decode()
    except (zlib.error, UnicodeDecodeError):
        return body
    erased = purged.erase(text)
    return body if erased == text else zlib.compress(erased.encode(), 6)


def _erase_store(file: Path, purged: PurgedText, memory_ids: Collection[str]) -> bool:
    """A store that was put aside: as a store if it can still be opened; else it goes."""
    try:
        db = connect(str(file), create=False)
    except StoreError:
        return _remove_holding(file, purged)
    try:
        db.overwrite_deleted_rows()
        with db.transaction():
            removed = sum(_delete_memory(db, memory_id) for memory_id in memory_ids)
            erased = erase_rows(db, purged, memory_ids)
        if removed or erased:
            fulltext.optimize_index(db)
            db.scrub()
    except (StoreError, UnicodeDecodeError):
        db.close()
        return _remove_holding(file, purged)
    db.close()
    return bool(removed or erased)


def _delete_memory(db: SqliteDb, memory_id: str) -> bool:
    row = db.row("memory_num", id=memory_id)
    if row is None:
        return False
    fulltext.unindex_memory(db, int(row["num"]))
    for query in ("history_forget", "events_forget"):
        db.run(query, memory_id=memory_id)
    db.run("memory_delete", id=memory_id)
    return True


def _remove_holding(file: Path, purged: PurgedText) -> bool:
    """What no database can be asked to forget: a damaged file that holds such words is removed as a whole."""
    parts = [part for end in FILE_ENDINGS if (part := file.with_name(file.name + end)).is_file()]
    if not any(purged.is_held_by(part.read_bytes()) for part in parts):
        return False
    for part in parts:
        part.unlink(missing_ok=True)
    return True
