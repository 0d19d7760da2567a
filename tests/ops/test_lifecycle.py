"""The life of a memory of operations: every transition of its state machine, by runs and by time."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from recollect import Recollect
from recollect.model.memory import Memory, MemoryState, RelationType
from recollect.model.provenance import Channel, Source
from tests.hash_embedder import HashEmbedder
from tests.ops.conftest import Stage

SLOW = "[MEMORY:timing:jellyfin] Takes 60s to start after a restart"


def emit(stage: Stage, text: str = "Nothing.") -> None:
    """One run in which the agent says this."""
    stage.play([text, {"result": {}}])
    stage.run()


def the_memory(stage: Stage) -> Memory:
    (memory,) = stage.memory.operations.list_memories(list(MemoryState))
    return memory


def as_operator(stage: Stage) -> Recollect:
    return Recollect(
        settings=stage.memory.settings,
        folder=None,
        embedder=HashEmbedder(),
        clock=stage.clock,
        actor="operator",
        channel=Channel.OPERATOR,
    )


def test_a_marker_makes_an_active_memory_at_seven_tenths(stage: Stage) -> None:
    emit(stage, SLOW)
    memory = the_memory(stage)
    assert (memory.state, memory.confidence, memory.kind) == (MemoryState.ACTIVE, 0.7, "timing")
    assert [str(subject) for subject in memory.subjects] == ["service:jellyfin"]
    assert (memory.provenance.channel, memory.provenance.source) == (Channel.AGENT, Source.AGENT_EXPLICIT)
    assert memory.provenance.session_id == stage.memory.operations.list_runs()[0].id
    assert stage.messages(type_="memory") == [
        "New memory: [timing:jellyfin] Takes 60s to start after a restart (confidence 0.7)"
    ]


def test_tiers_of_one_chain_confirm_each_other_no_more_than_one_run_itself(stage: Stage) -> None:
    stage.play(
        [f"{SLOW}\n[HANDOFF] Needs a stronger agent", {"result": {}}],
        [f"{SLOW}\n[HANDOFF] Needs the strongest agent", {"result": {}}],
        [SLOW, {"result": {}}],
    )
    assert [run.tier for run in stage.run(stage.job(tiers=3)).runs] == [1, 2, 3]
    assert the_memory(stage).confidence == 0.7
    stage.clock.pass_(hours=1)
    stage.play([SLOW, {"result": {}}])
    stage.run()
    assert the_memory(stage).confidence == 0.8


def test_without_a_service_a_memory_is_general(stage: Stage) -> None:
    emit(stage, "[MEMORY:remediation] Retry DNS once\n[MEMORY:timing:general] Backups take an hour")
    assert [memory.subjects for memory in stage.memory.operations.list_memories()] == [(), ()]


@pytest.mark.parametrize(
    ("times", "confidence"), [(1, 0.7), (2, 0.8), (3, 0.9), (4, 1.0), (5, 1.0), (7, 1.0)]
)
def test_each_run_that_sees_it_again_adds_a_tenth_up_to_one(
    stage: Stage, times: int, confidence: float
) -> None:
    for _ in range(times):
        emit(stage, SLOW)
        stage.clock.pass_(hours=1)
    assert the_memory(stage).confidence == confidence


def test_said_twice_in_one_run_it_counts_once(stage: Stage) -> None:
    emit(stage, f"{SLOW}\n{SLOW}\nAnd again: {SLOW}")
    assert the_memory(stage).confidence == 0.7
    assert len(stage.messages(type_="memory")) == 1


def test_other_words_about_the_same_service_and_category_are_a_second_memory(stage: Stage) -> None:
    emit(stage, SLOW)
    emit(stage, "[MEMORY:timing:jellyfin] Library scans keep the disk busy every night at two")
    assert sorted(memory.confidence for memory in stage.memory.operations.list_memories()) == [0.7, 0.7]


def test_the_same_words_about_another_service_are_another_memory(stage: Stage) -> None:
    emit(stage, SLOW)
    emit(stage, SLOW.replace("jellyfin", "caddy"))
    assert [memory.confidence for memory in stage.memory.operations.list_memories()] == [0.7, 0.7]


def test_a_contradiction_waits_for_review_and_takes_nothing_from_the_older(stage: Stage) -> None:
    emit(stage, "[MEMORY:dependency:caddy] Caddy must be started after WireGuard")
    emit(stage, "[MEMORY:dependency:caddy] Caddy must be started before WireGuard")
    older, newer = sorted(stage.memory.operations.list_memories(list(MemoryState)), key=lambda one: one.id)
    assert (older.state, older.confidence) == (MemoryState.ACTIVE, 0.7)
    assert newer.state is MemoryState.QUARANTINED
    assert newer.relations[0].type is RelationType.CONFLICTS_WITH
    assert stage.messages(type_="memory")[-1].startswith("Memory contradicts another and waits for review")
    emit(stage)
    assert "before WireGuard" not in stage.given()[0]["system"]
    with as_operator(stage) as operator:
        settled = operator.upkeep.settle(newer.id, older.id)
    assert settled.dropped is not None
    assert (settled.dropped.state, settled.dropped.confidence) == (MemoryState.INACTIVE, 0.5)
    emit(stage)
    assert "before WireGuard" in stage.given()[0]["system"]


# Days without a word, and what is left: thirty days of grace, then a tenth a week in whole weeks; from 0.9 up half.
FADING = [
    (0.7, 30, 0.7, MemoryState.ACTIVE),
    (0.7, 36, 0.7, MemoryState.ACTIVE),
    (0.7, 37, 0.6, MemoryState.ACTIVE),
    (0.7, 44, 0.5, MemoryState.ACTIVE),
    (0.7, 51, 0.4, MemoryState.ACTIVE),
    (0.7, 58, 0.3, MemoryState.ACTIVE),
    (0.7, 65, 0.2, MemoryState.INACTIVE),
    (0.7, 79, 0.0, MemoryState.INACTIVE),
    (0.8, 37, 0.7, MemoryState.ACTIVE),
    (0.9, 37, 0.85, MemoryState.ACTIVE),
    (0.9, 44, 0.75, MemoryState.ACTIVE),
    (1.0, 37, 0.95, MemoryState.ACTIVE),
    (1.0, 51, 0.85, MemoryState.ACTIVE),
    (1.0, 58, 0.75, MemoryState.ACTIVE),
]


@pytest.mark.parametrize(("start", "days", "left", "state"), FADING)
@pytest.mark.parametrize("runs_a_day", [0, 1, 24])
def test_time_takes_the_same_however_often_runs_start(
    stage: Stage, start: float, days: int, left: float, state: MemoryState, runs_a_day: int
) -> None:
    for _ in range(round((start - 0.7) / 0.1) + 1):
        emit(stage, SLOW)
    # Nobody jumps over a month at once: a clock that does is doubted.
    step = timedelta(days=20) if runs_a_day == 0 else timedelta(days=1) / runs_a_day
    end = stage.clock.at + timedelta(days=days)
    while stage.clock.at < end:
        stage.clock.at = min(end, stage.clock.at + step)
        stage.memory.operations.age_memories()
    memory = the_memory(stage)
    assert (memory.confidence, memory.state) == (left, state)


def test_a_memory_of_31_days_is_whole_after_five_hourly_runs(stage: Stage) -> None:
    emit(stage, SLOW)
    stage.clock.pass_(days=15)
    stage.memory.operations.age_memories()
    stage.clock.pass_(days=16)
    for _ in range(5):
        emit(stage)
        stage.clock.pass_(hours=1)
    assert the_memory(stage).confidence == 0.7


def test_reinforcement_after_decay_starts_from_what_is_left_and_ends_the_decay(stage: Stage) -> None:
    emit(stage, SLOW)
    for _ in range(2):
        stage.clock.pass_(days=22)
        stage.memory.operations.age_memories()
    assert the_memory(stage).confidence == 0.5
    emit(stage, SLOW)
    assert the_memory(stage).confidence == 0.6
    stage.clock.pass_(days=30)
    emit(stage)
    assert the_memory(stage).confidence == 0.6


def test_what_fades_is_retired_with_an_event_and_no_longer_told(stage: Stage) -> None:
    emit(stage, SLOW)
    for _ in range(2):
        stage.clock.pass_(days=22)
        emit(stage)
    stage.clock.pass_(days=22)
    emit(stage)
    emit(stage)
    assert the_memory(stage).state is MemoryState.INACTIVE
    assert "Takes 60s" not in stage.given()[0]["system"]
    assert [message for message in stage.messages(type_="memory") if "retired" in message] == [
        "Memory retired at 0.20: [timing:jellyfin] Takes 60s to start after a restart"
    ]


def test_a_pinned_memory_does_not_fade(stage: Stage) -> None:
    with as_operator(stage) as operator:
        operator.remember("Backups run on Sundays", kind="maintenance", pinned=True)
    for _ in range(20):
        stage.clock.pass_(days=20)
        stage.memory.operations.age_memories()
    assert the_memory(stage).confidence == 0.7


def test_the_operators_part_of_the_state_machine(stage: Stage) -> None:
    emit(stage, SLOW)
    with as_operator(stage) as operator:
        memory_id = the_memory(stage).id
        edited = operator.edit(memory_id, text="Takes 90s to start after a restart", confidence=0.95)
        assert (edited.confidence, edited.trust.verified) == (0.95, True)
        sleeping = operator.edit(memory_id, state="inactive")
        assert sleeping.state is MemoryState.INACTIVE
        emit(stage)
        assert "Takes 90s" not in stage.given()[0]["system"]
        (woken,) = operator.upkeep.revive(memory_id)
        assert (woken.state, woken.confidence) == (MemoryState.ACTIVE, 0.95)
        emit(stage)
        assert "(confidence: 0.95)" in stage.given()[0]["system"]
        operator.purge(memory_id)
    assert stage.memory.operations.list_memories(list(MemoryState)) == []


def test_what_is_woken_from_below_comes_back_at_three_tenths(stage: Stage) -> None:
    emit(stage, SLOW)
    for _ in range(4):
        stage.clock.pass_(days=20)
        stage.memory.operations.age_memories()
    with as_operator(stage) as operator:
        (woken,) = operator.upkeep.revive(the_memory(stage).id)
    assert (woken.state, woken.confidence) == (MemoryState.ACTIVE, 0.3)


def test_what_an_operator_says_bears_their_name_and_what_an_agent_says_does_not(stage: Stage) -> None:
    with as_operator(stage) as operator:
        operator.remember("Start it after WireGuard", kind="dependency", about=["service:caddy"])
    memory = the_memory(stage)
    assert (memory.provenance.channel, memory.provenance.source) == (Channel.OPERATOR, Source.USER_TAUGHT)


def test_memories_of_runs_survive_export_and_import(stage: Stage) -> None:
    emit(stage, SLOW)
    with as_operator(stage) as operator:
        lines = list(operator.admin.export())
        operator.purge(the_memory(stage).id)
        operator.admin.import_memories(lambda: iter([json.dumps(line) for line in lines]), mine=True)
    memory = the_memory(stage)
    assert (memory.confidence, str(memory.subjects[0])) == (0.7, "service:jellyfin")
    assert memory.provenance.session_id
