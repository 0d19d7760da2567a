"""Whether probabilities mean what they say."""

from __future__ import annotations

import pytest

from benchmarks.metrics import Bin, calibration_error, calibration_table


def test_what_is_said_is_held_against_what_was_true_step_by_step() -> None:
    bins = calibration_table([0.05, 0.05, 0.72, 0.78], [False, False, True, False])
    assert bins == [Bin(count=2, said=0.05, true=0.0), Bin(count=2, said=0.75, true=0.5)]
    assert calibration_error(bins) == pytest.approx((2 * 0.05 + 2 * 0.25) / 4)


def test_the_surest_belong_to_the_last_step() -> None:
    assert calibration_table([1.0, 0.95], [True, True]) == [Bin(count=2, said=0.975, true=1.0)]


def test_probabilities_that_hold_have_no_error_and_boasts_have_much() -> None:
    true = [number % 10 < 7 for number in range(100)]
    assert calibration_error(calibration_table([0.7] * 100, true)) == pytest.approx(0.0)
    assert calibration_error(calibration_table([0.99] * 100, true)) == pytest.approx(0.29)
    assert calibration_error([]) == 0.0
