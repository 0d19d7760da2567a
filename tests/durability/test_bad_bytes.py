"""A few bad bytes anywhere in database, log or inbox: no damaged text is served, nothing breaks, and it is mended."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.api.safety import rebuild_store
from recollect.errors import RecollectError
from recollect.events.inbox import append, inbox_path
from tests.hash_embedder import HashEmbedder

MEMORIES = 150
TRIALS = 120
_LINE = '{{"id":"01ARZ3NDEKTSV4RRFFQ69G5F{0:02}","type":"prompt","at":"2026-05-08T12:00:00+00:00","session_id":"s"}}'


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a snapshot, memories that came after it and still lie in the log, and an inbox."""
    folder = tmp_path_factory.mktemp("whole")
    file = folder / "memories.db"
    memory = Recollect(file, folder=None, embedder=HashEmbedder())
    for number in range(MEMORIES):
        memory.remember(
            f"Fact {number}: the {number * 7919 % 1009}th lamp is {'green red blue'.split()[number % 3]}"
        )
        if number == MEMORIES // 2:
            memory.safety.snapshot()
    append(inbox_path(str(file)), [_LINE.format(number) for number in range(20)])
    # Copied while it is open: a store that is closed has no log.
    for part in folder.iterdir():
        if part.is_file():
            shutil.copyfile(part, folder / f"kept-{part.name}")
    memory.close()
    return folder


def damage(whole: Path, folder: Path, trial: int) -> Path:
    for part in whole.glob("kept-*"):
        if not part.name.endswith("-shm"):
            shutil.copyfile(part, folder / part.name.removeprefix("kept-"))
    shutil.copytree(whole / "memories.db.snapshots", folder / "memories.db.snapshots")
    rng = random.Random(trial)
    target = folder / ("memories.db", "memories.db-wal", "memories.db.inbox")[trial % 3]
    content = bytearray(target.read_bytes())
    places = [0] if trial % 24 == 0 else rng.sample(range(len(content)), rng.randint(1, 50))
    for place in places:
        content[place] ^= rng.randint(1, 255)
    target.write_bytes(bytes(content))
    return folder / "memories.db"


def read_texts(file: Path) -> set[str] | None:
    """What a person gets to see; None if the store says that it is damaged."""
    try:
        with Recollect(file, folder=None, embedder=HashEmbedder(), create=False) as memory:
            texts = {item.text for item in memory.list(limit=1000)}
            texts |= {hit.memory.text for hit in memory.recall("which lamp is green?", limit=50)}
            memory.observer.drain()
            memory.admin.verify()
            return texts
    except RecollectError as error:
        assert "unexpectedly" not in str(error), error
        return None


def test_bad_bytes_are_never_served_and_always_mended(
    whole: Path, tmp_path: Path, long: bool, tally: Counter[str]
) -> None:
    written = {
        f"Fact {number}: the {number * 7919 % 1009}th lamp is {'green red blue'.split()[number % 3]}"
        for number in range(MEMORIES)
    }
    lost = 0
    for trial in range(TRIALS if long else 12):
        folder = tmp_path / str(trial)
        folder.mkdir()
        file = damage(whole, folder, trial)
        served = read_texts(file)
        assert served is None or served <= written, trial
        report = rebuild_store(file, lambda done, total: None)
        mended = read_texts(file)
        assert mended is not None, trial
        assert mended <= written, trial
        missing = written - mended
        lost += len(missing)
        # Whatever is gone is named or counted.
        assert not missing or report.lost or report.missing or report.doubtful, (trial, len(missing))
        shutil.rmtree(folder)
        tally["stores with bad bytes"] += 1
    tally["memories lost to bad bytes, named or counted"] += lost
