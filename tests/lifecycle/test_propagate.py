"""A change of confidence goes on along relations: how far, how much, and back with its cause."""

from __future__ import annotations

import pytest

from recollect import Memory, Recollect
from recollect.lifecycle.confidence import FACTORS, MAX_TOUCHED
from recollect.model.memory import MemoryState, RelationType
from tests.lifecycle.stories import relate, remembered


def wrong(memory: Recollect, found: Memory) -> None:
    """A person says it is wrong: 0.2 less."""
    memory.upkeep.flag(found.id)


def pair(memory: Recollect, kind: RelationType, confidence: float = 1.0) -> tuple[Memory, Memory]:
    one = remembered(memory, "The upload limit comes from the proxy")
    other = remembered(memory, "Large exports must be split")
    relate(memory, one, kind, other, confidence)
    return one, other


@pytest.mark.parametrize("kind", list(RelationType))
def test_a_target_moves_by_factor_times_relation_times_change(memory: Recollect, kind: RelationType) -> None:
    one, other = pair(memory, kind)
    wrong(memory, one)
    change = FACTORS[kind] * -0.2
    assert memory.show(other.id).confidence == pytest.approx(0.8 + (change if abs(change) > 0.05 else 0.0))


def test_the_factors_are_these() -> None:
    assert {str(kind): factor for kind, factor in FACTORS.items()} == {
        "validates": 0.6,
        "required_with": 0.3,
        "conflicts_with": -0.4,
        "supersedes": 0.8,
        "derived_from": 0.5,
    }


def test_a_weak_relation_carries_less_and_below_the_threshold_nothing(memory: Recollect) -> None:
    one, other = pair(memory, RelationType.VALIDATES, 0.5)
    wrong(memory, one)
    assert memory.show(other.id).confidence == pytest.approx(0.74)
    third = remembered(memory, "Invoices are rounded down")
    relate(memory, third, RelationType.VALIDATES, other, 0.4)
    wrong(memory, third)
    assert memory.show(other.id).confidence == pytest.approx(0.74)


def test_history_names_the_cause_and_undo_takes_both_back(memory: Recollect) -> None:
    one, other = pair(memory, RelationType.VALIDATES)
    wrong(memory, one)
    told = memory.history(other.id)[-1]
    assert (told.action, told.act_id) == ("propagate", memory.history(one.id)[-1].act_id)
    assert one.id in told.why and "validates" in told.why and "-0.20" in told.why
    assert {back.id for back in memory.undo().memories} == {one.id, other.id}
    assert [memory.show(found.id).confidence for found in (one, other)] == [0.8, 0.8]


def test_two_that_bear_on_each_other_do_not_lift_each_other_again_and_again(memory: Recollect) -> None:
    one = remembered(memory, "The proxy is slow in the morning", session="s1")
    other = remembered(memory, "Large exports must be split")
    relate(memory, one, RelationType.SUPERSEDES, other)
    relate(memory, other, RelationType.SUPERSEDES, one)
    memory.remember("The proxy is slow in the morning", session="s2")
    assert [memory.show(found.id).confidence for found in (one, other)] == pytest.approx([0.9, 0.88])


def test_it_goes_on_while_it_is_worth_a_line_and_ends(memory: Recollect) -> None:
    words = ("alpha proxy", "beta cache", "gamma queue", "delta index")
    chain = [remembered(memory, f"The {name} is slow in the morning") for name in words]
    for one, other in zip(chain, [*chain[1:], chain[0]], strict=True):
        relate(memory, one, RelationType.SUPERSEDES, other)
    wrong(memory, chain[0])
    now = [round(memory.show(found.id).confidence, 4) for found in chain]
    assert now == [0.6, 0.64, 0.672, 0.6976]


def test_what_falls_too_low_is_put_to_sleep_and_the_pinned_stands(memory: Recollect) -> None:
    one, other = pair(memory, RelationType.SUPERSEDES)
    memory.edit(other.id, confidence=0.4)
    pinned = remembered(memory, "Never deploy on Fridays", pinned=True)
    relate(memory, one, RelationType.VALIDATES, pinned)
    wrong(memory, one)
    assert (memory.show(other.id).confidence, memory.show(other.id).state) == (0.24, MemoryState.INACTIVE)
    assert memory.show(pinned.id).confidence == 0.8


def test_one_change_touches_a_bounded_number(memory: Recollect) -> None:
    hub = remembered(memory, "Everything hangs on the proxy")
    names = [f"{'abcdefghij'[n // 10]}{'klmnopqrst'[n % 10]}" * 3 for n in range(MAX_TOUCHED + 6)]
    leaves = [remembered(memory, f"{name} {name[::-1]}") for name in names]
    for half in (leaves[:60], leaves[60:]):
        middle = remembered(memory, f"Relay {half[0].text}")
        for leaf in half:
            relate(memory, middle, RelationType.SUPERSEDES, leaf)
        relate(memory, hub, RelationType.SUPERSEDES, middle)
    wrong(memory, hub)
    moved = [leaf for leaf in leaves if memory.show(leaf.id).confidence < 0.8]
    assert len(moved) + 2 == MAX_TOUCHED
