"""Drafts refuse what cannot be kept; citations are short."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import BadInput, EmptyMemory, TextTooLong
from recollect.model.memory import CITATION_LENGTH, MAX_LIST, MAX_TAG, MAX_TEXT, MemoryState, make_citation
from recollect.model.provenance import SOURCE_OF_CHANNEL, Channel, Source, provenance_of
from recollect.model.query import MAX_LIMIT, Filters, Query
from recollect.model.subject import Subject
from tests.builders import NOON, a_draft, a_memory


def test_values_are_frozen() -> None:
    for value in (a_draft(), a_memory()):
        with pytest.raises(FrozenInstanceError):
            value.text = "other"  # type: ignore[misc]


def test_the_states_are_those_of_the_design() -> None:
    assert [str(state) for state in MemoryState] == [
        "candidate",
        "active",
        "quarantined",
        "inactive",
        "archived",
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_a_text_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(EmptyMemory, match="Give at least one word"):
        a_draft(text)


def test_a_text_has_a_greatest_length() -> None:
    assert a_draft("x" * MAX_TEXT)
    with pytest.raises(TextTooLong, match="The text has 64,001 characters; at most 64,000 are kept"):
        a_draft("x" * (MAX_TEXT + 1))


@pytest.mark.parametrize(
    ("details", "why"),
    [
        ({"confidence": 1.1}, "the confidence is between 0 and 1, not 1.1"),
        ({"confidence": -0.1}, "between 0 and 1"),
        ({"confidence": float("nan")}, "between 0 and 1"),
        ({"half_life_days": 0}, "more than 0 days"),
        ({"half_life_days": float("nan")}, "more than 0 days"),
        ({"tags": ("",)}, "a tag is empty"),
        ({"tags": ("x" * (MAX_TAG + 1),)}, "The tag has 201 characters"),
        ({"tags": tuple(map(str, range(MAX_LIST + 1)))}, "at most 256 tags"),
        ({"subjects": tuple(Subject("file", str(n)) for n in range(MAX_LIST + 1))}, "at most 256 things"),
        ({"happened_at": datetime(2026, 1, 1)}, "must say its zone"),  # noqa: DTZ001
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_reason(details: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        a_draft(**details)


@pytest.mark.parametrize(("year", "month", "day", "hours"), [(1, 1, 1, 14), (9999, 12, 31, -24 + 0.5)])
def test_a_moment_outside_the_calendar_is_refused(year: int, month: int, day: int, hours: float) -> None:
    """Stored in UTC it would have no date, and no list could be shown any more."""
    zone = timezone(timedelta(hours=hours))
    with pytest.raises(BadInput, match="the years 1 to 9999"):
        a_draft(happened_at=datetime(year, month, day, 12, tzinfo=zone))
    assert a_draft(happened_at=datetime(year, month, day, 12, tzinfo=UTC))


@given(st.text(min_size=1, max_size=400).filter(str.strip))
def test_a_citation_is_one_short_line(text: str) -> None:
    citation = make_citation(text)
    assert len(citation) <= CITATION_LENGTH
    assert "\n" not in citation
    assert citation.removesuffix("…") in text


def test_a_citation_ends_at_a_word() -> None:
    assert make_citation("Short.\nMore.") == "Short."
    assert make_citation("word " * 30) == ("word " * 15).strip() + "…"


def test_every_channel_has_a_source() -> None:
    assert set(SOURCE_OF_CHANNEL) == set(Channel)
    assert provenance_of(Channel.READ, session_id="s").source is Source.OBSERVER_INFERRED


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1])
def test_a_question_asks_for_a_sensible_number(limit: int) -> None:
    with pytest.raises(BadInput, match=f"a limit is between 1 and {MAX_LIMIT}"):
        Query(text="x", limit=limit)


def test_a_question_looks_at_one_session_at_least() -> None:
    with pytest.raises(BadInput, match="at least 1, not 0"):
        Query(text="x", recent_sessions=0)


def test_a_filter_knows_which_way_time_runs() -> None:
    with pytest.raises(BadInput, match="the time runs backwards"):
        Filters(since=NOON, until=NOON - timedelta(seconds=1))
    with pytest.raises(BadInput, match="lowest confidence"):
        Filters(min_confidence=2)
