"""Backups are proved by comparing, restores keep what was there, and what is no backup is refused."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import BadInput, NotOurStore, RecollectError, StoreCorrupt, StoreError, StoreMissing
from recollect.store.recovery.backup import restore
from tests.builders import NOON, a_db, an_engine
from tests.store.processes import started
from tests.store.signature import assert_sound, signature

pytestmark = pytest.mark.sqlite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "memories.db"
    with an_engine(place) as memory:
        ids = [
            memory.remember(f"Memory {n} about topic {n * 31}", tags=["t"], session="s").memory.id
            for n in range(20)
        ]
        memory.pin(ids[0])
        memory.forget(ids[1])
    return place


def content(file: Path) -> dict[str, list[tuple[object, ...]]]:
    db = a_db(file, create=False)
    try:
        assert_sound(db)
        return signature(db)
    finally:
        db.close()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def backed_up(file: Path, target: Path) -> Path:
    with an_engine(file) as memory:
        return memory.admin.backup(target)


def test_a_backup_holds_all_that_the_store_holds(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copies" / "today.db")
    assert content(made) == content(file)
    assert [path.name for path in made.parent.iterdir()] == ["today.db"]
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700


def test_a_backup_is_a_store_that_works(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    with an_engine(made) as memory:
        assert memory.count() == 19
        memory.remember("Something new and quite different")
        assert memory.recall("topic 31")


def test_a_file_that_is_there_is_not_written_over(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("mine")
    with pytest.raises(BadInput, match=r"precious.txt is there already; name a new file"):
        backed_up(file, target)
    assert target.read_text() == "mine"


def test_a_backup_that_fails_leaves_nothing_behind(file: Path, tmp_path: Path) -> None:
    class Stop(RecollectError):
        pass

    def progress(done: int, total: int) -> None:
        raise Stop

    (tmp_path / "copies").mkdir()
    with an_engine(file) as memory:
        with pytest.raises(Stop):
            memory.admin.backup(tmp_path / "copies" / "today.db", progress)
        assert list((tmp_path / "copies").iterdir()) == []
        memory.admin.backup(tmp_path / "copies" / "today.db")
    assert names(tmp_path / "copies") == {"today.db"}


def test_progress_ends_with_all_pages(file: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with an_engine(file) as memory:
        memory.admin.backup(tmp_path / "copy.db", lambda done, total: seen.append((done, total)))
    assert seen
    assert seen[-1][0] == seen[-1][1] > 0


def test_a_backup_ends_even_if_others_write_between_all_its_pages(file: Path, tmp_path: Path) -> None:
    """SQLite starts a copy anew when another connection has written, unless the copy holds its moment."""
    # Eight megabytes, without the work of remembering them.
    with an_engine(file) as memory, memory._db.transaction():
        for number in range(800):
            memory._db.run("meta_set", key=f"filler {number}", value=os.urandom(5000).hex())
    steps = 0
    with an_engine(file) as memory, an_engine(file) as other:
        count = memory.count()

        def progress(done: int, total: int) -> None:
            nonlocal steps
            steps += 1
            assert steps < 60, "the copy begins again and again"
            other.remember(f"Written meanwhile, number {steps * 7919}")

        made = memory.admin.backup(tmp_path / "copy.db", progress)
        assert steps > 1
        assert memory.count() == count + steps
    with an_engine(made) as copy:
        assert copy.count() == count


WRITER = """
import sys
from recollect import Recollect
from tests.hash_embedder import HashEmbedder
with Recollect(sys.argv[1], folder=None, embedder=HashEmbedder()) as memory:
    number = 0
    while True:
        number += 1
        done = memory.remember(f"Writer {sys.argv[2]} wrote number {number * 7919}")
        print(done.memory.id, flush=True)
