"""Snapshots: when one is due, that it is proved before an older one goes, and that it can be restored."""

from __future__ import annotations

import stat
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.errors import StoreCorrupt, StoreFull
from recollect.store.recovery.backup import restore
from recollect.store.safety import snapshots
from tests.builders import NOON, an_engine
from tests.conftest import Clock
from tests.durability.workload import content

pytestmark = pytest.mark.sqlite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


def sessions(memory: Recollect, first: int, number: int) -> None:
    for n in range(first, first + number):
        memory.remember(f"Said in session {n}, {n * 7919}", session=f"s{n}")


def test_one_is_due_after_so_many_sessions(file: Path) -> None:
    with an_engine(file) as memory:
        sessions(memory, 0, 4)
        assert not snapshots.is_snapshot_due(memory._db, 5)
        sessions(memory, 4, 1)
        assert snapshots.is_snapshot_due(memory._db, 5)
        assert not snapshots.is_snapshot_due(memory._db, 0), "0 means never"
        snapshots.take_snapshot(memory._db, NOON, keep=3)
        assert not snapshots.is_snapshot_due(memory._db, 5)
        sessions(memory, 5, 5)
        assert snapshots.is_snapshot_due(memory._db, 5)


def test_the_settings_say_when_one_is_due_and_how_many_are_kept(file: Path) -> None:
    settings = config.load_settings(flags={"db": str(file), "snapshots.every": 2, "snapshots.keep": 1})
    with an_engine(file, settings=settings) as memory:
        assert not memory.safety.snapshot_is_due()
        sessions(memory, 0, 2)
        assert memory.safety.snapshot_is_due()
        first = memory.safety.snapshot()
        assert not memory.safety.snapshot_is_due()
        sessions(memory, 2, 2)
        second = memory.safety.snapshot()
        assert snapshots.list_snapshots(str(file)) == [second]
        assert not first.exists()


def test_the_newest_are_kept_even_when_the_clock_goes_back(file: Path) -> None:
    with an_engine(file, clock=Clock()) as memory:
        made = []
        for n, at in enumerate((NOON, NOON + timedelta(days=3650), NOON - timedelta(days=1), NOON)):
            sessions(memory, n, 1)
            made.append(snapshots.take_snapshot(memory._db, at, keep=2))
        assert snapshots.list_snapshots(str(file)) == [made[3], made[2]]


def test_a_snapshot_is_private_and_holds_all(file: Path, tmp_path: Path) -> None:
    with an_engine(file) as memory:
        sessions(memory, 0, 3)
        made = snapshots.take_snapshot(memory._db, NOON, keep=3)
        wanted = content(memory)
        memory.forget(*wanted)
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700
    assert [path.name for path in made.parent.iterdir()] == [made.name]
    restore(made, file, NOON)
    with an_engine(file) as memory:
        assert content(memory) == wanted
        assert memory.safety.losses() == (), "what is missing after a restore is missing on purpose"


def test_an_altered_store_makes_no_snapshot_and_the_older_one_stays(file: Path) -> None:
    with an_engine(file) as memory:
        sessions(memory, 0, 3)
        good = snapshots.take_snapshot(memory._db, NOON, keep=1)
        memory._db._connection.execute("UPDATE memory SET text = 'forged' WHERE num = 2")
        with pytest.raises(StoreCorrupt, match="altered"):
            snapshots.take_snapshot(memory._db, NOON + timedelta(days=1), keep=1)
    assert snapshots.list_snapshots(str(file)) == [good]
    assert [path.name for path in good.parent.iterdir()] == [good.name]


def test_a_disk_without_room_leaves_the_older_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with an_engine(file) as memory:
        sessions(memory, 0, 3)
        good = snapshots.take_snapshot(memory._db, NOON, keep=1)

        def full(target: str, progress: object = None) -> None:
            raise StoreFull(path=target)

        monkeypatch.setattr(memory._db, "backup_to", full)
        with pytest.raises(StoreFull):
            snapshots.take_snapshot(memory._db, NOON + timedelta(days=1), keep=1)
    assert [path.name for path in good.parent.iterdir()] == [good.name]


@pytest.mark.parametrize("room", [True, False])
def test_no_snapshot_holds_what_was_purged(file: Path, monkeypatch: pytest.MonkeyPatch, room: bool) -> None:
    with an_engine(file) as memory:
        name = memory.remember("The canary sings at dawn, unmistakably so").memory.id
        sessions(memory, 0, 2)
        for _ in range(2):
            snapshots.take_snapshot(memory._db, NOON, keep=3)
            sessions(memory, 2, 1)

        def full(target: str, progress: object = None) -> None:
            raise StoreFull(path=target)

        if not room:
            monkeypatch.setattr(memory._db, "backup_to", full)
        memory.purge(name)
        left = snapshots.list_snapshots(str(file))
        assert len(left) == (1 if room else 0)
    for path in [*left, file]:
        assert b"canary" not in path.read_bytes()


def test_a_damaged_snapshot_is_passed_over(file: Path) -> None:
    with an_engine(file) as memory:
        sessions(memory, 0, 3)
        good = snapshots.take_snapshot(memory._db, NOON, keep=3)
        sessions(memory, 3, 1)
        bad = snapshots.take_snapshot(memory._db, NOON, keep=3)
    blob = bytearray(bad.read_bytes())
    blob[8192:8300] = bytes(108)
    bad.write_bytes(blob)
    assert not snapshots.is_sound(bad)
    assert snapshots.find_newest_sound(str(file)) == good
