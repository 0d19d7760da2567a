"""Why a memory stays silent: each reason, with what would change it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.inject.assemble import LeftOut
from recollect.inject.silence import (
    ALREADY_TOLD,
    explain_at_file,
    explain_at_prompt,
    explain_left_out,
    explain_standing,
    is_about,
)
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.provenance import SOURCE_OF_CHANNEL, Channel, Provenance
from recollect.model.silence import SilenceReason
from recollect.model.subject import parse_subjects
from recollect.model.trust import Moment
from tests.builders import a_memory

CART = "src/cart.py"
BY_NAME = "name the file or thing it is about, or ask: recollect recall"


def note(
    channel: Channel = Channel.USER, *, about: tuple[str, ...] = (f"file:{CART}",), **parts: Any
) -> Memory:
    provenance = Provenance(channel=channel, source=SOURCE_OF_CHANNEL[channel])
    return a_memory(provenance=provenance, subjects=parse_subjects(about), **parts)


def at_file(memory: Memory, file: str = CART, *, already: tuple[str, ...] = ()) -> SilenceReason | None:
    return explain_at_file(memory, file, already, memory.project_id)


def test_what_belongs_to_another_project_is_silent_here() -> None:
    theirs = note(project_id="p1")
    assert explain_standing(theirs, Moment.PROMPT, "p2") == SilenceReason(
        why="it belongs to another project", remedy="recollect projects"
    )
    assert explain_standing(theirs, Moment.PROMPT, "p1") is None
    assert explain_standing(note(project_id=None), Moment.PROMPT, "p2") is None


@pytest.mark.parametrize(
    ("parts", "why", "remedy"),
    [
        (
            {"state": MemoryState.INACTIVE},
            "it is inactive",
            "recollect history {id}, then recollect revive {id}",
        ),
        (
            {"state": MemoryState.ARCHIVED},
            "it was forgotten",
            "recollect history {id}, then recollect revive {id}",
        ),
        ({"state": MemoryState.QUARANTINED}, "it waits for a person's yes", "recollect review confirm {id}"),
        (
            {"stale_at": datetime(2026, 5, 1, tzinfo=UTC)},
            "what it is about has changed",
            "recollect show {id}, then recollect edit or recollect review confirm {id}",
        ),
    ],
)
def test_what_may_not_speak_at_all_says_why_and_what_helps(
    parts: dict[str, Any], why: str, remedy: str
) -> None:
    memory = note(**parts)
    expected = SilenceReason(why=why, remedy=remedy.format(id=memory.id))
    assert explain_standing(memory, Moment.PROMPT, None) == expected
    assert at_file(memory) == expected
    assert explain_at_prompt(memory, {}, memory.project_id) == expected


def test_what_the_prompt_does_not_come_near_is_told_by_name_alone() -> None:
    memory = note()
    assert explain_at_prompt(memory, {}, memory.project_id) == SilenceReason(
        why="the prompt names nothing it is about, and it is not among what fits the prompt best",
        remedy=BY_NAME,
    )


@pytest.mark.parametrize(
    ("why", "remedy"), [("0.31 is below the bar of 0.40", BY_NAME), ("the budget is full", "")]
)
def test_a_candidate_that_was_left_out_says_its_own_reason(why: str, remedy: str) -> None:
    memory = note()
    candidate = LeftOut(slot="s", memory_id=memory.id, why=why)
    expected = SilenceReason(why=why, remedy=remedy)
    assert explain_left_out(memory, candidate) == expected
    assert explain_at_prompt(memory, {memory.id: candidate}, memory.project_id) == expected


def test_a_candidate_that_may_not_speak_is_helped_by_a_yes() -> None:
    memory = note(Channel.AGENT)
    candidate = LeftOut(slot="s", memory_id=memory.id, why="no work proved it")
    assert explain_left_out(memory, candidate).remedy == f"recollect review confirm {memory.id}"


def test_at_a_file_it_was_told_already_comes_first() -> None:
    memory = note(kind="gotcha")
    assert at_file(memory) is None
    assert at_file(memory, already=(memory.id,)) == ALREADY_TOLD
    assert (
        SilenceReason(why="it was told in this session already, and is told once", remedy="recollect why")
        == ALREADY_TOLD
    )


def test_at_a_file_what_is_about_another_one_is_silent() -> None:
    memory = note(kind="gotcha")
    assert at_file(memory, "src/tax.py") == SilenceReason(
        why="it is not about src/tax.py", remedy=f"recollect edit {memory.id} --about src/tax.py"
    )


def test_at_a_file_a_kind_that_is_not_told_there_says_so() -> None:
    assert at_file(note(kind="work_state")) == SilenceReason(
        why="a work_state is not told when a file is opened"
    )
    assert at_file(note(kind="decision")) is None
    observed = note(Channel.OBSERVED, kind="decision", sessions=("s1", "s2"))
    assert at_file(observed) == SilenceReason(why="a decision is not told when a file is opened")
    assert at_file(note(Channel.OBSERVED, kind="decision", trust=Trust(verified=True))) is None


def test_at_a_file_what_is_not_sure_enough_says_how_sure_it_is() -> None:
    unsure = note(kind="gotcha", confidence=0.64)
    assert at_file(unsure) == SilenceReason(
        why="confidence 0.64 is below 0.65", remedy=f"recollect review confirm {unsure.id}"
    )
    assert at_file(note(kind="gotcha", confidence=0.65)) is None
    assert at_file(note(kind="decision", confidence=0.4)) is None, "a person's decision needs no confidence"


def test_a_memory_is_about_its_file_and_about_what_stands_in_it() -> None:
    assert is_about(note(), CART)
    assert is_about(note(about=(f"symbol:{CART}::total",)), CART)
    assert not is_about(note(about=("module:cart",)), CART)
    assert not is_about(note(about=(f"service:{CART}",)), CART)
    assert not is_about(note(about=()), CART)
