"""The log or the file is damaged: it is noticed, counted and named, and the store rebuilt; what is gone is listed."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from recollect import Recollect
from recollect.errors import StoreCorrupt, StoreError
from recollect.model.memory import MemoryState
from recollect.store.recovery.rebuild import Rebuilt, rebuild
from recollect.store.safety import commit_counter, snapshots
from recollect.store.tables import meta
from tests.builders import NOON, an_engine
from tests.durability.workload import EVERY, content

SHARED = Path("memories.db")


def grown(file: Path, number: int, *, word: str = "first") -> Recollect:
    """A memory with some entries, still open; each entry is one commit."""
    memory = an_engine(file)
    for n in range(number):
        text = f"The {word} entry {n} about {n * 7919} {os.urandom(40).hex()}"
        memory.remember(text, tags=[word], about=[f"service:{word}"], session=f"s{n % 3}")
    return memory


def crashed(memory: Recollect, folder: Path) -> Path:
    """The files as they lie there while the store is open: a log that was never moved into the file."""
    folder.mkdir()
    file = Path(memory._db.path)
    for end in ("", "-wal", ".commits"):
        shutil.copy(f"{file}{end}", folder / f"{file.name}{end}")
    return folder / file.name


def with_log(tmp_path: Path) -> tuple[Path, int]:
    """Twenty entries in the file, ten more in its log."""
    grown(tmp_path / "memories.db", 20).close()
    memory = grown(tmp_path / "memories.db", 10, word="second")
    file = crashed(memory, tmp_path / "crashed")
    total = memory.count()
    memory.close()
    return file, total


def finding(memory: Recollect, check: str) -> str:
    return next(f.detail for f in memory.admin.verify() if f.check == check and f.verdict == "fail")


def test_a_crash_alone_is_no_loss(tmp_path: Path) -> None:
    file, total = with_log(tmp_path)
    with an_engine(file) as memory:
        assert memory.safety.losses() == ()
        assert memory.count() == total
        assert [f for f in memory.admin.verify() if f.verdict != "pass"] == []


@pytest.mark.parametrize("read_only", [False, True])
def test_a_deleted_log_is_noticed_and_its_commits_counted(tmp_path: Path, read_only: bool) -> None:
    file, total = with_log(tmp_path)
    Path(f"{file}-wal").unlink()
    with an_engine(file, read_only=read_only) as memory:
        lost = total - memory.count()
        assert lost == 10
        assert memory.safety.losses() == ("10 commits are missing after number 21",)
        assert finding(memory, "commits") == "10 commits are missing after number 21"


def test_a_loss_is_told_until_it_is_dealt_with(tmp_path: Path) -> None:
    file, _ = with_log(tmp_path)
    Path(f"{file}-wal").unlink()
    an_engine(file).close()
    grown(file, 15, word="third").close()  # as many as were lost and more
    with an_engine(file) as memory:
        assert memory.safety.losses() == ("10 commits are missing after number 21",)
        # No number stands for two commits: those that were lost keep theirs.
        assert int(meta.read_meta(memory._db, "commits") or 0) >= 21 + 10 + 15


@pytest.mark.parametrize("chance", range(6))
def test_a_flipped_byte_in_the_log_never_loses_in_silence(tmp_path: Path, chance: int) -> None:
    file, total = with_log(tmp_path)
    log = bytearray(Path(f"{file}-wal").read_bytes())
    place = random.Random(chance).randrange(32, len(log))
    log[place] ^= 0x10
    Path(f"{file}-wal").write_bytes(log)
    with an_engine(file) as memory:
        lost = total - memory.count()
        told = memory.safety.losses()
        assert bool(lost) == bool(told), f"{lost} lost, {told}"
        if lost:
            assert told[0].startswith(f"{lost} commit")


def test_a_log_of_another_store_is_not_taken_for_ones_own(tmp_path: Path) -> None:
    file, _ = with_log(tmp_path)
    with grown(tmp_path / "other.db", 12, word="foreign") as other:
        shutil.copy(f"{other._db.path}-wal", f"{file}-wal")
    Path(f"{file}-shm").unlink(missing_ok=True)
    try:
        memory = an_engine(file)
    except StoreError as error:
        assert str(file) in str(error)
    else:
        assert memory.safety.losses() or [f for f in memory.admin.verify() if f.verdict == "fail"]
        memory.close()


def test_a_missing_index_of_the_log_is_no_loss(tmp_path: Path) -> None:
    file, total = with_log(tmp_path)
    Path(f"{file}-shm").unlink(missing_ok=True)
    with an_engine(file) as memory:
        assert memory.count() == total
        assert memory.safety.losses() == ()


def test_a_missing_or_broken_mirror_is_no_alarm_and_is_made_again(tmp_path: Path) -> None:
    for harm in (
        Path.unlink,
        lambda path: path.write_bytes(os.urandom(4096)),
        lambda path: path.write_text(""),
    ):
        file = tmp_path / "memories.db"
        grown(file, 3).close()
        harm(commit_counter.counter_path(str(file)))
        with an_engine(file) as memory:
            assert memory.safety.losses() == ()
            memory.remember(f"One more {os.urandom(9).hex()}")
        told = commit_counter.read_counter(str(file))
        assert told is not None
        assert told.commits > 0
        for end in ("", ".commits"):
            Path(f"{file}{end}").unlink()


ALTERED = {
    "text": "UPDATE memory SET text = 'forged', text_hash = (SELECT text_hash FROM memory WHERE num = 2) WHERE num = 3",
    "fields": "UPDATE memory SET fields = '{\"a\": 1}' WHERE num = 3",
    "state": "UPDATE memory SET state = 'archived' WHERE num = 3",
    "confidence": "UPDATE memory SET confidence = 1.0 WHERE num = 3",
    "trust": "UPDATE memory SET verified = 1 WHERE num = 3",
    "channel": "UPDATE memory SET channel = 'dashboard' WHERE num = 3",
    "time": "UPDATE memory SET happened_at = happened_at + 1 WHERE num = 3",
    "citation": "UPDATE memory SET citation = 'x' WHERE num = 3",
    "subject": "UPDATE memory_subject SET subject = 'service:other' WHERE memory_num = 3",
    "tag": "DELETE FROM memory_tag WHERE memory_num = 3",
    "relation": "INSERT INTO relation (memory_num, type, target_path, confidence, auto_extracted) "
    "VALUES (3, 'validates', 'a.py', 1.0, 0)",
    "seal": "UPDATE memory SET seal = NULL WHERE num = 3",
}


@pytest.mark.parametrize("what", ALTERED)
def test_whatever_was_altered_behind_our_back_is_named(tmp_path: Path, what: str) -> None:
    with grown(tmp_path / "memories.db", 4) as memory:
        (name,) = memory._db._connection.execute("SELECT id FROM memory WHERE num = 3").fetchone()
        memory._db._connection.execute(ALTERED[what])
        assert finding(memory, "memories") == f"1 of 4 were altered: {name}"


def test_being_asked_for_breaks_no_seal(tmp_path: Path) -> None:
    with grown(tmp_path / "memories.db", 4) as memory:
        memory.recall("the first entry")
        memory._wiring.store_accesses()
        assert [f for f in memory.admin.verify() if f.verdict != "pass"] == []


# -- rebuilding ----------------------------------------------------------------------------------------------


def rebuilt(file: Path, **how: Path) -> Rebuilt:
    return rebuild(file, NOON + timedelta(days=1), lambda done, total: None, **how)


def with_snapshot(file: Path) -> dict[str, dict[str, object]]:
    """Thirty entries, a snapshot, and thirty more; what is there."""
    with grown(file, 30) as memory:
        snapshots.take_snapshot(memory._db, NOON, keep=3)
    with grown(file, 30, word="later") as memory:
        return content(memory)


Harm = Callable[[bytearray, random.Random], None]


def _pages(blob: bytearray, chance: random.Random) -> None:
    for page in chance.sample(range(1, len(blob) // 4096), 3):
        blob[page * 4096 : page * 4096 + 16] = chance.randbytes(16)


def _header(blob: bytearray, chance: random.Random) -> None:
    blob[:100] = bytes(100)


def _half(blob: bytearray, chance: random.Random) -> None:
    del blob[len(blob) // 2 :]


def _inside(blob: bytearray, chance: random.Random) -> None:
    for _ in range(12):
        blob[chance.randrange(4096, len(blob))] ^= 0xFF


HARMS: dict[str, Harm] = {"pages": _pages, "header": _header, "half": _half, "inside": _inside}


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_store_is_rebuilt_and_every_loss_is_named(
    tmp_path: Path, harm: str, long: bool, tally: Counter[str]
) -> None:
    file = tmp_path / "memories.db"
    wanted = with_snapshot(file)
    whole, counts = file.read_bytes(), commit_counter.counter_path(str(file)).read_bytes()
    in_copy = set(_ids_of(snapshots.list_snapshots(str(file))[0], tmp_path))
    for seed in range(20 if long else 3):
        blob = bytearray(whole)
        HARMS[harm](blob, random.Random(seed))
        file.write_bytes(blob)
        commit_counter.counter_path(str(file)).write_bytes(counts)
        result = rebuilt(file)
        assert result.kept.read_bytes() == bytes(blob)
        tally["damaged stores rebuilt"] += 1
        with an_engine(file) as memory:
            assert [f for f in memory.admin.verify() if f.verdict != "pass"] == []
            assert memory.safety.losses() == ()
            left = content(memory)
            memory.remember(f"It works again, {seed}")
        excused = {*result.older, *result.doubtful, *result.lost}
        # What is not as it was is named; where not even names can be read, the commits are counted.
        unnamed = [name for name, said in wanted.items() if left.get(name) != said and name not in excused]
        assert not unnamed or result.missing == ("30 commits are missing after number 31",)
        assert set(left) <= set(wanted)
        # What an earlier copy has is never lost.
        assert in_copy & set(wanted) <= set(left)
        assert all(left[name]["state"] == "quarantined" for name in result.doubtful)
        result.kept.unlink()


def _ids_of(copy: Path, tmp_path: Path) -> list[str]:
    shutil.copy(copy, tmp_path / "copy.db")
    with an_engine(tmp_path / "copy.db") as memory:
        return list(content(memory))


def test_an_altered_memory_comes_back_from_the_copy_or_waits(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    wanted = with_snapshot(file)
    with an_engine(file) as memory:
        old, new = (memory._db.rows("memories_by_num", nums=f"[{num}]")[0]["id"] for num in (5, 45))
        memory._db._connection.execute("UPDATE memory SET text = 'forged' WHERE num IN (5, 45)")
    result = rebuilt(file)
    assert result.older == (old,)
    assert result.doubtful == (new,)
    with an_engine(file) as memory:
        left = content(memory)
        assert left[old] == wanted[old]
        assert memory.show(new).state is MemoryState.QUARANTINED
        assert {k: v for k, v in left.items() if k != new} == {k: v for k, v in wanted.items() if k != new}


def test_what_was_purged_does_not_come_back_from_an_older_copy(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    with grown(file, 5) as memory:
        copy = memory.admin.backup(tmp_path / "copy.db")
        (gone,) = memory.purge(memory.list(limit=1)[0].id)
        memory._db._connection.execute("UPDATE memory SET text = 'forged' WHERE num = 2")
    result = rebuilt(file, source=copy)
    assert len(result.older) == 1
    with an_engine(file) as memory:
        assert len(content(memory)) == 4
        assert gone not in content(memory)


def test_lost_commits_come_back_as_far_as_a_copy_has_them(tmp_path: Path) -> None:
    """The log is gone, but a snapshot was taken while its commits were still in it."""
    grown(tmp_path / "memories.db", 5).close()
    memory = grown(tmp_path / "memories.db", 6, word="second")
    snapshots.take_snapshot(memory._db, NOON, keep=3)
    wanted = content(memory)
    memory.remember("Too late for the snapshot")
    file = crashed(memory, tmp_path / "crashed")
    shutil.copytree(snapshots.snapshot_folder(memory._db.path), snapshots.snapshot_folder(str(file)))
    memory.close()
    Path(f"{file}-wal").unlink()
    result = rebuilt(file)
    assert result.missing == ("1 commit is missing after number 12",)
    with an_engine(file) as again:
        assert content(again) == wanted
        assert again.safety.losses() == ()


def test_a_store_with_nothing_to_rebuild_from_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    file.write_bytes(bytes(8192))
    with pytest.raises(StoreCorrupt, match="no snapshot"):
        rebuilt(file)
    assert file.read_bytes() == bytes(8192)
    assert [path.name for path in tmp_path.iterdir()] == ["memories.db"]


def test_a_copy_of_another_store_is_not_mixed_in(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    grown(file, 3).close()
    with grown(tmp_path / "other.db", 3) as other:
        copy = other.admin.backup(tmp_path / "copy.db")
    before = file.read_bytes()
    with pytest.raises(Exception, match="another store"):
        rebuilt(file, source=copy)
    assert file.read_bytes() == before


def test_a_store_put_there_by_hand_is_mended_without_what_was_there_before(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    with_snapshot(file)
    with grown(tmp_path / "other.db", 3, word="other") as other:
        wanted = content(other)
    shutil.copy(tmp_path / "other.db", file)
    with an_engine(file) as memory:
        assert memory.safety.losses() == ("the log or the file beside it belongs to another store",)
    assert rebuilt(file).copy is None
    with an_engine(file) as memory:
        assert memory.safety.losses() == ()
        assert content(memory) == wanted


def test_a_store_that_is_open_elsewhere_is_not_replaced_under_its_user(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    with_snapshot(file)
    holder = apsw.Connection(str(file))
    holder.execute("SELECT COUNT(*) FROM memory").fetchall()
    before = file.stat().st_ino
    with pytest.raises(StoreError):
        rebuilt(file)
    holder.close()
    assert file.stat().st_ino == before
    with an_engine(file) as memory:
        assert memory.count(EVERY) == 60


def test_what_is_there_is_found_fast_enough_to_look_at_every_open(tmp_path: Path) -> None:
    """The look at open reads one small file and two rows, however large the store is."""
    with grown(tmp_path / "memories.db", 40):
        pass
    asked: list[str] = []
    with an_engine(tmp_path / "memories.db") as memory:
        memory._db.tracer = lambda name, given: asked.append(name)
        commit_counter.watch_commits(memory._db, commit_counter.read_counter(memory._db.path), NOON)
    assert asked.count("meta_get") <= 3
    assert len(asked) <= 4
