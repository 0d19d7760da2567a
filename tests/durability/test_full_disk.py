"""A real disk of four megabytes is full, may not be written, or is not ours: a sentence, and the store stays whole."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import StoreFull, StoreReadOnly
from recollect.model.memory import MemoryState
from recollect.store.safety import disk_ballast
from tests.builders import an_engine
from tests.durability.workload import content
from tests.store.processes import environment
from tests.store.signature import assert_sound

BYTES = 4_000_000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of our own, in memory; where none can be mounted, the tests with a failing VFS must do."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("needs the right to mount")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={BYTES},mode=700", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], capture_output=True, check=True)


def fill(folder: Path) -> Path:
    """Write until there is no room for another byte."""
    filler = folder / "filler"
    descriptor = os.open(filler, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for size in (4096, 1):
        try:
            while True:
                os.write(descriptor, b"x" * size)
        except OSError as error:
            assert error.errno == errno.ENOSPC
    os.close(descriptor)
    return filler


def with_memories(file: Path) -> Recollect:
    memory = an_engine(file)
    for n in range(10):
        memory.remember(f"Entry {n} about {n * 7919}", tags=["t"], session="s1")
    return memory


def refused(memory: Recollect, file: Path) -> None:
    with pytest.raises(StoreFull) as said:
        memory.remember("There is no room for this " + os.urandom(9000).hex())
    assert f"The disk that holds {file} is full" in str(said.value)
    assert "Free some space" in str(said.value)


def test_what_was_kept_is_read_and_can_be_forgotten_on_a_full_disk(disk: Path) -> None:
    file = disk / "memories.db"
    with with_memories(file) as memory:
        filler = fill(disk)
        refused(memory, file)
        before = content(memory)
        assert len(before) == 10
        assert memory.recall("what about entry 3?")
        memory._wiring._accesses.clear()
        assert disk_ballast.ballast_path(str(file)).exists()
        memory.forget(next(iter(before)))
        assert memory.show(next(iter(before))).state is MemoryState.ARCHIVED
        assert not disk_ballast.ballast_path(str(file)).exists()
        assert_sound(memory._db)
        filler.unlink()
        memory.remember("Works again when there is room")
    with an_engine(file) as memory:
        assert len(content(memory)) == 11
        assert [f for f in memory.admin.verify() if f.verdict != "pass"] == []
    assert disk_ballast.ballast_path(str(file)).stat().st_size == disk_ballast.SIZE


def test_what_is_purged_on_a_full_disk_is_gone_from_its_files(disk: Path) -> None:
    file = disk / "memories.db"
    with with_memories(file) as memory:
        name = memory.remember("The canary sings at dawn, unmistakably so").memory.id
        filler = fill(disk)
        memory.purge(name)
        assert name not in content(memory)
        filler.unlink()
    for path in disk.iterdir():
        assert b"canary" not in path.read_bytes()


def test_a_disk_that_fills_up_keeps_all_that_was_acknowledged(disk: Path) -> None:
    file = disk / "memories.db"
    kept: list[str] = []
    with an_engine(file) as memory, pytest.raises(StoreFull):
        for n in range(5000):
            kept.append(memory.remember(f"Number {n} " + os.urandom(2000).hex()).memory.id)  # noqa: PERF401
    assert len(kept) > 20
    with an_engine(file) as memory:
        assert sorted(content(memory)) == sorted(kept)
        assert_sound(memory._db)


@pytest.mark.parametrize(
    "words", [("backup", "copy.db"), ("backup", "--snapshot"), ("remember", "much to say " * 1600)]
)
def test_a_command_on_a_full_disk_ends_with_a_sentence(disk: Path, words: tuple[str, ...]) -> None:
    file = disk / "memories.db"
    with with_memories(file) as memory:
        before = content(memory)
    fill(disk)
    done = _command(file, *words, cwd=disk)
    assert done.returncode not in (0, 2)
    assert "is full" in json.loads(done.stderr.splitlines()[-1])["error"]["message"]
    assert "Traceback" not in done.stderr
    assert _command(file, "list", "--all-projects", cwd=disk).returncode == 0
    with an_engine(file) as memory:
        assert content(memory) == before


def test_a_disk_that_may_only_be_read_can_be_read(disk: Path) -> None:
    file = disk / "memories.db"
    with with_memories(file):
        pass
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with pytest.raises(StoreReadOnly) as said:
        an_engine(file)
    assert str(file) in str(said.value)
    with an_engine(file, read_only=True) as memory:
        assert len(content(memory)) == 10
        assert memory.safety.losses() == ()
    for words in (("list", "--all-projects"), ("show", "0"), ("stats",), ("history",)):
        done = _command(file, *words, cwd=disk)
        assert "Traceback" not in done.stderr
        assert words[0] == "show" or done.returncode == 0, done.stderr


def _command(file: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "recollect", *words, "--db", str(file), "--json"],
        cwd=cwd,
        env=environment() | {"RECOLLECT_EMBEDDING_TIER": "none"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
