"""A memory takes the place of an older one: one act, nothing half done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recollect import Recollect
from recollect.capture.change import retire_memory, supersede
from recollect.capture.intake import take_in
from recollect.capture.write_context import WriteContext, begin_act
from recollect.errors import OnlyAPerson
from recollect.model.memory import AlreadyKnown, Memory, MemoryState, Refused, RelationType, Remembered, Trust
from recollect.model.provenance import Channel, provenance_of
from recollect.store.tables import memories
from tests.builders import a_draft

OLD = "12 of 14 doors are red"
NEW = "30 of 31 doors are red"


@pytest.fixture
def door(memory: Recollect) -> WriteContext:
    """The door as the observer stands at it."""
    return replace(memory._wiring.write_context(), channel=Channel.OBSERVED)


def observed(text: str) -> object:
    return a_draft(text, kind="module_insight", provenance=provenance_of(Channel.OBSERVED))


def an_old_one(door: WriteContext) -> Memory:
    [answer] = take_in(door, begin_act(door, "scan", "observer"), [observed(OLD)])  # type: ignore[list-item]
    assert isinstance(answer, Remembered)
    return answer.memory


def test_the_new_one_says_what_it_supersedes_and_the_old_one_is_out_of_use(door: WriteContext) -> None:
    old = an_old_one(door)
    answer = supersede(door, begin_act(door, "scan", "observer"), old, observed(NEW))  # type: ignore[arg-type]
    assert isinstance(answer, Remembered)
    assert [(r.type, r.memory_id) for r in answer.memory.relations] == [(RelationType.SUPERSEDES, old.id)]
    assert answer.memory.state is MemoryState.ACTIVE
    assert memories.get_memory(door.db, old.id).state is MemoryState.INACTIVE


def test_both_are_one_act_that_can_be_taken_back(door: WriteContext, memory: Recollect) -> None:
    old = an_old_one(door)
    supersede(door, begin_act(door, "scan", "observer"), old, observed(NEW))  # type: ignore[arg-type]
    memory.undo()
    assert memory.show(old.id).state is MemoryState.ACTIVE
    assert [one.text for one in memory.list()] == [OLD]


def test_if_the_new_one_is_refused_the_old_one_stays(door: WriteContext) -> None:
    old = an_old_one(door)
    full = replace(door, most_notes=1)
    answer = supersede(full, begin_act(full, "scan", "observer"), old, observed(NEW))  # type: ignore[arg-type]
    assert isinstance(answer, Refused)
    assert memories.get_memory(door.db, old.id) == old


def test_what_a_person_said_can_be_retired_but_not_reworded_by_the_observer(door: WriteContext) -> None:
    old = an_old_one(door)
    act = begin_act(door, "scan", "observer")
    assert not act.by_person
    assert retire_memory(door, act, old).state is MemoryState.INACTIVE
    with pytest.raises(OnlyAPerson):
        take_in(door, act, [a_draft("x", trust=Trust(verified=True))])


def test_what_the_same_source_holds_apart_is_not_the_same_however_alike(door: WriteContext) -> None:
    old = an_old_one(door)
    act = begin_act(door, "scan", "observer")
    [answer] = take_in(door, act, [observed(OLD)])  # type: ignore[list-item]
    assert isinstance(answer, AlreadyKnown)
    [answer] = take_in(door, act, [observed(OLD)], unlike={old.id})  # type: ignore[list-item]
    assert isinstance(answer, Remembered)
