"""A year of sessions: every memory's confidence on every day is what the rules say."""

from __future__ import annotations

import pytest

from benchmarks.year import DAYS, PLOTS, Day, live
from tests.hash_embedder import HashEmbedder

EVERY_DAY = range(DAYS)


@pytest.fixture(scope="module")
def year() -> dict[str, list[Day]]:
    return dict(live(embedder=HashEmbedder()))


def linear(base: float, since: int, day: int) -> float:
    """Thirty days of grace, then a tenth a week, half of that from 0.9 up: written out week by week."""
    worth, next_loss = base, since + 37
    while next_loss <= day:
        worth = max(0.0, worth - (0.05 if worth >= 0.9 - 1e-9 else 0.1))
        next_loss += 7
    return worth


def confidences(days: list[Day]) -> list[float]:
    return [day.confidence for day in days]


def test_what_is_never_said_again_fades_sleeps_is_archived_and_goes(year: dict[str, list[Day]]) -> None:
    days = year["never said again"]
    assert confidences(days[:79]) == pytest.approx([linear(0.7, 0, day) for day in range(79)])
    slept = next(day for day in EVERY_DAY if days[day].state != "active")
    archived = next(day for day in EVERY_DAY if days[day].state == "archived")
    gone = next(day for day in EVERY_DAY if days[day].state == "")
    # 0.2 is the first below 0.3, 0.1 the first below 0.2; 60 days untouched are over by then.
    assert (slept, archived, gone) == (65, 72, 72 + 91)


def test_what_is_said_again_grows_by_a_tenth_and_begins_its_grace_anew(year: dict[str, list[Day]]) -> None:
    said = next(plot.said_again for plot in PLOTS if plot.name == "said again now and then")
    expected, base, since = [], 0.7, 0
    for day in EVERY_DAY:
        worth = linear(base, since, day)
        if day in said:
            base, since = min(1.0, worth + 0.1), day
            worth = base
        expected.append(worth)
    assert confidences(year["said again now and then"]) == pytest.approx(expected)
    assert {day.state for day in year["said again now and then"]} == {"active"}


def test_what_proved_itself_fades_at_half_the_rate_at_first(year: dict[str, list[Day]]) -> None:
    days = year["proved three times, then left alone"]
    assert confidences(days[:22]) == pytest.approx([0.7] * 7 + [0.8] * 7 + [0.9] * 7 + [1.0])
    assert confidences(days[22:120]) == pytest.approx([linear(1.0, 21, day) for day in range(22, 120)])


def test_what_is_pinned_does_not_age(year: dict[str, list[Day]]) -> None:
    assert set(year["pinned"]) == {Day(0.7, "active")}


@pytest.mark.parametrize(
    ("name", "half_life", "slept"),
    [("dead end, half-life 90 days", 90, 135), ("work state, half-life 7 days", 7, 11)],
)
def test_a_half_life_halves(year: dict[str, list[Day]], name: str, half_life: int, slept: int) -> None:
    days = year[name]
    living = [day for day in EVERY_DAY if days[day].state in ("active", "inactive")]
    for day in living:
        steps = day * 8 // half_life
        worth = 0.8 * 0.5 ** (steps / 8)
        assert days[day].confidence == pytest.approx(worth if worth >= 0.05 else 0.0, abs=1e-5)
    assert next(day for day in EVERY_DAY if days[day].state != "active") == slept


def test_what_was_contradicted_loses_two_tenths_when_it_is_settled_and_not_before(
    year: dict[str, list[Day]],
) -> None:
    days = year["contradicted and settled"]
    assert set(days[:200]) == {Day(0.8, "active")}
    assert {(round(day.confidence, 6), day.state) for day in days[200:]} == {(0.6, "inactive")}


def test_upkeep_ten_times_a_day_changes_nothing(year: dict[str, list[Day]]) -> None:
    plots = [plot for plot in PLOTS if plot.name == "said again now and then"]
    often = live(plots, embedder=HashEmbedder(), runs_a_day=10)
    assert often[plots[0].name] == year[plots[0].name]
