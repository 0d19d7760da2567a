"""Eight processes change the same memories at the same time: nothing is lost, nobody is told to go away."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.events.inbox import append, inbox_path
from recollect.surfaces.cli import cli, observe
from tests.builders import an_engine
from tests.store.processes import started
from tests.store.signature import assert_sound

WRITERS = 8
UPDATES = 300

WRITER = """
import json, random, sys
from collections import Counter
from recollect import Recollect
from recollect.errors import RecollectError
from tests.hash_embedder import HashEmbedder

db, name, shared = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
chance = random.Random(name)
memory = Recollect(db, folder=None, embedder=HashEmbedder(), actor=f"writer {name}")
acts, accesses, errors, own = Counter(), Counter(), [], []


def remember():
    done = memory.remember(f"Writer {name} notes {chance.randrange(10**12)} in passing", tags=[f"w{name}"])
    own.append(done.memory.id)
    acts[done.memory.id] += 1


def change():
    # The same rows as everybody; each time something new, so that it leaves a row of history.
    target = chance.choice(shared)
    memory.edit(target, citation=f"writer {name} was here {chance.randrange(10**12)}")
    acts[target] += 1


def ask():
    for hit in memory.recall(f"shared thing {chance.randrange(len(shared))}", limit=3):
        accesses[hit.memory.id] += 1


def forget_and_undo():
    target = own[-1]
    memory.forget(target)
    acts[target] += 1
    memory.undo(target)
    acts[target] += 1


def pin():
    target = own[-1]
    memory.pin(target, pinned=not memory.show(target).pinned)
    acts[target] += 1


print("ready", flush=True)
sys.stdin.readline()
remember()
todo = int(sys.argv[4]) - 1
while todo > 0:
    act = chance.choice([remember, change, change, ask, forget_and_undo, pin])
    try:
        act()
    except RecollectError as error:
        errors.append(str(error))
    todo -= 2 if act is forget_and_undo else 1
memory.close()
print(json.dumps({"acts": acts, "accesses": accesses, "errors": errors, "own": own}), flush=True)
"""


def test_eight_writers_lose_nothing_and_are_never_locked_out(
    tmp_path: Path, long: bool, tally: Counter[str]
) -> None:
    file = tmp_path / "memories.db"
    with an_engine(file) as memory:
        shared = [
            memory.remember(f"A shared thing, number {n}, about {word}", about=[f"service:{word}"]).memory.id
            for n, word in enumerate(
                ["retry", "cache", "deploy", "token", "schema", "parser", "worker", "queue"]
            )
        ]
    told = _all_at_once(file, shared, UPDATES if long else UPDATES // 4)
    acts = sum((Counter(writer["acts"]) for writer in told), Counter())
    accesses = sum((Counter(writer["accesses"]) for writer in told), Counter())
    errors = [error for writer in told for error in writer["errors"]]
    with an_engine(file) as memory:
        stories = {memory_id: len(memory.history(memory_id)) for memory_id in acts}
        counted = {memory_id: memory.show(memory_id).access_count for memory_id in accesses}
        kept = memory.count()
        assert_sound(memory._db)
        findings = [finding for finding in memory.admin.verify() if finding.verdict != "pass"]
    expected = {memory_id: count + (memory_id in shared) for memory_id, count in acts.items()}
    lost = sum(expected.values()) - sum(stories.values())
    print(
        f"{WRITERS} writers, {sum(acts.values())} acts acknowledged, {lost} lost, {len(errors)} errors; "
        f"{sum(accesses.values())} accesses, {sum(accesses.values()) - sum(counted.values())} lost"
    )
    tally["updates by eight writers at once"] += sum(acts.values()) + sum(accesses.values())
    tally["updates lost"] += lost + sum(accesses.values()) - sum(counted.values())
    tally["times a writer was told to go away"] += len(errors)
    assert errors == []
    assert stories == expected
    assert counted == dict(accesses)
    assert kept == len(shared) + sum(len(writer["own"]) for writer in told)
    assert findings == []
    updates = UPDATES if long else UPDATES // 4
    assert sum(acts.values()) + sum(accesses.values()) > WRITERS * updates * 0.8


def _all_at_once(file: Path, shared: list[str], updates: int) -> list[dict]:  # type: ignore[type-arg]
    writers = [started(WRITER, file, name, json.dumps(shared), updates) for name in range(WRITERS)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    answers = [writer.communicate(timeout=240)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * WRITERS
    return [json.loads(answer) for answer in answers]


HOLDER = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not tell who holds a lock")
def test_learning_beside_a_stopped_writer_gives_up_soon_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    monkeypatch.setattr(observe, "_LEARN_WAIT_SECONDS", 0.1)
    file = tmp_path / "memories.db"
    with an_engine(file) as memory:
        memory.remember("Retries are capped at 3")
    append(inbox_path(str(file)), [_EVENT])
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        done = CliRunner().invoke(cli, ["learn", "--db", str(file)], prog_name="recollect")
        asked = CliRunner().invoke(cli, ["recall", "retries", "--db", str(file)], prog_name="recollect")
    finally:
        holder.communicate("")
    assert done.exit_code == 4
    assert f"process {holder.pid} (python" in done.output
    assert "capped at 3" in asked.output


_EVENT = (
    '{"id":"01ARZ3NDEKTSV4RRFFQ69G5F01","type":"prompt","at":"2026-05-08T12:00:00+00:00","session_id":"s"}'
)
