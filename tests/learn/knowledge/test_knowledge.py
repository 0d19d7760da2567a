"""Consolidation: counted insights, merged duplicates, folded episodes; never surer by repetition, never laundered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.learn.knowledge.fold import KEPT_EPISODES
from recollect.model.event import EventType
from recollect.model.memory import Memory, MemoryState, RelationType
from recollect.model.provenance import Channel
from recollect.model.query import Filters
from recollect.model.value import replace
from recollect.store.tables import memories as memory_rows
from recollect.store.tables import memory_writes
from tests.conftest import Clock
from tests.observe.acts import edit, green, red
from tests.observe.session_story import begin, go_on, tell

AUTH = "src/auth/user.py"


@pytest.fixture
def memory(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recollect]:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, clock=clock) as opened:
        yield opened


def everything(memory: Recollect) -> list[Memory]:
    filters = Filters(every_project=True, states=tuple(MemoryState))
    return memory_rows.list_memories(memory._wiring.db, filters, limit=1_000)


def fail_in_auth(memory: Recollect, clock: Clock, *names: str) -> None:
    line = "src/auth/user.py:41: error: Item None has no attribute email [union-attr]"
    for name in names:
        tell(memory, clock, name, edit(AUTH), red("mypy src", line=line), edit(AUTH), green("mypy src"))
    memory.observer.learn_due()


def test_repeated_failures_in_a_module_become_an_insight_that_counts_them(
    memory: Recollect, clock: Clock
) -> None:
    fail_in_auth(memory, clock, "s1", "s2")
    assert not [one for one in memory.learning.knowledge() if one.act == "new"]
    fail_in_auth(memory, clock, "s3")
    [proposal] = [one for one in memory.learning.knowledge() if one.act == "new"]
    assert proposal.text == (
        "Work in src/auth met 3 failed checks in 3 sessions; most often `mypy` failed (3 times);"
        " a change in src/auth/user.py ended it 3 times."
    )
    assert len(proposal.evidence) == 3
    insight = memory.show(proposal.memory_id)
    assert (insight.kind, insight.trust.needs_review) == ("module_insight", True)
    assert memory.learning.knowledge() == []
    fail_in_auth(memory, clock, "s4")
    [again] = memory.learning.knowledge()
    assert (again.act, again.memory_id) == ("count", proposal.memory_id)
    assert "4 failed checks in 4 sessions" in memory.show(proposal.memory_id).text


def test_what_a_person_put_away_or_stands_by_is_not_counted_over(memory: Recollect, clock: Clock) -> None:
    fail_in_auth(memory, clock, "s1", "s2", "s3")
    [proposal] = [one for one in memory.learning.knowledge() if one.act == "new"]
    memory.forget(proposal.memory_id)
    fail_in_auth(memory, clock, "s4")
    assert memory.learning.knowledge() == []


def test_runs_that_note_things_of_a_service_are_counted_without_their_words(
    memory: Recollect, clock: Clock
) -> None:
    texts = (
        "caddy took nine seconds to start",
        "caddy was restarted by hand",
        "caddy needs its cache warmed",
    )
    kinds = ("timing", "remediation", "remediation")
    for number, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        memory.remember(
            text, kind=kind, about=["service:caddy"], session=f"run{number}", channel=Channel.AGENT
        )
    [proposal] = memory.learning.knowledge()
    assert proposal.text.startswith("Of the service caddy, 3 runs noted remedies 2 times and timing 1 times")
    assert not any(text in proposal.text for text in texts)
    derived = [one.memory_id for one in memory.show(proposal.memory_id).relations]
    assert len(derived) == 3


def duplicate(memory: Recollect, text: str, **details: Any) -> tuple[Memory, Memory]:
    """Two memories with the same words, as a copy of a store may bring them: the door would not let the second in."""
    first = memory.remember(text, **details).memory
    second = memory.remember("The release notes are written on Fridays", **details).memory
    db = memory._wiring.db
    with db.transaction():
        memory_writes.update_memory(db, memory_rows.get_num(db, second.id), replace(second, text=text))
    return memory.show(first.id), memory.show(second.id)


def test_memories_that_say_the_same_are_merged_and_nothing_becomes_surer(memory: Recollect) -> None:
    first, second = duplicate(memory, "Deploys wait for the smoke test in staging")
    [planned] = memory.learning.knowledge(dry_run=True)
    assert (planned.act, memory.show(second.id).state) == ("merge", MemoryState.ACTIVE)
    [proposal] = memory.learning.knowledge()
    assert proposal.act == "merge"
    kept, dropped = memory.show(first.id), memory.show(second.id)
    assert (kept.state, dropped.state) == (MemoryState.ACTIVE, MemoryState.ARCHIVED)
    assert [(one.type, one.memory_id) for one in kept.relations] == [(RelationType.DERIVED_FROM, second.id)]
    assert (kept.text, kept.confidence, kept.trust) == (first.text, first.confidence, first.trust)
    assert memory.learning.knowledge() == []


def test_an_agents_copy_of_a_persons_words_goes_and_the_persons_stays(memory: Recollect) -> None:
    typed = memory.remember("Deploys wait for the smoke test in staging").memory
    _, copied = duplicate(memory, "Deploys wait for a smoke test", channel=Channel.AGENT, session="s9")
    db = memory._wiring.db
    with db.transaction():
        num = memory_rows.get_num(db, copied.id)
        memory_writes.update_memory(db, num, replace(copied, text=typed.text))
    memory.learning.knowledge()
    assert memory.show(typed.id).state is MemoryState.ACTIVE
    assert memory.show(typed.id).provenance.channel is Channel.USER
    assert memory.show(copied.id).state is MemoryState.ARCHIVED


def outcome(memory: Recollect, number: int, **fields: object) -> None:
    told = {"succeeded": True, "files_modified": [f"src/part{number % 2}/x.py"], **fields}
    text = f"Run: task number {number} of the batch — completed"
    memory.remember(
        text, kind="work_unit_outcome", fields=told, session=f"r{number}", channel=Channel.OBSERVED
    )


def test_old_outcomes_are_folded_into_counts_by_month(memory: Recollect, clock: Clock) -> None:
    for number in range(4):
        outcome(memory, number, succeeded=number > 0, retry_count=number % 2)
    clock.pass_(days=91)
    outcome(memory, 9)
    [proposal] = memory.learning.knowledge()
    assert proposal.act == "fold"
    pattern = memory.show(proposal.memory_id)
    assert "4 pieces of work came to an end, 3 of them well, 2 only after a retry" in pattern.text
    left = [one for one in everything(memory) if one.kind == "work_unit_outcome"]
    assert sorted(str(one.state) for one in left) == ["active", *["archived"] * 4]
    assert memory.learning.knowledge() == []


def test_outcomes_beyond_the_newest_two_hundred_are_folded(memory: Recollect, clock: Clock) -> None:
    for number in range(KEPT_EPISODES + 2):
        outcome(memory, number)
        clock.pass_(minutes=1)
    [proposal] = memory.learning.knowledge()
    assert "2 pieces of work" in proposal.text
    active = [one for one in everything(memory) if one.kind == "work_unit_outcome" and one.state == "active"]
    assert len(active) == KEPT_EPISODES


def test_contradictions_are_named_with_the_way_to_settle_them(memory: Recollect) -> None:
    memory.remember("The nightly job runs at 02:00", about=["service:nightly"])
    memory.remember(
        "The nightly job runs at 04:00", about=["service:nightly"], channel=Channel.AGENT, session="s1"
    )
    conflicts = [one for one in memory.learning.knowledge() if one.act == "conflict"]
    if not memory.upkeep.conflicts():
        pytest.skip("the bundled model does not see these two as a contradiction")
    [conflict] = conflicts
    assert "recollect settle" in conflict.why


def test_five_forced_consolidations_of_a_memory_that_repeats_itself_change_nothing(
    memory: Recollect, clock: Clock
) -> None:
    text = "Payments are retried three times. Payments are retried three times. Payments are retried three times."
    memory.remember(text, channel=Channel.AGENT, session="s0")
    for number in range(3):
        session, words = f"s{number}", f"As memory says: {text}"
        begin(memory, session)
        memory.observer.record(EventType.ASSISTANT_TEXT, session=session, text=words)
        go_on(memory, clock, session, edit("src/pay.py"), green())
        memory.observer.note(words, session=session)
        memory.observer.record(EventType.SESSION_ENDED, session=session)
        clock.pass_(hours=1)
    memory.observer.learn_due()
    memory.learning.run()
    before = [(one.id, one.text, one.confidence, one.state, one.access_count) for one in everything(memory)]
    for _ in range(5):
        clock.pass_(hours=5)
        assert [one for one in memory.learning.run() if one.act != "conflict"] == []
    assert [
        (one.id, one.text, one.confidence, one.state, one.access_count) for one in everything(memory)
    ] == before


def test_it_is_due_after_four_hours_and_not_before(memory: Recollect, clock: Clock) -> None:
    assert memory.learning.is_due()
    memory.learning.run_due()
    clock.pass_(hours=3, minutes=59)
    assert not memory.learning.is_due()
    clock.pass_(minutes=1)
    assert memory.learning.is_due()
