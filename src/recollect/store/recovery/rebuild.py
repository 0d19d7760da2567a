"""
Making a sound store of a damaged one: the newest good copy, and every row that can still be read.

Where both have a row, the later of the two stores wins. A memory that is not as it was sealed is taken from the copy;
if the copy has none, it stays, but waits in quarantine. The damaged file is kept beside the new one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from recollect.errors import BadInput, StoreCorrupt, StoreError
from recollect.model.value import dataclass, replace
from recollect.store.open import open_sqlite
from recollect.store.recovery import salvage
from recollect.store.safety import commit_counter, counter_file, snapshots
from recollect.store.safety.snapshots import ENDS
from recollect.store.search import fulltext
from recollect.store.sqlite.driver import SqliteDb, connect
from recollect.store.sqlite.files import make_private, sync_folder
from recollect.store.tables import meta, row_checksums

Progress = Callable[[int, int], None]
# What a seal covers.
_OF_A_MEMORY = ("memory", "memory_subject", "memory_tag", "relation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What came of it. `older` are memories as an earlier copy has them; `doubtful` wait; `lost` are gone."""

    kept: Path
    copy: Path | None
    read: int
    older: tuple[str, ...]
    doubtful: tuple[str, ...]
    lost: tuple[str, ...]
    missing: tuple[str, ...]


def rebuild(
    file: Path, now: datetime, progress: Progress, source: Path | None = None, *, from_nothing: bool = False
) -> Rebuilt:
    """
    Put a sound store in the place of a damaged one.

    `source`: a backup to build on, instead of a snapshot. `from_nothing`: an empty store will do, memories come later.
    """
    room = file.with_name(f"{file.name}.rebuilding")
    shutil.rmtree(room, ignore_errors=True)
    make_private(room / "new.db")
    (room / "new.db").unlink()
    try:
        _copy_files(file, room / "damaged.db")
        damaged = _opened_raw(room / "damaged.db")
        store = _identity(damaged)[0] if damaged else ""
        copy = _checked(source) if source else snapshots.newest_sound(str(file), store)
        if damaged is None and copy is None and not from_nothing:
            raise StoreCorrupt(path=file, reason="nothing in it can be read, and there is no snapshot")
        try:
            with_losses = _built(room, damaged, copy, counter_file.read(str(file)), now, progress)
        finally:
            if damaged:
                damaged.close()
        kept = _free_name(file, now)
        _copy_files(file, kept)
        _put_in_place(room / "new.db", file)
    finally:
        shutil.rmtree(room, ignore_errors=True)
    settled = open_sqlite(str(file), now, create=False)
    try:
        commit_counter.settle(settled)
    finally:
        settled.close()
    return replace(with_losses, kept=kept, copy=copy)


def _checked(source: Path) -> Path:
    if not snapshots.is_sound(source):
        raise BadInput(reason=f"{source} is not a sound backup")
    return source


