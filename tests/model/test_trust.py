"""Who may speak when: the table of the design, row by row."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.phase import Phase
from recollect.model.policy import NARROWED_AT, SILENT_AT
from recollect.model.provenance import SOURCE_OF_CHANNEL, Channel, Provenance, Source
from recollect.model.scope import parse_workref
from recollect.model.trust import (
    LADDER,
    ORIGIN_OF_CHANNEL,
    Moment,
    Origin,
    Review,
    find_confirming_rule,
    find_standing,
    is_less_trusted,
    is_person,
    is_trusted,
    is_typed,
    least_trusted,
    may_answer,
    may_speak,
    origin_of,
)
from tests.builders import a_memory

ACTIVE, QUARANTINED = MemoryState.ACTIVE, MemoryState.QUARANTINED


def said(
    channel: Channel, *, source: Source | None = None, events: tuple[str, ...] = (), **details: Any
) -> Memory:
    provenance = Provenance(channel=channel, source=source or SOURCE_OF_CHANNEL[channel], event_ids=events)
    return a_memory(provenance=provenance, **details)


def validated(**details: Any) -> Memory:
    return said(Channel.AGENT, events=("e1",), work=parse_workref("native:spec_1"), **details)


# Origin, an example, state at birth, label; brief and prompt: allowed, above the bar, mark; tool result: fresh, after
# two sessions; review.
ROWS = [
    (Origin.PERSON, said(Channel.USER), ACTIVE, False, True, False, "", True, True, Review.NONE),
    (Origin.PERSON, said(Channel.OPERATOR), ACTIVE, False, True, False, "", True, True, Review.NONE),
    (Origin.PERSON, said(Channel.VAULT), ACTIVE, False, True, False, "", True, True, Review.NONE),
    (
        *(Origin.PERSON, said(Channel.READ, trust=Trust(verified=True)), ACTIVE, False),
        *(True, False, "", True, True, Review.NONE),
    ),
    (Origin.VALIDATED, validated(), ACTIVE, False, True, True, "", False, True, Review.AUTO),
    (
        Origin.OBSERVED,
        said(Channel.OBSERVED),
        ACTIVE,
        True,
        True,
        True,
        "observed",
        False,
        True,
        Review.WANTED,
    ),
    (Origin.OBSERVED, said(Channel.COMMIT), ACTIVE, True, True, True, "observed", False, True, Review.WANTED),
    (Origin.REPORT, said(Channel.QA), ACTIVE, True, "validate", True, "", False, True, Review.WANTED),
    (
        *(Origin.REPORT, said(Channel.OBSERVED, source=Source.MCP_AUTO), ACTIVE, True),
        *("validate", True, "", False, True, Review.WANTED),
    ),
    (Origin.NOTE, said(Channel.AGENT), ACTIVE, False, False, False, "", False, False, Review.AUTO),
    (
        *(Origin.NOTE, said(Channel.AGENT, work=parse_workref("native:spec_1")), ACTIVE, False),
        *(False, False, "", False, False, Review.AUTO),
    ),
    (Origin.BROUGHT, said(Channel.IMPORT), ACTIVE, True, False, False, "", False, False, Review.BEFORE_USE),
    (Origin.BROUGHT, said(Channel.PLUGIN), ACTIVE, True, False, False, "", False, False, Review.BEFORE_USE),
    (
        Origin.BROUGHT,
        said(Channel.VAULT_EXTERNAL),
        ACTIVE,
        True,
        False,
        False,
        "",
        False,
        False,
        Review.BEFORE_USE,
    ),
    (
        *(Origin.UNSAID, said(Channel.AGENT, kind="preference", state=QUARANTINED), QUARANTINED, True),
        *(False, False, "", False, False, Review.BEFORE_USE),
    ),
    (
        *(Origin.READ, said(Channel.READ, state=QUARANTINED), QUARANTINED, True),
        *(False, False, "", False, False, Review.BEFORE_USE),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1].provenance.channel}")
def test_the_table(row: tuple[Any, ...]) -> None:
    origin, memory, state, label, brief, above_bar, mark, fresh, used, review = row
    assert origin_of(memory) is origin
    standing = find_standing(origin)
    assert (standing.state, standing.needs_review, standing.review) == (state, label, review)
    for moment in (Moment.BRIEF, Moment.PROMPT):
        for phase in (*Phase, None):
            verdict = may_speak(memory, moment, phase)
            assert verdict.allowed == (brief is True or phase == brief), (moment, phase, verdict)
            assert bool(verdict.why) != verdict.allowed
            if verdict.allowed:
                assert (verdict.above_bar, verdict.mark) == (above_bar, mark)
    borne_out = {times: _at_tool_result(memory, times) for times in (0, 1, 2)}
    assert borne_out == {0: fresh, 1: fresh, 2: used}


def _at_tool_result(memory: Memory, times: int) -> bool:
    # However often it was among the hits of a question: that proves nothing.
    sessions = tuple(f"s{number}" for number in range(times))
    return may_speak(replace(memory, access_count=9, sessions=sessions), Moment.TOOL_RESULT).allowed


@pytest.mark.parametrize("times", [1, 2])
def test_what_was_cited_twice_may_interrupt(times: int) -> None:
    assert may_speak(validated(useful=times), Moment.TOOL_RESULT).allowed is (times == 2)


def test_a_note_that_no_work_proved_speaks_in_scheduled_runs_alone_and_is_marked() -> None:
    verdicts = {moment: may_speak(said(Channel.AGENT, access_count=9), moment) for moment in Moment}
    assert {moment for moment, verdict in verdicts.items() if verdict.allowed} == {Moment.OPERATIONS}
    assert (verdicts[Moment.OPERATIONS].above_bar, verdicts[Moment.OPERATIONS].mark) == (True, "unproved")


def test_in_scheduled_runs_everything_else_stands_as_in_a_session() -> None:
    for row in LADDER:
        if row.origin is not Origin.NOTE:
            assert row.at(Moment.OPERATIONS) is row.at(Moment.BRIEF)


def test_every_origin_of_the_table_has_a_row_and_an_example() -> None:
    assert [row.origin for row in LADDER] == list(Origin)
    assert {row[0] for row in ROWS} == set(Origin)


def test_every_channel_has_an_origin() -> None:
    assert set(ORIGIN_OF_CHANNEL) == set(Channel)


@pytest.mark.parametrize("moment", Moment)
def test_a_yes_lets_anything_speak(moment: Moment) -> None:
    for channel in Channel:
        assert may_speak(said(channel, trust=Trust(verified=True)), moment, Phase.IMPLEMENT).allowed


@pytest.mark.parametrize("state", [state for state in MemoryState if state is not ACTIVE])
@pytest.mark.parametrize("moment", Moment)
def test_what_is_not_active_is_silent_whoever_said_it(state: MemoryState, moment: Moment) -> None:
    verdict = may_speak(said(Channel.USER, state=state, trust=Trust(verified=True), access_count=9), moment)
    assert not verdict.allowed
    assert verdict.why


def test_what_went_stale_is_silent() -> None:
    stale = said(Channel.USER, stale_at=datetime(2026, 5, 1, tzinfo=UTC))
    verdict = may_speak(stale, Moment.BRIEF)
    assert (verdict.allowed, verdict.why) == (False, "what it is about has changed")


@pytest.mark.parametrize(
    ("noise", "moment", "allowed", "why"),
    [
        (NARROWED_AT - 1, Moment.BRIEF, True, ""),
        (NARROWED_AT, Moment.BRIEF, False, "it speaks where its subject is opened or fails"),
        (NARROWED_AT, Moment.TOOL_RESULT, True, ""),
        (SILENT_AT, Moment.TOOL_RESULT, False, "it speaks when it is asked for"),
        (SILENT_AT, Moment.SAME_ERROR, False, "it speaks when it is asked for"),
    ],
)
def test_what_was_in_the_way_narrows_and_then_goes_silent(
    noise: int, moment: Moment, allowed: bool, why: str
) -> None:
    verdict = may_speak(said(Channel.USER, noise=noise), moment)
    assert verdict.allowed is allowed
    assert verdict.why == (f"it was in the way {noise} times more often than useful: {why}" if why else "")
    assert may_speak(said(Channel.USER, noise=noise, useful=noise), moment).allowed
    assert may_speak(said(Channel.USER, noise=noise, pinned=True), moment).allowed


def test_what_a_person_typed_is_theirs_and_what_they_said_yes_to_is_not() -> None:
    assert is_typed(said(Channel.USER))
    assert not is_typed(said(Channel.OBSERVED, trust=Trust(verified=True)))


def test_the_rule_that_makes_a_review_needless_is_named() -> None:
    assert find_confirming_rule(said(Channel.READ, trust=Trust(verified=True))) == "a person stands by it"
    assert find_confirming_rule(said(Channel.COMMIT)) == "it notes a commit"


def test_the_reason_says_what_is_missing() -> None:
    assert may_speak(validated(sessions=("s1",)), Moment.TOOL_RESULT).why == (
        "it was borne out in 1 sessions; 2 are needed, or as many citations, or a person's yes"
    )
    assert may_speak(said(Channel.AGENT, access_count=9), Moment.PROMPT).why == (
        "no work proved it: it speaks when it is asked for, and in scheduled runs"
    )
    assert (
        may_speak(said(Channel.QA), Moment.BRIEF, Phase.IMPLEMENT).why
        == "it speaks only in the validate phase"
    )
    assert may_speak(said(Channel.IMPORT), Moment.BRIEF).why == "it waits for a person's yes"


def test_the_ladder_has_an_order() -> None:
    for higher, lower in pairwise(Origin):
        assert is_less_trusted(lower, higher)
        assert not is_less_trusted(higher, lower)
        assert least_trusted((higher, lower)) is lower
    assert least_trusted(Origin) is Origin.READ
    assert not is_less_trusted(Origin.NOTE, Origin.NOTE)


def test_a_person_and_validated_work_are_trusted_and_nothing_else() -> None:
    assert is_trusted(said(Channel.USER))
    assert is_trusted(validated())
    others = set(Channel) - {Channel.USER, Channel.OPERATOR, Channel.VAULT}
    assert not any(is_trusted(said(channel)) for channel in others)


def test_a_person_is_who_speaks_by_a_persons_way_and_not_as_an_agent() -> None:
    assert is_person("user", Channel.USER)
    assert is_person("alex", Channel.OPERATOR)
    assert not is_person("agent", Channel.USER)
    assert not is_person("user", Channel.AGENT)
    assert not is_person("user", Channel.IMPORT)


@pytest.mark.parametrize(
    ("memory", "confirmed"),
    [
        (said(Channel.OBSERVED, trust=Trust(verified=True, needs_review=True)), True),
        (said(Channel.COMMIT, trust=Trust(needs_review=True)), True),
        (said(Channel.OBSERVED, confidence=0.91, access_count=3), True),
        (said(Channel.OBSERVED, confidence=0.9, access_count=3), False),
        (said(Channel.OBSERVED, confidence=0.95, access_count=2), False),
        (said(Channel.QA, confidence=0.95, access_count=5), True),
        (said(Channel.IMPORT, confidence=1.0, access_count=99), False),
        (said(Channel.READ, confidence=1.0, access_count=99), False),
        (said(Channel.AGENT, confidence=1.0, access_count=99, state=QUARANTINED), False),
        (said(Channel.IMPORT, source=Source.COMMIT_AUTO), False),
    ],
)
def test_what_needs_no_review(memory: Memory, confirmed: bool) -> None:
    assert bool(find_confirming_rule(memory)) == confirmed


@pytest.mark.parametrize(
    ("noise", "useful", "speaking"),
    [
        (1, 0, {Moment.PROMPT, Moment.BRIEF, Moment.TOOL_RESULT, Moment.SAME_ERROR}),
        (2, 0, {Moment.TOOL_RESULT, Moment.SAME_ERROR}),
        (3, 2, {Moment.PROMPT, Moment.BRIEF, Moment.TOOL_RESULT, Moment.SAME_ERROR}),
        (4, 0, set()),
    ],
)
def test_what_is_in_the_way_is_told_at_fewer_moments_and_then_at_none(
    noise: int, useful: int, speaking: set[Moment]
) -> None:
    memory = a_memory("Deploys wait", noise=noise, useful=useful)
    moments = (Moment.PROMPT, Moment.BRIEF, Moment.TOOL_RESULT, Moment.SAME_ERROR)
    assert {moment for moment in moments if may_speak(memory, moment).allowed} == speaking
    assert may_speak(replace(memory, pinned=True), Moment.PROMPT).allowed
    assert may_answer(memory)
