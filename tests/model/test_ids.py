"""Ids sort by time and never go back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.api.wiring import Ids
from recollect.model.ids import (
    CHANCE_BITS,
    ID_LENGTH,
    SHORT_LENGTH,
    looks_like_id,
    make_id,
    make_id_after,
    next_id,
)

# The strategy wants its bounds without a zone.
MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 2),  # noqa: DTZ001
    max_value=datetime(9998, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
CHANCE = st.integers(0, 2**CHANCE_BITS - 1)


@given(MOMENTS, st.integers(1, 10**10), CHANCE, CHANCE)
def test_what_came_a_millisecond_later_sorts_later(at: datetime, later: int, one: int, other: int) -> None:
    whole = at.replace(microsecond=at.microsecond // 1000 * 1000)
    assert make_id(whole, one) < make_id(whole + timedelta(milliseconds=later), other)


@given(MOMENTS, CHANCE)
def test_an_id_is_26_characters_of_crockfords_alphabet(at: datetime, chance: int) -> None:
    made = make_id(at, chance)
    assert len(made) == ID_LENGTH
    assert looks_like_id(made)
    assert not set("ILOU") & set(made)


@given(MOMENTS, CHANCE)
def test_the_next_id_is_after_it_and_other_in_what_is_shown_of_it(at: datetime, chance: int) -> None:
    made = make_id(at, chance)
    assert next_id(made)[:SHORT_LENGTH] > made[:SHORT_LENGTH]


def test_a_thousand_ids_of_one_moment_can_be_told_apart_by_what_is_shown() -> None:
    ids = Ids(lambda: "")
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    assert len({ids(moment)[:SHORT_LENGTH] for _ in range(1000)}) == 1000


@given(MOMENTS, CHANCE, CHANCE)
def test_chance_tells_apart_what_shares_the_millisecond(at: datetime, one: int, other: int) -> None:
    assert (make_id(at, one) == make_id(at, other)) == (one == other)


@given(st.lists(MOMENTS, min_size=2, max_size=50))
def test_ids_never_go_back_even_when_the_clock_does(moments: list[datetime]) -> None:
    ids = Ids(lambda: "")
    made = [ids(at) for at in moments]
    assert made == sorted(set(made))


@given(MOMENTS, MOMENTS, CHANCE, CHANCE)
def test_an_id_sorts_after_that_of_another_process_whatever_the_clock_says(
    then: datetime, now: datetime, one: int, other: int
) -> None:
    last = make_id(then, one)
    made = make_id_after(last, now, other)
    assert made > last
    assert len(made) == ID_LENGTH
    # Two that follow the same id do not meet.
    assert make_id_after(last, now, other ^ 1) != made


def test_an_id_from_no_year_at_all_is_not_followed() -> None:
    now = datetime(2026, 5, 8, tzinfo=UTC)
    assert make_id_after("7" + "Z" * 25, now, 5) == make_id(now, 5)


def test_the_zone_does_not_count() -> None:
    at = datetime(2026, 5, 8, 12, tzinfo=UTC)
    assert make_id(at, 5) == make_id(at.astimezone(timezone(timedelta(hours=9))), 5)


def test_a_moment_before_1970_is_taken_as_1970() -> None:
    assert make_id(datetime(1960, 1, 1, tzinfo=UTC), 0) == "0" * ID_LENGTH


def test_a_known_id() -> None:
    assert make_id(datetime(2016, 7, 30, 22, 36, 16, 385000, tzinfo=UTC), 0)[:10] == "01ARYZ6S41"


@pytest.mark.parametrize(
    ("text", "could_be"),
    [
        ("01ARYZ6S41", True),
        ("01aryz6s41", True),
        ("0", True),
        ("", False),
        ("0" * 26, True),
        ("0" * 27, False),
        ("O1", False),
        ("01-2", False),
        ("ß", False),
        ("ſ", False),
        ("١", False),
    ],
)
def test_what_could_be_an_id_or_its_beginning(text: str, could_be: bool) -> None:
    assert looks_like_id(text) is could_be
