"""A hook's quick look lets through exactly what the table of trust lets speak at a tool's result."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest

from recollect.inject.source_quota import source_of
from recollect.model.ids import make_id
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.policy import MIN_TOOL_RESULT_CONFIDENCE
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.scope import WorkRef
from recollect.model.subject import Subject
from recollect.model.trust import (
    ORIGIN_OF_CHANNEL,
    Moment,
    Origin,
    SpeakPermission,
    find_standing,
    is_trusted,
    may_speak,
)
from recollect.model.value import replace
from recollect.store import hook_lookup
from recollect.store.hook_lookup import HookStore
from recollect.store.tables import memory_writes
from tests.builders import NOON, a_db, a_memory

pytestmark = pytest.mark.sqlite

WORK = WorkRef(methodology="native", hierarchy=("spec_1",), label="spec_1")


def every_standing() -> list[Memory]:
    """A memory for each way it can have come, and each that can have become of it."""
    chosen = product(
        Channel,
        Source,
        MemoryState,
        (False, True),
        ((), ("s1",), ("s1", "s2")),
        (None, WORK),
    )
    return [
        a_memory(
            f"standing {number}",
            number=number,
            id=make_id(NOON, number),
            kind="error_pattern",
            subjects=(Subject("file", "src/auth.py"),),
            provenance=Provenance(
                channel=channel,
                source=source,
                session_id="s1" if number % 3 else None,
                event_ids=("e",) if work else (),
            ),
            state=state,
            trust=Trust(verified=verified),
            sessions=sessions,
            useful=2 if number % 5 == 0 else 1,
            work=work,
            stale_at=NOON if number % 7 == 0 else None,
            # Some were in the way, up to more often than silences them; of these a few are pinned.
            noise=number % 5 + number % 3,
            pinned=number % 13 == 0,
            fields={"error": "KeyError"},
        )
        for number, (channel, source, state, verified, sessions, work) in enumerate(chosen, start=1)
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Memory]]:
    file = tmp_path_factory.mktemp("glance") / "memories.db"
    db = a_db(file)
    kept = {memory.id: memory for memory in every_standing()}
    with db.transaction():
        for memory in kept.values():
            memory_writes.insert_memories(db, [memory])
    db.close()
    return file, kept


@pytest.mark.parametrize("what", ["file", "error"])
def test_exactly_those_speak_that_may(store: tuple[Path, dict[str, Memory]], what: str) -> None:
    file, kept = store
    looked = HookStore(str(file))
    if what == "file":
        kinds = json.dumps(["error_pattern"])
        rows = hook_lookup.list_about_file(
            looked, None, "src/auth.py", session_id="now", kinds=kinds, least=0.0, limit=100_000
        )
    else:
        rows = hook_lookup.list_known_errors(looked, None, least=0.0, limit=100_000)
    looked.close()
    moment = Moment.TOOL_RESULT if what == "file" else Moment.SAME_ERROR
    verdicts = {name: may_speak(memory, moment) for name, memory in kept.items()}
    assert {row["id"] for row in rows} == {name for name, verdict in verdicts.items() if verdict.allowed}
    for row in rows:
        memory = kept[row["id"]]
        assert row["mark"] == verdicts[memory.id].mark
        assert row["source"] == ("" if is_trusted(memory) else source_of(memory))


def test_the_queries_name_every_channel_of_the_table_that_may_not_speak_plainly() -> None:
    """A channel that is new in the table must be thought of in the queries too: none is left to a default."""
    text = hook_lookup._read_queries()["glance_about"]
    quoted = set(re.findall(r"'(\w+)'", text))
    plain = {
        channel
        for channel, origin in ORIGIN_OF_CHANNEL.items()
        if find_standing(origin).tool_result is SpeakPermission.AFTER_PROOF
        and not find_standing(origin).mark
        and origin is not Origin.NOTE
    }
    assert {str(channel) for channel in Channel} - quoted == {str(channel) for channel in plain}


def test_what_is_less_sure_than_the_policy_says_is_silent(tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    db = a_db(file)
    sure = a_memory("sure enough", number=1, kind="gotcha", confidence=MIN_TOOL_RESULT_CONFIDENCE)
    unsure = a_memory("not sure", number=2, kind="gotcha", confidence=MIN_TOOL_RESULT_CONFIDENCE - 0.01)
    other_kind = a_memory("another kind", number=3, kind="fact", confidence=1.0)
    about = (Subject("file", "src/auth.py"),)
    with db.transaction():
        for memory in (sure, unsure, other_kind):
            seen = Provenance(channel=Channel.OBSERVED, source=Source.OBSERVER_INFERRED, session_id="s1")
            observed = replace(memory, subjects=about, provenance=seen, sessions=("s2",))
            memory_writes.insert_memories(db, [observed])
    db.close()
    looked = HookStore(str(file))
    rows = hook_lookup.list_about_file(
        looked,
        None,
        "src/auth.py",
        session_id="now",
        kinds='["gotcha"]',
        least=MIN_TOOL_RESULT_CONFIDENCE,
        limit=10,
    )
    looked.close()
    assert [row["id"] for row in rows] == [sure.id]


def test_a_quick_look_writes_nothing(store: tuple[Path, dict[str, Memory]]) -> None:
    file, _ = store
    before = file.read_bytes()
    looked = HookStore(str(file))
    assert hook_lookup.list_visible_ids(looked, "s", "") == set()
    assert hook_lookup.find_project(looked, "/nowhere") is None
    looked.close()
    assert file.read_bytes() == before
