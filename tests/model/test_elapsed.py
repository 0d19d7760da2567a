"""Time is believed as far as the store has seen it pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.elapsed import DAYS_TO_BELIEVE, LEAP, believed_now, elapsed_days

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
DAY = timedelta(days=1)
USED = [NOON - 3 * DAY, NOON - 2 * DAY, NOON - DAY]
MOMENTS = st.datetimes(timezones=st.just(UTC))


def test_an_ordinary_day_is_believed() -> None:
    assert believed_now(NOON, USED) == NOON


def test_a_store_that_was_never_used_believes_its_clock() -> None:
    assert believed_now(NOON, []) == NOON


def test_ten_years_at_once_are_not_believed() -> None:
    assert believed_now(NOON + 3650 * DAY, USED) == NOON - DAY


def test_nor_on_the_second_day_but_on_the_third() -> None:
    later = NOON + 3650 * DAY
    assert believed_now(later + DAY, [*USED, later]) == NOON - DAY
    assert believed_now(later + 2 * DAY, [*USED, later, later + DAY]) == later + 2 * DAY
    assert DAYS_TO_BELIEVE == 3


def test_many_times_on_one_wrong_day_are_one_day() -> None:
    later = NOON + 3650 * DAY
    many = [later + timedelta(minutes=n) for n in range(50)]
    assert believed_now(later + timedelta(hours=2), [*USED, *many]) == NOON - DAY


def test_a_clock_that_was_ahead_and_is_back_counts_from_where_it_is() -> None:
    ahead = [NOON + 3650 * DAY, NOON + 3651 * DAY]
    assert believed_now(NOON, [*USED, *ahead]) == NOON


def test_a_clock_set_back_to_1970_ages_nothing() -> None:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert believed_now(epoch, USED) == epoch
    assert elapsed_days(NOON, believed_now(epoch, USED)) == 0


def test_a_long_holiday_is_believed() -> None:
    assert believed_now(NOON + LEAP - DAY, [NOON]) == NOON + LEAP - DAY


@pytest.mark.parametrize(("hours", "days"), [(24, 1.0), (36, 1.5), (0, 0.0), (-50, 0.0)])
def test_days_are_never_negative(hours: int, days: float) -> None:
    assert elapsed_days(NOON, NOON + timedelta(hours=hours)) == days


@given(MOMENTS, st.lists(MOMENTS, max_size=12))
def test_what_is_believed_is_never_after_the_clock(now: datetime, used: list[datetime]) -> None:
    assert believed_now(now, used) <= now
