"""Scores into probabilities: what speaks for a thing makes it likelier, and the table that ships is whole."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.inject.calibrate import (
    ANSWERS,
    ANSWERS_BY_WORDS,
    FILES,
    FILES_ON_DAY_ONE,
    LEAD_OF_THE_LAST,
    TABLE,
    Curve,
    calibrate_answers,
    calibrate_files,
    compute_answer_features,
    compute_day_one_features,
    compute_file_features,
    keep_likely,
    load_curves,
)
from recollect.model.predicted_file import DayOneStanding, PredictedFile
from recollect.model.query import Hit, ScorePart
from tests.builders import a_memory


def a_hit(score: float) -> Hit:
    why = (ScorePart("words", score, 0.4 * score), ScorePart("closer", score, 0.5 * score))
    return Hit(memory=a_memory("Tokens expire after five minutes"), score=score, tell=lambda: why)


def a_file(path: str, score: float) -> PredictedFile:
    return PredictedFile(path=path, score=score, reasons=("named in the prompt",))


def test_the_table_has_every_curve_with_features_that_are_told_and_holds_on_data_it_never_saw() -> None:
    told = json.loads(TABLE.read_text("utf-8"))["curves"]
    assert set(told) == {ANSWERS, ANSWERS_BY_WORDS, FILES, FILES_ON_DAY_ONE}
    (answer,) = compute_answer_features([a_hit(0.5)])
    (file,) = compute_file_features([a_file("a.py", 0.5)])
    for name in (FILES, FILES_ON_DAY_ONE):
        assert set(told[name]["weights"]) <= set(file)
    for name in (ANSWERS, ANSWERS_BY_WORDS):
        assert set(told[name]["weights"]) <= set(answer)
    for one in told.values():
        assert one["held_out"] > 100
        assert one["error_held_out"] <= 0.1


def test_what_fits_better_is_likelier_with_and_without_a_model() -> None:
    for by_words in (True, False):
        (good,) = calibrate_answers([a_hit(0.9)], by_words=by_words)
        (poor,) = calibrate_answers([a_hit(0.1)], by_words=by_words)
        assert poor.score < 0.3 < good.score


def test_a_file_that_speaks_of_what_is_asked_is_likelier() -> None:
    ((_, loud),) = calibrate_files([PredictedFile(path="a.py", score=0.5, reasons=(), words=40.0)])
    ((_, mute),) = calibrate_files([PredictedFile(path="a.py", score=0.5, reasons=(), words=0.0)])
    assert loud > mute


def test_a_file_far_ahead_of_the_others_is_likelier_than_one_of_many_alike() -> None:
    alone = calibrate_files([a_file("a.py", 0.5), a_file("b.py", 0.2)])
    among = calibrate_files([a_file("a.py", 0.5), a_file("b.py", 0.49), a_file("c.py", 0.48)])
    assert alone[0][1] > among[0][1] > among[2][1]
    assert [one.path for one, _ in among] == ["a.py", "b.py", "c.py"]


@given(st.lists(st.floats(0, 1), max_size=12), st.booleans())
def test_whatever_is_found_gets_a_probability(scores: list[float], by_words: bool) -> None:
    hits = [a_hit(score) for score in sorted(scores, reverse=True)]
    likely = calibrate_answers(hits, by_words=by_words)
    assert [one.memory for one in likely] == [one.memory for one in hits]
    assert all(0.0 <= one.score <= 1.0 for one in likely)


def test_nothing_found_is_nothing_likely() -> None:
    assert calibrate_files([]) == []
    assert calibrate_answers([], by_words=False) == []


def test_odds_beyond_all_measure_stay_a_probability() -> None:
    curve = load_curves()[FILES]
    far = dict.fromkeys(curve.weights, 1e9)
    assert 0.0 <= curve.at(far) <= 1.0
    assert 0.0 <= curve.at({name: -value for name, value in far.items()}) <= 1.0


def test_a_curve_turns_features_into_odds_and_odds_into_a_probability() -> None:
    curve = Curve(bias=-1.0, weights={"fit": 2.0, "lead": 4.0})
    assert curve.at({"fit": 0.5, "lead": 0.0}) == 0.5
    assert curve.at({"fit": 0.5, "lead": 0.25}) == pytest.approx(1 / (1 + math.exp(-1)))
    assert Curve(bias=900.0, weights={}).at({}) == pytest.approx(1.0)
    assert 0.0 < Curve(bias=-900.0, weights={}).at({}) < 1e-12


def test_a_hit_is_weighed_by_its_fit_its_place_and_how_far_the_next_lies_behind() -> None:
    features = compute_answer_features([a_hit(0.9), a_hit(0.6), a_hit(0.5)])
    assert [one["fit"] for one in features] == [0.9, 0.6, 0.5]
    assert [one["lead"] for one in features] == [
        pytest.approx(0.3),
        pytest.approx(0.1),
        pytest.approx(min(0.5, LEAD_OF_THE_LAST)),
    ]
    assert [one["place"] for one in features] == [0.0, pytest.approx(math.log(2)), pytest.approx(math.log(3))]


def test_a_file_is_weighed_by_how_far_it_is_ahead_of_the_average() -> None:
    features = compute_file_features([a_file("a.py", 0.6), a_file("b.py", 0.2)])
    assert [one["ahead"] for one in features] == [pytest.approx(0.2), pytest.approx(-0.2)]
    assert compute_file_features([]) == []


def test_words_alone_have_a_curve_of_their_own() -> None:
    curves, hits = load_curves(), [a_hit(0.7)]
    (features,) = compute_answer_features(hits)
    assert calibrate_answers(hits, by_words=True)[0].score == curves[ANSWERS_BY_WORDS].at(features)
    assert calibrate_answers(hits, by_words=False)[0].score == curves[ANSWERS].at(features)


def an_inferred_file(place: int, ahead: float, words: float) -> PredictedFile:
    standing = DayOneStanding(place=place, ahead=ahead, words=words)
    return PredictedFile(path="a.py", score=0.9, reasons=(), inferred=True, day_one=standing)


def test_a_file_that_only_commits_and_code_speak_for_is_judged_by_a_curve_of_its_own() -> None:
    file = an_inferred_file(2, 0.4, 0.5)
    features = {"ahead": 0.4, "place": pytest.approx(math.log(3)), "words": 0.5}
    assert file.day_one is not None
    assert compute_day_one_features(file.day_one) == features
    ((_, probability),) = calibrate_files([file])
    assert probability == load_curves()[FILES_ON_DAY_ONE].at(compute_day_one_features(file.day_one))


def test_a_file_that_both_speak_for_is_as_likely_as_the_surer_of_them_says() -> None:
    met = PredictedFile(path="a.py", score=0.5, reasons=(), words=40.0)
    ((_, by_sessions),) = calibrate_files([met])
    sure = replace(met, day_one=DayOneStanding(place=0, ahead=5.0, words=1.0))
    doubtful = replace(met, day_one=DayOneStanding(place=60, ahead=-5.0, words=0.0))
    assert calibrate_files([sure])[0][1] > by_sessions
    assert calibrate_files([doubtful])[0][1] == by_sessions


def test_what_is_only_inferred_and_hardly_probable_is_left_out() -> None:
    likely, doubtful = an_inferred_file(0, 5.0, 1.0), an_inferred_file(60, -5.0, 0.0)
    met = a_file("b.py", 0.0)
    assert keep_likely([likely, doubtful, met]) == [likely, met]
