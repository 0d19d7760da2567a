"""The arithmetic of growing and fading, case by case."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.model.ageing import (
    RULES,
    age_confidence,
    contradict_confidence,
    reactivate,
    reinforce_confidence,
    restart_ageing,
    set_confidence,
    shift_confidence,
    shift_memory,
)
from recollect.model.kinds import BUILT_IN, Kinds
from recollect.model.memory import Memory, MemoryState
from tests.builders import NOON, a_memory

KINDS = Kinds()


def worth(memory: Memory, **later: float) -> float:
    return age_confidence(memory, KINDS.get(memory.kind), NOON + timedelta(**later))


def test_every_kind_has_a_rule_and_a_half_life_where_its_rule_needs_one() -> None:
    for kind in BUILT_IN:
        assert kind.ageing in RULES
        assert (kind.ageing == "half_life") == (kind.half_life_days is not None)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (0, 0.7),
        (30, 0.7),
        (36.9, 0.7),
        (37, 0.6),
        (43.9, 0.6),
        (44, 0.5),
        (58, 0.3),
        (65, 0.2),
        (79, 0.0),
        (4000, 0.0),
    ],
)
def test_an_operations_kind_has_thirty_days_of_grace_and_then_loses_a_tenth_a_week(
    days: float, expected: float
) -> None:
    assert worth(a_memory(kind="timing", confidence=0.7), days=days) == pytest.approx(expected)


@pytest.mark.parametrize(("days", "expected"), [(37, 0.95), (44, 0.9), (51, 0.85), (58, 0.75), (65, 0.65)])
def test_what_is_at_least_nine_tenths_sure_fades_at_half_the_rate(days: float, expected: float) -> None:
    assert worth(a_memory(kind="timing", confidence=1.0), days=days) == pytest.approx(expected)


@pytest.mark.parametrize(("days", "share"), [(0, 1), (7, 0.5), (14, 0.25), (3.5, 2**-0.5), (3.6, 2**-0.5)])
def test_a_work_state_halves_every_seven_days_in_steps(days: float, share: float) -> None:
    memory = a_memory(kind="work_state", confidence=0.8, half_life_days=7)
    assert worth(memory, days=days) == pytest.approx(0.8 * share, abs=1e-6)


@pytest.mark.parametrize(
    ("confidence", "days", "expected"), [(0.8, 28, 0.05), (0.79, 28, 0.0), (0.04, 0, 0.04)]
)
def test_what_halving_leaves_of_a_memory_is_nothing_below_a_twentieth(
    confidence: float, days: float, expected: float
) -> None:
    memory = a_memory(kind="work_state", confidence=confidence, half_life_days=7)
    assert worth(memory, days=days) == expected


def test_worth_is_counted_to_six_places_and_is_untouched_before_the_first_step() -> None:
    memory = a_memory(kind="work_state", confidence=0.8123456789, half_life_days=7)
    assert worth(memory, hours=1) == 0.8123456789
    assert worth(memory, days=7) == 0.406173
    assert shift_confidence(0.12345678, 0.1) == 0.223457


def test_a_half_life_of_its_own_wins_over_the_rule_of_the_kind() -> None:
    assert worth(a_memory(kind="timing", confidence=0.8, half_life_days=10), days=10) == pytest.approx(0.4)


def test_most_knowledge_and_whatever_is_pinned_does_not_age() -> None:
    assert worth(a_memory(kind="decision", confidence=0.8), days=4000) == 0.8
    assert worth(a_memory(kind="timing", confidence=0.8, pinned=True), days=4000) == 0.8


def test_ageing_counts_from_the_last_reinforcement_and_from_what_it_was_worth_then() -> None:
    memory = a_memory(
        kind="timing", confidence=0.5, base_confidence=0.9, reinforced_at=NOON + timedelta(days=100)
    )
    assert worth(memory, days=137) == pytest.approx(0.85)
    assert worth(memory, days=144) == pytest.approx(0.75)


def test_a_clock_that_went_back_makes_nothing_older() -> None:
    assert worth(a_memory(kind="timing", confidence=0.7), days=-3650) == 0.7


def test_a_memory_grows_by_a_tenth_and_never_above_one() -> None:
    assert [reinforce_confidence(0.7), reinforce_confidence(0.95), reinforce_confidence(1.0)] == [
        0.8,
        1.0,
        1.0,
    ]


def test_a_contradiction_takes_two_tenths_and_never_below_zero() -> None:
    assert [contradict_confidence(0.7), contradict_confidence(0.1)] == [0.5, 0.0]


def test_four_tenths_less_is_three_tenths_exactly_and_still_active() -> None:
    left = shift_confidence(shift_confidence(shift_confidence(shift_confidence(0.7, -0.1), -0.1), -0.1), -0.1)
    assert left == 0.3
    assert set_confidence(a_memory(), left).state is MemoryState.ACTIVE
    assert set_confidence(a_memory(), 0.299).state is MemoryState.INACTIVE


def test_only_an_active_memory_is_put_to_sleep() -> None:
    waiting = a_memory(state=MemoryState.QUARANTINED)
    assert set_confidence(waiting, 0.1).state is MemoryState.QUARANTINED


def test_what_moves_a_memory_moves_what_it_is_aged_from_too() -> None:
    memory = a_memory(confidence=0.5, base_confidence=0.7)
    assert (shift_memory(memory, 0.2).confidence, shift_memory(memory, 0.2).base_confidence) == (0.7, 0.9)
    assert shift_memory(replace(memory, base_confidence=None), 0.2).base_confidence is None


def test_what_a_person_brings_back_is_sure_enough_to_stay_and_ages_from_then_on() -> None:
    asleep = a_memory(kind="timing", confidence=0.1, base_confidence=0.7, state=MemoryState.INACTIVE)
    back = reactivate(asleep, NOON + timedelta(days=200))
    assert (back.state, back.confidence) == (MemoryState.ACTIVE, 0.3)
    assert worth(back, days=230) == 0.3
    assert reactivate(replace(asleep, confidence=0.8), NOON).confidence == 0.8
    assert restart_ageing(asleep, NOON).base_confidence is None