"""


def test_backups_while_two_others_write_are_whole(file: Path, tmp_path: Path) -> None:
    writers = [started(WRITER, file, name) for name in ("one", "two")]
    try:
        acknowledged: list[list[str]] = []
        for number in range(4):
            for writer in writers:
                assert writer.stdout is not None
                acknowledged.append([writer.stdout.readline().strip() for _ in range(10)])
            made = backed_up(file, tmp_path / f"copy-{number}.db")
            with an_engine(made) as copy:
                assert_sound(copy._db)
                # All that was acknowledged before the backup began is in it, with vector and index entry.
                for ids in acknowledged:
                    for memory_id in ids:
                        assert copy.show(memory_id).text.startswith("Writer")
                assert copy.admin.unembedded() == 0
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert [writer.returncode for writer in writers] == [-9, -9]
    content(file)


def test_a_restore_brings_back_all_of_it(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    wanted = content(file)
    with an_engine(file) as memory:
        memory.purge(*[found.id for found in memory.list(limit=10)])
        memory.remember("Written after the backup")
    restore(made, file, NOON)
    assert content(file) == wanted
    assert content(made) == wanted


def test_a_restore_keeps_what_was_there(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    with an_engine(file) as memory:
        memory.remember("Written after the backup")
    before = content(file)
    kept = restore(made, file, NOON)
    assert kept is not None
    assert kept.parent == file.parent
    assert kept.name == "memories.db.before-restore-20260508-120000"
    assert content(kept) == before
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_two_restores_in_the_same_second_keep_both(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    with an_engine(file) as memory:
        memory.remember("Only in the first that is put aside")
    first = restore(made, file, NOON)
    second = restore(made, file, NOON)
    assert first is not None and second is not None and first != second
    with an_engine(first) as memory:
        assert memory.count() == 20
    with an_engine(second) as memory:
        assert memory.count() == 19


def test_a_restore_where_nothing_was_makes_the_store(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    target = tmp_path / "elsewhere" / "memories.db"
    assert restore(made, target, NOON) is None
    assert content(target) == content(made)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_store_that_is_open_sees_what_was_restored(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    with an_engine(file) as memory:
        memory.remember("Written after the backup")
        assert memory.count() == 20
        restore(made, file, NOON)
        assert memory.count() == 19
        memory.remember("Written after the restore")
    with an_engine(file) as memory:
        assert memory.count() == 20


def damage(file: Path) -> None:
    """Overwrite pages in the middle."""
    blob = bytearray(file.read_bytes())
    for page in range(3, len(blob) // 4096, 2):
        blob[page * 4096 : page * 4096 + 200] = os.urandom(200)
    file.write_bytes(blob)


def damage_unseen(file: Path) -> None:
    """Overwrite the start of a page that nobody reads at once: only a check of all pages finds it."""
    whole = file.read_bytes()
    for page in range(len(whole) // 4096 - 1, 1, -1):
        blob = bytearray(whole)
        blob[page * 4096 : page * 4096 + 16] = b"\xff" * 16
        file.write_bytes(blob)
        db = a_db(file, create=False)
        try:
            list(db.rows("fingerprint_page", after=0, limit=1000))
            if db.pragma("quick_check") != "ok":
                return
        except StoreCorrupt:
            continue
        finally:
            db.close()
    raise AssertionError("every page is read at once")


@pytest.mark.parametrize("harm", [damage, damage_unseen])
def test_a_damaged_backup_is_refused_and_the_store_stays(
    file: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    harm(made)
    before, there = content(file), names(tmp_path)
    with pytest.raises(StoreCorrupt) as error:
        restore(made, file, NOON)
    assert f"The database {made} is damaged" in str(error.value)
    assert content(file) == before
    assert names(tmp_path) <= there | {"copy.db-wal", "copy.db-shm"}


@pytest.mark.parametrize("what", ["text", "database", "half"])
def test_what_is_no_backup_is_refused_and_the_store_stays(file: Path, tmp_path: Path, what: str) -> None:
    source = tmp_path / "other.db"
    if what == "text":
        source.write_text("Dear diary")
    elif what == "database":
        db = a_db(source)
        db.pragma("application_id", 77)
        db.close()
    else:
        made = backed_up(file, tmp_path / "copy.db")
        source.write_bytes(made.read_bytes()[: 4096 * 5])
    before, untouched = content(file), source.read_bytes()
    with pytest.raises((NotOurStore, StoreCorrupt)) as error:
        restore(source, file, NOON)
    assert str(source) in str(error.value)
    assert content(file) == before
    assert source.read_bytes() == untouched


def test_a_missing_backup_is_said_to_be_missing(file: Path, tmp_path: Path) -> None:
    with pytest.raises(
        StoreMissing, match=r"There is no backup at .*nowhere.db. `recollect backup FILE` makes one"
    ):
        restore(tmp_path / "nowhere.db", file, NOON)


@pytest.mark.parametrize("how", ["pages", "zeros"])
def test_a_damaged_store_can_be_restored_and_is_kept_as_it_was(file: Path, tmp_path: Path, how: str) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    wanted = content(file)
    if how == "pages":
        damage(file)
    else:
        file.write_bytes(bytes(8192))
    damaged = file.read_bytes()
    kept = restore(made, file, NOON)
    assert content(file) == wanted
    assert kept is not None
    assert kept.read_bytes() == damaged


def test_another_programs_file_is_not_written_over_by_a_restore(file: Path, tmp_path: Path) -> None:
    made = backed_up(file, tmp_path / "copy.db")
    target = tmp_path / "letter.txt"
    target.write_text("Dear diary")
    with pytest.raises(NotOurStore):
        restore(made, target, NOON)
    assert target.read_text() == "Dear diary"
    assert sorted(path.name for path in tmp_path.iterdir() if "before-restore" in path.name) == []


def test_a_folder_that_cannot_be_made_is_said_to_be_so(file: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError, match="cannot be written"):
        backed_up(file, tmp_path / "file" / "copy.db")


def test_the_engine_backs_up_what_it_has_just_been_told(tmp_path: Path) -> None:
    with Recollect(tmp_path / "m.db", folder=None, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as memory:
        memory.remember("Told a moment ago")
        made = memory.admin.backup(tmp_path / "copy.db")
    with an_engine(made) as copy:
        assert [found.text for found in copy.list()] == ["Told a moment ago"]
