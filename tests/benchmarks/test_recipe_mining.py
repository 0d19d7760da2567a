"""Mining finds planted recipes among distractors; and the grouping of failures is scored as it says."""

from __future__ import annotations

from pathlib import Path

from benchmarks.failure_groups import SETS, group_by_us, read_set, score_pairs
from benchmarks.recipe_mining import FALSE_AT_MOST, FOUND_AT_LEAST, run_mining

REPOSITORY = Path(__file__).parents[2]


def test_planted_recipes_are_found_and_hardly_any_other() -> None:
    score = run_mining(1_000, 20, seed=3)
    assert score.found >= FOUND_AT_LEAST * score.planted
    assert score.false <= FALSE_AT_MOST * score.mined


def test_labelled_failures_are_two_hundred_in_forty_groups_with_some_that_belong_to_none() -> None:
    halves = [read_set(REPOSITORY / "benchmarks" / "failures" / name) for name in SETS.values()]
    assert sum(map(len, halves)) >= 200
    groups = {one.group for half in halves for one in half if one.group}
    assert len(groups) >= 40
    assert all(any(not one.group for one in half) for half in halves)


def test_pairs_are_scored_by_precision_and_recall() -> None:
    half = read_set(REPOSITORY / "benchmarks" / "failures" / "tuned.txt")
    truth: dict[str, list[int]] = {}
    for number, one in enumerate(half):
        truth.setdefault(one.group or f"alone {number}", []).append(number)
    assert score_pairs(half, list(truth.values())) == (1.0, 1.0, 1.0)
    assert score_pairs(half, [[number] for number in range(len(half))])[1:] == (0.0, 0.0)
    precision, recall, _ = score_pairs(half, [list(range(len(half)))])
    assert (recall, precision < 0.1) == (1.0, True)
    # Without a model, by words alone: far from all together or all apart.
    assert score_pairs(half, group_by_us(half, None))[2] > 0.6
