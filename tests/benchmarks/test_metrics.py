"""Figures of merit, on rankings made by hand."""

from __future__ import annotations

import math

import pytest

from benchmarks import metrics
from benchmarks.floor import any_of
from benchmarks.paraphrases import ParaphrasePair, average_precision, separation
from benchmarks.run import STOP_WORDS, fuse_rankings


def test_a_perfect_ranking_scores_one_everywhere() -> None:
    assert set(metrics.score_ranking(["a", "b", "c"], {"a", "b"}).values()) == {1.0}


def test_an_empty_ranking_scores_nothing() -> None:
    assert set(metrics.score_ranking([], {"a"}).values()) == {0.0}


def test_recall_is_the_share_of_evidence_and_all_wants_every_piece() -> None:
    ranking = ["x", "a", "x1", "x2", "x3", "b", "x4", "x5", "x6", "x7", "c"]
    found = metrics.score_ranking(ranking, {"a", "b", "c"})

    assert found["r@5"] == pytest.approx(1 / 3)
    assert found["r@10"] == pytest.approx(2 / 3)
    assert found["r@20"] == 1.0
    assert (found["any@5"], found["all@5"], found["all@10"]) == (1.0, 0.0, 0.0)


def test_gain_falls_with_the_place_of_a_hit() -> None:
    assert metrics.ndcg(["x", "a"], frozenset("a"), 10) == pytest.approx(1 / math.log2(3))
    best = 1 + 1 / math.log2(3)
    assert metrics.ndcg(["a", "x", "b"], frozenset("ab"), 10) == pytest.approx(1.5 / best)


def test_gain_with_more_evidence_than_places_can_still_be_one() -> None:
    wanted = frozenset(str(number) for number in range(15))
    assert metrics.ndcg([str(number) for number in range(10)], wanted, 10) == pytest.approx(1.0)


def test_means_are_percent_with_one_decimal() -> None:
    assert metrics.mean_scores([{"r@5": 1.0}, {"r@5": 0.0}, {"r@5": 0.0}]) == {"r@5": 33.3}
    assert metrics.mean_scores([]) == {}


def test_fusion_prefers_what_both_lists_have() -> None:
    assert fuse_rankings(["a", "b", "c"], ["b", "d"]) == ["b", "a", "d", "c"]


def test_the_words_baseline_asks_for_any_telling_word() -> None:
    assert any_of('What is "Ada\'s" cat?', STOP_WORDS) == '"ada" OR "cat"'
    assert any_of("who is it", STOP_WORDS) == '"who" OR "is" OR "it"'
    assert any_of("?!") == ""


def test_average_precision_is_one_when_the_wanted_come_first() -> None:
    assert average_precision([(False, 0.1), (True, 0.9), (True, 0.5)]) == 1.0
    assert average_precision([(True, 0.1), (False, 0.9)]) == 0.5


def test_opposites_are_shown_but_not_judged() -> None:
    pairs = [ParaphrasePair(a="a", b="b", label=label) for label in ("same", "opposite", "related")]
    found = separation(pairs, [0.9, 0.95, 0.3], duplicate_threshold=0.8)

    assert (found.average_precision, found.accuracy, found.best_accuracy) == (100.0, 100.0, 100.0)
    assert found.likeness == {"same": 0.9, "opposite": 0.95, "related": 0.3}
