"""A writer is killed at random moments, again and again: what it was told is kept, is kept."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from collections import Counter
from pathlib import Path

from recollect.store.safety import commit_counter
from recollect.store.tables import meta
from tests.builders import an_engine
from tests.store.processes import started
from tests.store.signature import assert_sound

# One interpreter forks a writer per round, so that a hundred kills do not cost a hundred starts.
NURSERY = """
import os, sys
from recollect import Recollect
from tests.hash_embedder import HashEmbedder

db, numbers = sys.argv[1], iter(range(1, 10**9))
Recollect(":memory:", folder=None, embedder=HashEmbedder()).remember("Warm")


def write(round_number):
    with Recollect(db, folder=None, embedder=HashEmbedder()) as memory:
        for number in range(1, 10**6):
            text = f"Round {round_number} number {number * 7919} says {os.urandom(4).hex()}"
            done = memory.remember(text, tags=["kill"], about=["service:api"], session=f"s{round_number}")
            if number % 3 == 0:
                memory.pin(done.memory.id)
                os.write(1, f"pinned {done.memory.id}\\n".encode())
            else:
                os.write(1, f"kept {done.memory.id}\\n".encode())


for round_number, _ in enumerate(sys.stdin):
    child = os.fork()
    if child == 0:
        write(round_number)
    os.write(1, f"pid {child}\\n".encode())
    _, status = os.waitpid(child, 0)
    os.write(1, f"dead {status}\\n".encode())
"""


def test_nothing_acknowledged_is_lost_when_a_writer_is_killed(
    tmp_path: Path, long: bool, tally: Counter[str]
) -> None:
    rounds = 300 if long else 40
    file = tmp_path / "memories.db"
    chance = random.Random(20260508)
    nursery = started(NURSERY, file)
    acknowledged: dict[str, bool] = {}
    per_round: list[int] = []
    try:
        for _ in range(rounds):
            new = _one_life(nursery, chance)
            per_round.append(len(new))
            acknowledged |= new
            _check(file, acknowledged, new)
    finally:
        nursery.kill()
        nursery.communicate()
    with an_engine(file) as memory:
        stored = {found.id: found.pinned for found in memory.list(limit=1_000_000)}
        findings = [finding for finding in memory.admin.verify() if finding.verdict != "pass"]
        counted = int(meta.read_meta(memory._db, "commits") or 0)
    lost = [memory_id for memory_id in acknowledged if memory_id not in stored]
    print(
        f"{rounds} kills, {len(acknowledged)} acknowledged, {len(lost)} lost, "
        f"{len(stored) - len(acknowledged)} written but not acknowledged"
    )
    tally["kills -9"] += rounds
    tally["acts acknowledged before a kill"] += len(acknowledged)
    tally["lost by a kill"] += len(lost)
    assert lost == []
    assert all(stored[memory_id] for memory_id, pinned in acknowledged.items() if pinned)
    assert findings == []
    # At most one act per life was cut off between its commit and its word.
    assert len(stored) - len(acknowledged) <= rounds
    assert sum(count > 0 for count in per_round) > rounds / 2, "the writers died before they wrote"
    # The mirror lags by the one commit a process had just made when it was killed, and never leads.
    mirrored = commit_counter.read_counter(str(file))
    assert mirrored is not None
    assert counted - 1 <= mirrored.commits <= counted


def _one_life(nursery: subprocess.Popen[str], chance: random.Random) -> dict[str, bool]:
    """Let a writer live for some milliseconds, from its birth or its first word; what it acknowledged."""
    assert nursery.stdin and nursery.stdout
    nursery.stdin.write("next\n")
    nursery.stdin.flush()
    acknowledged: dict[str, bool] = {}
    fate: threading.Timer | None = None
    from_birth = chance.random() < 0.2
    pid = 0
    for line in nursery.stdout:
        word, value = line.split()
        if word == "dead":
            assert fate is not None, "it died before it was killed"
            assert int(value) == signal.SIGKILL, f"it ended by itself with {value}"
            fate.join()
            return acknowledged
        if word == "pid":
            pid = int(value)
        else:
            acknowledged[value] = word == "pinned"
        if fate is None and pid and (from_birth or acknowledged):
            # The moment of death is the subject of this test, so here time does pass.
            fate = threading.Timer(chance.uniform(0.005, 0.060), os.kill, [pid, signal.SIGKILL])
            fate.start()
    raise AssertionError("the nursery ended")


def _check(file: Path, acknowledged: dict[str, bool], new: dict[str, bool]) -> None:
    """Open the file as the next process would; it is sound, and the newest words are kept."""
    if not file.exists():
        assert not acknowledged
        return
    with an_engine(file) as memory:
        assert_sound(memory._db)
        for memory_id, pinned in new.items():
            assert memory.show(memory_id).pinned >= pinned
        assert memory.admin.unembedded() == 0
