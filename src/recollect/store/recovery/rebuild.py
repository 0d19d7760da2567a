"""
Rebuilding a damaged store: from the newest good copy and every row that can still be read.

Three readers, each with what the one before could not have: SQLite over the file, with its first page put right where
that is what stops it; SQLite over the file with every page of its logs in it; and pages by themselves (`carve.py`).
Where several have a row, the later wins. A memory that is not as it was sealed is taken from the copy; if the copy has
none, it stays, but waits in quarantine. The damaged file is kept beside the new one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from recollect.errors import BadInput, NothingToRebuild, StoreCorrupt, StoreError
from recollect.events.locks import sync_folder
from recollect.model.value import dataclass, replace
from recollect.store.open import open_sqlite
from recollect.store.recovery import carve, salvage, write_ahead_log
from recollect.store.recovery.pages import PageFile
from recollect.store.safety import commit_counter, snapshots
from recollect.store.safety.snapshots import FILE_ENDINGS
from recollect.store.search import fulltext
from recollect.store.sqlite.catalogue import list_tables
from recollect.store.sqlite.driver import MAGIC, SqliteDb, connect, looks_like_ours
from recollect.store.sqlite.files import ensure_private_file
from recollect.store.tables import meta, row_checksums
from recollect.store.tables.row_values import to_micros

Progress = Callable[[int, int], None]
# What a seal covers.
_OF_A_MEMORY = ("memory", "memory_subject", "memory_tag", "relation")
# Memories are carved, each with its seal: their numbers may have been given again since.
_FROM_A_LOG = ("project", "session", "note", "history")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """
    What came of it. `older` are memories as an earlier copy has them; `doubtful` wait; `lost` are gone.

    `unnamed` counts those of which nothing is left but a number that was given.
    """

    kept: Path
    copy: Path | None
    read: int
    older: tuple[str, ...]
    doubtful: tuple[str, ...]
    lost: tuple[str, ...]
    missing: tuple[str, ...]
    unnamed: int = 0


def rebuild(
    file: Path, now: datetime, progress: Progress, source: Path | None = None, *, from_nothing: bool = False
) -> Rebuilt:
    """
    Put a sound store in the place of a damaged one.

    `source`: a backup to build on, instead of a snapshot. `from_nothing`: an empty store will do, memories come later.
    """
    room = file.with_name(f"{file.name}.rebuilding")
    shutil.rmtree(room, ignore_errors=True)
    ensure_private_file(room / "new.db")
    (room / "new.db").unlink()
    try:
        _copy_files(file, room / "damaged.db")
        logs = _copy_logs(file, room)
        mirrored = commit_counter.read_counter(str(file))
        damaged = _open_raw(room / "damaged.db") or _open_mended(room / "damaged.db")
        store = _read_identity(damaged)[0] if damaged else ""
        store = store or (mirrored.store if mirrored else "")
        copy = _check_backup(source) if source else snapshots.find_newest_sound(str(file), store)
        damaged = damaged or _open_grafted(room, logs, copy, now)
        pages = PageFile(file, logs, write_ahead_log.find_page_size(file, logs))
        if damaged is None and copy is None and not from_nothing and not pages.holds_rows():
            raise NothingToRebuild(path=file)
        try:
            with_losses = _build(room, damaged, copy, logs, pages, mirrored, now, progress)
        finally:
            if damaged:
                damaged.close()
        damaged_copy = _free_name(file, now)
        _copy_files(file, damaged_copy)
        _put_in_place(room / "new.db", file)
        snapshots.drop_kept_logs(str(file))
    finally:
        shutil.rmtree(room, ignore_errors=True)
    settled = open_sqlite(str(file), now, create=False)
    try:
        commit_counter.settle_losses(settled)
    finally:
        settled.close()
    return replace(with_losses, kept=damaged_copy, copy=copy)


def _check_backup(source: Path) -> Path:
    if not snapshots.is_sound(source):
        raise BadInput(reason=f"{source} is not a sound backup")
    return source


def _build(
    room: Path,
    damaged: SqliteDb | None,
    copy: Path | None,
    logs: list[Path],
    pages: PageFile,
    mirrored: commit_counter.CommitRecord | None,
    now: datetime,
    progress: Progress,
) -> Rebuilt:
    if copy is not None:
        _copy_files(copy, room / "copy.db")
        _copy_files(copy, room / "new.db")
        open_sqlite(str(room / "copy.db"), now, create=False).close()
    new = open_sqlite(str(room / "new.db"), now, create=copy is None)
    try:
        new.pragma("foreign_keys", 0)
        with new.transaction():
            ids_in_copy = _read_all_ids(new, new)
            numbers_in_copy = _read_numbers(new)
            if damaged:
                _pour_rows(damaged, new)
                _pour_from_log(room / "damaged.db", logs, room / "replayed.db", new)
            carved = carve.carve_memories(pages, new)
            read = (_read_all_ids(damaged, new) if damaged else set()) | carve.pour_carved(carved, new)
            if damaged:  # then the other tables were read too
                meta.save_meta(new, "commits", str(max(carved.commits, _read_identity(new)[1])))
            missing = _continue_count(new, mirrored)
            older, doubtful = _mend_altered(new, room / "copy.db" if copy else None, now)
            _join_rows(new)
        new.pragma("foreign_keys", 1)
        fulltext.rebuild_search_index(new, progress)
        older |= ids_in_copy - read
        return Rebuilt(
            kept=room,
            copy=copy,
            read=len(read),
            older=tuple(sorted(older & _read_all_ids(new, new))),
            doubtful=tuple(sorted(doubtful)),
            lost=tuple(row["id"] for row in new.rows("memories_lost")),
            missing=missing,
            unnamed=_count_unnamed(new, carved.highest, numbers_in_copy),
        )
    finally:
        new.close()


def _read_numbers(db: SqliteDb) -> set[int]:
    return {int(row["num"]) for row in db.rows("memory_numbers")}


def _count_unnamed(new: SqliteDb, highest: int, numbers_in_copy: set[int]) -> int:
    """How many numbers were given out of which neither a row nor a story is left; what a copy lacks was purged."""
    numbers = _read_numbers(new)
    since = max(numbers_in_copy, default=0)
    given = max(highest, max(numbers, default=0))
    gaps = sum(number not in numbers for number in range(since + 1, given + 1))
    gaps += len(numbers_in_copy - numbers)
    return max(0, gaps - len(new.rows("memories_lost")) - len(new.rows("history_purged")))


def _pour_rows(damaged: SqliteDb, new: SqliteDb) -> None:
    """All that can be read goes over, into the place of what is older."""
    damaged_identity, new_identity = _read_identity(damaged), _read_identity(new)
    if (
        damaged_identity[0]
        and new_identity[0]
        and damaged_identity[0] != new_identity[0]
        and new.rows("memory_highest_num")[0]["num"]
    ):
        raise BadInput(reason="the copy to build on belongs to another store")
    over = damaged_identity[1] >= new_identity[1]
    for table in list_tables(new):
        if table.name != "migration":
            salvage.copy_readable(damaged, new, table, over=over)
    for row in new.rows("memories_purged"):
        new.run("memory_delete", id=row["id"])
    meta.save_meta(new, "store", damaged_identity[0] or new_identity[0])
    meta.save_meta(new, "commits", str(max(damaged_identity[1], new_identity[1])))


def _pour_from_log(damaged: Path, logs: list[Path], replayed: Path, new: SqliteDb) -> None:
    """What SQLite does not read any more behind a bad place in the log fills gaps; checksums tell what it is worth."""
    if not write_ahead_log.replay_frames(damaged, logs, replayed):
        return
    log = _open_raw(replayed)
    if log is None:
        return
    try:
        for table in list_tables(new):
            if table.name in _FROM_A_LOG:
                salvage.copy_readable(log, new, table, over=False)
    finally:
        log.close()


def _continue_count(new: SqliteDb, mirrored: commit_counter.CommitRecord | None) -> tuple[str, ...]:
    """What the counts say is missing; the new store goes on above it, so that no number stands for two commits."""
    store, counted = _read_identity(new)
    losses = commit_counter.list_losses(new)
    if mirrored is not None and mirrored.store == store and mirrored.commits > counted:
        losses.append(commit_counter.Loss(noticed_at="", after=counted, missing=mirrored.commits - counted))
        meta.save_meta(new, "commits", str(mirrored.commits))
    return tuple(loss.describe() for loss in losses)


def _mend_altered(new: SqliteDb, copy: Path | None, now: datetime) -> tuple[set[str], set[str]]:
    """Memories that were altered: from the copy where it has them, else out of use until a person looks."""
    altered = {str(row["id"]): int(row["num"]) for row, sound in row_checksums.check_rows(new) if not sound}
    older: set[str] = set()
    if copy is not None and altered:
        earlier = connect(str(copy), create=False)
        try:
            for memory_id in altered:
                if _copy_memory(earlier, new, memory_id):
                    older.add(memory_id)
        finally:
            earlier.close()
    doubtful = {name: num for name, num in altered.items() if name not in older}
    for num in doubtful.values():
        new.run("memory_doubted", num=num)
        if not row_checksums.is_memory(new, num):  # nothing but its words can be kept
            new.run("memory_reduced", num=num, now=to_micros(now), fields="{}")
    row_checksums.renew_checksums(new, doubtful.values())
    return older, set(doubtful)


def _copy_memory(earlier: SqliteDb, new: SqliteDb, memory_id: str) -> bool:
    """One memory with what hangs on it, as the copy has it."""
    row = earlier.row("memory_num", id=memory_id)
    if row is None:
        return False
    for table in list_tables(new):
        if table.name in _OF_A_MEMORY:
            salvage.replace_memory_rows(earlier, new, table, int(row["num"]))
    return True


def _join_rows(new: SqliteDb) -> None:
    """Every row that points somewhere finds it: no memory goes because its session or project cannot be read."""
    new.run("projects_made_up")
    new.run("sessions_made_up")
    salvage.drop_dangling(new, spare="memory")


def _read_identity(db: SqliteDb) -> tuple[str, int]:
    try:
        return meta.read_meta(db, "store") or "", int(meta.read_meta(db, "commits") or 0)
    except (StoreError, ValueError, UnicodeDecodeError):
        return "", 0


def _read_all_ids(db: SqliteDb, like: SqliteDb) -> set[str]:
    """The ids that can be read; what the table looks like is asked of a sound store."""
    table = next(table for table in list_tables(like) if table.name == "memory")
    return {str(values[0]) for values in salvage.read_rows(db, table, ("id",))}


def _open_raw(file: Path) -> SqliteDb | None:
    try:
        db = connect(str(file), create=False)
    except StoreError:
        return None
    try:
        with suppress(UnicodeDecodeError):  # one name of the catalogue is gone, the others may be there
            db.rows("tables_all")
    except StoreError:
        db.close()
        return None
    return db


def _open_mended(file: Path) -> SqliteDb | None:
    """The same with the first bytes as they must be: one bad bit among them keeps SQLite from reading all the rest."""
    with file.open("r+b") as stream:
        if not looks_like_ours(stream.read(100)):
            return None
        stream.seek(0)
        stream.write(MAGIC)
    return _open_raw(file)


def _open_grafted(room: Path, logs: list[Path], copy: Path | None, now: datetime) -> SqliteDb | None:
    """
    The same with a catalogue that can be read: the copy's, or that of a new store.

    It says where each table begins; without it no other page can be found, though all may be whole.
    """
    damaged, grafted = room / "damaged.db", room / "grafted.db"
    size = write_ahead_log.find_page_size(damaged, logs)
    open_sqlite(str(room / "fresh.db"), now, create=True).close()
    for donor in [file for file in (copy, room / "fresh.db") if file]:
        if not write_ahead_log.replay_frames(damaged, logs, grafted):
            shutil.copyfile(damaged, grafted)
        with grafted.open("r+b") as stream:
            for number, page in PageFile(donor, [], size).list_catalogue():
                stream.seek((number - 1) * size)
                stream.write(_make_first_page(page) if number == 1 else page)
        db = _open_raw(grafted)
        if db is not None and _read_identity(db)[0]:
            return db
        if db is not None:
            db.close()
    return None


def _make_first_page(page: bytes) -> bytes:
    """A first page for a file whose length alone says how many pages there are, and that has no log."""
    header = bytearray(page[:100])
    header[18:20] = b"\1\1"
    header[24:28], header[28:32], header[92:96] = bytes(4), bytes(4), b"\0\0\0\1"
    header[32:40] = bytes(8)
    return bytes(header) + page[100:]


def _copy_logs(file: Path, room: Path) -> list[Path]:
    """The logs there are, oldest first, out of SQLite's reach: it removes the one it has read."""
    logs = []
    for number, log in enumerate((*snapshots.list_kept_logs(str(file)), file.with_name(f"{file.name}-wal"))):
        if log.is_file():
            logs.append(room / f"log-{number}")
            shutil.copyfile(log, logs[-1])
    return logs


def _copy_files(source: Path, target: Path) -> None:
    """Byte by byte, log and all: SQLite could not copy what is damaged. Nobody here has the file open."""
    ensure_private_file(target)
    for end in FILE_ENDINGS:
        if source.with_name(source.name + end).exists():
            shutil.copyfile(source.with_name(source.name + end), target.with_name(target.name + end))


def _put_in_place(new: Path, file: Path) -> None:
    # Whoever has the damaged file open would go on writing to it unseen: then nothing is replaced.
    with suppress(StoreCorrupt):
        current = connect(str(file), create=False)
        try:
            current.pragma("journal_mode", "delete")
        finally:
            current.close()
    for end in FILE_ENDINGS[1:]:
        file.with_name(file.name + end).unlink(missing_ok=True)
    new.replace(file)
    sync_folder(file.parent)


def _free_name(file: Path, now: datetime) -> Path:
    free = file.with_name(f"{file.name}.damaged-{now:%Y%m%d-%H%M%S}")
    number = 1
    while free.exists():
        number += 1
        free = free.with_name(f"{file.name}.damaged-{now:%Y%m%d-%H%M%S}-{number}")
    return free
