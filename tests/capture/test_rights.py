"""An agent proposes and flags; it never confirms, pins, wakes or raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory, Recollect
from recollect.errors import NothingToUndo, OnlyAPerson
from recollect.model.memory import MemoryState, Trust
from recollect.model.provenance import Channel
from tests.builders import an_engine
from tests.capture.test_standing import PAGE, kept, read


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Recollect]:
    with an_engine(tmp_path / "m.db") as opened:
        yield opened


@pytest.fixture
def agent(person: Recollect, tmp_path: Path) -> Iterator[Recollect]:
    with an_engine(tmp_path / "m.db", actor="agent", channel=Channel.AGENT) as opened:
        yield opened


FORBIDDEN: dict[str, Callable[[Recollect, Memory], object]] = {
    "pin": lambda memory, item: memory.pin(item.id),
    "confirm": lambda memory, item: memory.reviews.confirm(item.id),
    "correct": lambda memory, item: memory.reviews.correct(item.id, "outdated"),
    "correct with words": lambda memory, item: memory.reviews.correct(item.id, "inaccurate", text="Other"),
    "reject": lambda memory, item: memory.reviews.reject(item.id),
    "wake": lambda memory, item: memory.edit(item.id, state="active"),
    "verify": lambda memory, item: memory.edit(item.id, verified=True),
    "unlabel": lambda memory, item: memory.edit(item.id, needs_review=False),
    "raise": lambda memory, item: memory.edit(item.id, confidence=1.0),
    "undo": lambda memory, item: memory.undo(item.id),
}


@pytest.mark.parametrize("act", FORBIDDEN)
def test_an_agent_may_not(person: Recollect, agent: Recollect, act: str) -> None:
    item = kept(person, "Set aside by a person", channel=Channel.READ)
    story = person.history(item.id)
    with pytest.raises(OnlyAPerson) as refused:
        FORBIDDEN[act](agent, item)
    assert str(refused.value).startswith("Only a person may ")
    assert refused.value.fix == "recollect review"
    assert person.show(item.id) == item
    assert person.history(item.id) == story
    if act != "undo":
        FORBIDDEN[act](person, item)


@pytest.mark.parametrize(
    "changes", [{"text": "x"}, {"kind": "decision"}, {"scope": "module"}, {"citation": "y"}]
)
def test_an_agent_does_not_put_words_into_a_persons_mouth(
    person: Recollect, agent: Recollect, changes: dict[str, Any]
) -> None:
    typed = kept(person, "Typed by a person")
    noted = kept(agent, "Noted by the agent")
    person.reviews.confirm(noted.id)
    for item in (typed, noted):
        before = person.show(item.id)
        with pytest.raises(OnlyAPerson, match="change what a person said or confirmed"):
            agent.edit(item.id, **changes)
        assert person.show(item.id) == before


def test_a_name_alone_does_not_make_a_person(tmp_path: Path, person: Recollect) -> None:
    item = kept(person, "Something")
    for how in ({"actor": "user", "channel": Channel.AGENT}, {"actor": "agent", "channel": Channel.USER}):
        with an_engine(tmp_path / "m.db", **how) as other, pytest.raises(OnlyAPerson):
            other.pin(item.id)


def test_an_agent_may_change_lower_and_forget_its_own_and_flag_anything(
    person: Recollect, agent: Recollect
) -> None:
    own, typed = kept(agent, "Noted by the agent"), kept(person, "Typed by a person")
    assert agent.edit(own.id, text="Noted anew", tags=["x"]).text == "Noted anew"
    assert agent.edit(own.id, confidence=0.3).confidence == 0.3
    assert agent.reviews.flag(typed.id, why="it is wrong")[0].state is MemoryState.INACTIVE
    assert agent.forget(own.id)[0].state is MemoryState.ARCHIVED


def test_an_agent_takes_back_its_own_acts_and_no_others(person: Recollect, agent: Recollect) -> None:
    item = kept(person, "Typed by a person")
    agent.reviews.flag(item.id)
    assert agent.undo(item.id).memories[0].state is MemoryState.ACTIVE
    person.reviews.flag(item.id)
    for which in (item.id, None):
        with pytest.raises(OnlyAPerson, match="take back what user did"):
            agent.undo(which)
    assert person.undo().memories[0].state is MemoryState.ACTIVE
    fresh = kept(agent, "Noted by the agent")
    agent.undo()
    assert person.show(fresh.id).state is MemoryState.ARCHIVED
    with pytest.raises(NothingToUndo):
        agent.undo(fresh.id)


def test_a_note_edited_into_what_was_read_is_set_aside(agent: Recollect) -> None:
    read(agent, 1, PAGE)
    item = kept(agent, "The build is slow", session="s1")
    assert agent.edit(item.id, text=PAGE).state is MemoryState.QUARANTINED
    assert agent.show(item.id).trust.needs_review


def test_a_note_edited_into_a_wish_waits(agent: Recollect) -> None:
    item = kept(agent, "Acme is used", session="s1")
    changed = agent.edit(item.id, kind="preference")
    assert (changed.state, changed.trust) == (MemoryState.QUARANTINED, Trust(needs_review=True))


def test_a_persons_own_words_are_a_yes(person: Recollect) -> None:
    waits = kept(person, "Read somewhere", channel=Channel.READ)
    tagged = person.edit(waits.id, tags=["looked-at"])
    assert (tagged.state, tagged.trust.verified) == (MemoryState.QUARANTINED, False)
    edited = person.edit(waits.id, text="The mirror is slow")
    assert (edited.state, edited.trust) == (MemoryState.ACTIVE, Trust(verified=True))
    person.undo()
    assert person.show(waits.id).state is MemoryState.QUARANTINED
    hidden = person.edit(waits.id, text="The mirror is slow" + "\u200b" * 12)
    assert hidden.state is MemoryState.QUARANTINED