def _built(
    room: Path,
    damaged: SqliteDb | None,
    copy: Path | None,
    mirrored: counter_file.Mirrored | None,
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
            there = _all_ids(new, new)
            if damaged:
                _poured(damaged, new)
            missing = _counted_on(new, mirrored)
            read = _all_ids(damaged, new) if damaged else set()
            older, doubtful = _mended(new, room / "copy.db" if copy else None)
            _joined(new)
        new.pragma("foreign_keys", 1)
        fulltext.file_all(new, progress)
        older |= there - read
        return Rebuilt(
            kept=room,
            copy=copy,
            read=len(read),
            older=tuple(sorted(older & _all_ids(new, new))),
            doubtful=tuple(sorted(doubtful)),
            lost=tuple(row["id"] for row in new.rows("memories_lost")),
            missing=missing,
        )
    finally:
        new.close()


def _poured(damaged: SqliteDb, new: SqliteDb) -> None:
    """All that can be read goes over, into the place of what is older."""
    here, there = _identity(damaged), _identity(new)
    if here[0] and there[0] and here[0] != there[0] and new.rows("memory_highest_num")[0]["num"]:
        raise BadInput(reason="the copy to build on belongs to another store")
    over = here[1] >= there[1]
    for table in salvage.tables(new):
        if table.name != "migration":
            salvage.copy_readable(damaged, new, table, over=over)
    for row in new.rows("memories_purged"):
        new.run("memory_delete", id=row["id"])
    meta.put(new, "store", here[0] or there[0])
    meta.put(new, "commits", str(max(here[1], there[1])))


def _counted_on(new: SqliteDb, mirrored: counter_file.Mirrored | None) -> tuple[str, ...]:
    """What the counts say is missing; the new store goes on above it, so that no number stands for two commits."""
    store, counted = _identity(new)
    losses = commit_counter.noted(new)
    if mirrored is not None and mirrored.store == store and mirrored.commits > counted:
        losses.append(commit_counter.Loss(noticed_at="", after=counted, missing=mirrored.commits - counted))
        meta.put(new, "commits", str(mirrored.commits))
    return tuple(loss.told() for loss in losses)


def _mended(new: SqliteDb, copy: Path | None) -> tuple[set[str], set[str]]:
    """Memories that were altered: from the copy where it has them, else out of use until a person looks."""
    altered = {str(row["id"]): int(row["num"]) for row, sound in row_checksums.checked(new) if not sound}
    older: set[str] = set()
    if copy is not None and altered:
        earlier = connect(str(copy), create=False)
        try:
            for memory_id in altered:
                if _taken_from(earlier, new, memory_id):
                    older.add(memory_id)
        finally:
            earlier.close()
    doubtful = {name: num for name, num in altered.items() if name not in older}
    for num in doubtful.values():
        new.run("memory_doubted", num=num)
    row_checksums.renew(new, doubtful.values())
    return older, set(doubtful)


def _taken_from(earlier: SqliteDb, new: SqliteDb, memory_id: str) -> bool:
    """One memory with what hangs on it, as the copy has it."""
    row = earlier.row("memory_num", id=memory_id)
    if row is None:
        return False
    for table in salvage.tables(new):
        if table.name in _OF_A_MEMORY:
            salvage.replace_of(earlier, new, table, int(row["num"]))
    return True


def _joined(new: SqliteDb) -> None:
    """Every row that points somewhere finds it: no memory goes because its session or project cannot be read."""
    new.run("projects_made_up")
    new.run("sessions_made_up")
    salvage.drop_dangling(new, spare="memory")


def _identity(db: SqliteDb) -> tuple[str, int]:
    try:
        return meta.get(db, "store") or "", int(meta.get(db, "commits") or 0)
    except (StoreError, ValueError, UnicodeDecodeError):
        return "", 0


def _all_ids(db: SqliteDb, like: SqliteDb) -> set[str]:
    """The ids that can be read; what the table looks like is asked of a sound store."""
    table = next(table for table in salvage.tables(like) if table.name == "memory")
    return {str(values[0]) for values in salvage.readable(db, table, ("id",))}


def _opened_raw(file: Path) -> SqliteDb | None:
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


def _copy_files(source: Path, target: Path) -> None:
    """Byte by byte, log and all: SQLite could not copy what is damaged. Nobody here has the file open."""
    make_private(target)
    for end in ENDS:
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
    for end in ENDS[1:]:
        file.with_name(file.name + end).unlink(missing_ok=True)
    new.replace(file)
    sync_folder(file.parent)


def _free_name(file: Path, now: datetime) -> Path:
    named = file.with_name(f"{file.name}.damaged-{now:%Y%m%d-%H%M%S}")
    taken = 1
    while named.exists():
        taken += 1
        named = named.with_name(f"{file.name}.damaged-{now:%Y%m%d-%H%M%S}-{taken}")
    return named
