"""Time words in questions: the committed cases, what holds for any text, and how closeness falls."""

from __future__ import annotations

import time
import tomllib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.period import OTHER_YEAR_SHARE, Grain, Period, Yearly, closeness
from recollect.retrieve.timewords import find_anchors, find_periods

NOW = datetime(2024, 8, 14, 10, 30, tzinfo=UTC)
LEAST_SHARE_RIGHT = 0.95


def read_cases() -> list[dict[str, Any]]:
    groups = tomllib.loads(Path(__file__).with_name("timewords_cases.toml").read_text("utf-8"))
    now = groups.pop("now")
    return [{"now": now, **case} for group in groups.values() for case in group["cases"]]


CASES = read_cases()


def reading(case: dict[str, Any]) -> dict[str, Any]:
    found = find_periods(case["text"], case["now"], month_first=case.get("month_first", False))
    return {
        "expect": [f"{written(period.start)}/{written(period.end)}" for period in found],
        "anchors": [f"{anchor.relation}: {anchor.words}" for anchor in find_anchors(case["text"])],
        "yearly": bool(found and found[0].yearly),
    }


def written(at: datetime | None) -> str:
    if at is None:
        return ".."
    return f"{at:%Y-%m-%d}" if (at.hour, at.minute) == (0, 0) else f"{at:%Y-%m-%dT%H:%M}"


def wanted(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "expect": case.get("expect", []),
        "anchors": case.get("anchors", []),
        "yearly": case.get("yearly", False),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']} @{case['now']:%y-%m-%d}")
def test_a_case_is_read_as_it_says(case: dict[str, Any]) -> None:
    if case.get("known_wrong"):
        assert reading(case) != wanted(case), "This is right now: take its known_wrong off."
    else:
        assert reading(case) == wanted(case)


def test_enough_cases_are_right() -> None:
    right = sum(reading(case) == wanted(case) for case in CASES)
    assert len(CASES) >= 140
    assert sum("expect" not in case and "anchors" not in case for case in CASES) >= 40
    assert right / len(CASES) >= LEAST_SHARE_RIGHT


WORDS = """
    in on the of a last this next past early mid late end before after since until between and from to may May
    march March June 8 8th 31 2023 0 9999 week weeks days months years decade ago back half couple few first
    second monday Friday summer spring fall Q3 h2 Christmas new year's eve day yesterday tomorrow tonight
    weekend 90s 2010s 2023-05-08 2023-13-40 2023-02-30T25:61 31/2/2023 7/22 24/7 0000-00 2024-w60 , . ? -
    will recently other while I we updated moving release
"""
SENTENCES = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)


@given(st.text(max_size=300) | SENTENCES, st.booleans())
def test_any_text_can_be_read(text: str, month_first: bool) -> None:
    for period in find_periods(text, NOW, month_first=month_first):
        assert period.words
        assert period.words in text
        assert period.start is None or period.end is None or period.start <= period.end
        assert 0.0 <= closeness(period, NOW) <= 1.0
    for anchor in find_anchors(text):
        assert anchor.words
        assert anchor.words in text


@given(SENTENCES, st.datetimes(timezones=st.just(UTC)))
def test_any_now_will_do(text: str, now: datetime) -> None:
    for period in find_periods(text, now):
        assert 0.0 <= closeness(period, now) <= 1.0


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "9",
        " ",
        "the day before ",
        "last ",
        "between 3 and ",
        "May ",
        "'",
        "-",
        "2023-",
        "1/",
        "of ",
        "since the ",
        "\0",
    ],
)
def test_hostile_length_does_not_hang(unit: str) -> None:
    text = "May " + unit * (200_000 // len(unit))
    begun = time.process_time()
    find_periods(text, NOW)
    find_anchors(text)
    # A rule that looked back over all it had read would take minutes.
    assert time.process_time() - begun < 5


def test_a_long_text_is_read_at_both_ends() -> None:
    found = find_periods("in May 2021 " + "x " * 100_000 + "in May 2023", NOW)
    assert [period.words for period in found] == ["May 2021", "May 2023"]


def test_a_list_of_dates_is_cut_short() -> None:
    assert len(find_periods("2023-05-08 " * 100, NOW)) == 16
    assert len(find_anchors("before the release, " * 100)) == 8


def test_days_are_those_of_utc() -> None:
    late = datetime.fromisoformat("2024-08-14T23:30:00-05:00")
    assert find_periods("today", late)[0].start == datetime(2024, 8, 15, tzinfo=UTC)


def only(text: str) -> Period:
    (period,) = find_periods(text, NOW)
    return period


def test_two_weeks_ago_peaks_at_fourteen_days_and_fades() -> None:
    period = only("two weeks ago")
    scores = [closeness(period, NOW - timedelta(days=days)) for days in (14, 12, 17, 30)]
    assert scores[0] == 1.0
    assert all(0.4 < score < 0.9 for score in scores[1:3])
    assert scores[3] < 0.1


def test_the_longer_ago_the_less_exact() -> None:
    near, far = only("two days ago"), only("fifteen days ago")
    assert near.slack < far.slack


def test_without_a_year_any_year_counts_but_the_latest_most() -> None:
    period = only("in May")
    assert closeness(period, datetime(2024, 5, 9, tzinfo=UTC)) == 1.0
    assert closeness(period, datetime(2019, 5, 9, tzinfo=UTC)) == OTHER_YEAR_SHARE
    assert closeness(period, datetime(2019, 8, 9, tzinfo=UTC)) < 0.1


def test_with_a_year_no_other_counts() -> None:
    assert closeness(only("in May 2023"), datetime(2019, 5, 9, tzinfo=UTC)) < 0.01
    assert closeness(only("last May"), datetime(2019, 5, 9, tzinfo=UTC)) < 0.01


def test_a_moving_feast_is_found_in_its_own_year() -> None:
    assert closeness(only("for Easter"), datetime(2019, 4, 21, 12, tzinfo=UTC)) == OTHER_YEAR_SHARE
    assert closeness(only("the first Monday of June"), datetime(2022, 6, 6, tzinfo=UTC)) == OTHER_YEAR_SHARE


def test_a_winter_reaches_into_the_next_year() -> None:
    assert closeness(only("in the winter"), datetime(2020, 1, 9, tzinfo=UTC)) == OTHER_YEAR_SHARE


def test_an_open_period_holds_on_its_open_side() -> None:
    period = only("since March")
    assert closeness(period, datetime(2030, 1, 1, tzinfo=UTC)) == 1.0
    assert closeness(period, datetime(2020, 1, 1, tzinfo=UTC)) < 0.01
    assert closeness(replace(period, start=None), datetime(1, 1, 1, tzinfo=UTC)) == 1.0


def test_closeness_at_the_ends_of_time() -> None:
    for at in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        assert closeness(only("in May"), at) <= OTHER_YEAR_SHARE


def test_a_day_the_year_lacks_is_its_neighbour() -> None:
    assert Yearly(month=2, day=29).span(2023)[0] == datetime(2023, 2, 28, tzinfo=UTC)


@pytest.mark.parametrize(("end", "slack"), [(datetime(2020, 1, 1, tzinfo=UTC), 1), (None, 0)])
def test_a_period_that_exists_is_valid(end: datetime | None, slack: int) -> None:
    with pytest.raises(ValueError):
        Period(start=NOW, end=end, words="x", grain=Grain.DAY, slack=timedelta(days=slack))
