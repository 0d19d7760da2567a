"""A hook's quick look lets through exactly what the table of trust lets speak at a tool's result."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from recollect.inject.source_quota import source_of
from recollect.model.dated_ids import make_id
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.subject import Subject
from recollect.model.trust import Moment, is_trusted, may_speak
from recollect.model.workref import WorkRef
from recollect.store import hook_lookup
from recollect.store.hook_lookup import Glance
from recollect.store.tables import memory_writes
from tests.builders import NOON, a_db, a_memory

WORK = WorkRef(methodology="native", hierarchy=("spec_1",), label="spec_1")


def every_standing() -> list[Memory]:
    """A memory for each way it can have come, and each that can have become of it."""
    chosen = product(
        Channel, (Source.USER_TAUGHT, Source.MCP_AUTO), MemoryState, (False, True), (0, 1, 2), (None, WORK)
    )
    return [
        a_memory(
            f"standing {number}",
            number=number,
            id=make_id(NOON, number),
            kind="error_pattern",
            subjects=(Subject("file", "src/auth.py"),),
            provenance=Provenance(channel=channel, source=source, event_ids=("e",) if work else ()),
            state=state,
            trust=Trust(verified=verified),
            access_count=accesses,
            work=work,
            stale_at=NOON if number % 7 == 0 else None,
            fields={"error": "KeyError"},
        )
        for number, (channel, source, state, verified, accesses, work) in enumerate(chosen, start=1)
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Memory]]:
    file = tmp_path_factory.mktemp("glance") / "memories.db"
    db = a_db(file)
    kept = {memory.id: memory for memory in every_standing()}
    with db.transaction():
        for memory in kept.values():
            memory_writes.insert(db, memory)
    db.close()
    return file, kept


@pytest.mark.parametrize("what", ["file", "error"])
def test_exactly_those_speak_that_may(store: tuple[Path, dict[str, Memory]], what: str) -> None:
    file, kept = store
    looked = Glance(str(file))
    if what == "file":
        kinds = json.dumps(["error_pattern"])
        rows = hook_lookup.about_file(looked, None, "src/auth.py", kinds=kinds, least=0.0, limit=100_000)
    else:
        rows = hook_lookup.known_errors(looked, None, least=0.0, limit=100_000)
    looked.close()
    verdicts = {name: may_speak(memory, Moment.TOOL_RESULT) for name, memory in kept.items()}
    assert {row["id"] for row in rows} == {name for name, verdict in verdicts.items() if verdict.allowed}
    for row in rows:
        memory = kept[row["id"]]
        assert row["mark"] == verdicts[memory.id].mark
        assert row["source"] == ("" if is_trusted(memory) else source_of(memory))


def test_a_quick_look_writes_nothing(store: tuple[Path, dict[str, Memory]]) -> None:
    file, _ = store
    before = file.read_bytes()
    looked = Glance(str(file))
    assert hook_lookup.told(looked, "s", "") == set()
    assert hook_lookup.project_at(looked, "/nowhere") is None
    looked.close()
    assert file.read_bytes() == before
