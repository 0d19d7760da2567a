"""Ageing: what time, repetition and contradiction do to confidence. Arithmetic only, no clock, no store."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from types import MappingProxyType

from recollect.model.kinds import Kind
from recollect.model.memory import Memory, MemoryState
from recollect.model.policy import INACTIVE_BELOW
from recollect.model.value import dataclass, replace

REINFORCEMENT = 0.1
CONTRADICTION = -0.2
GRACE_DAYS = 30
WEEKLY_LOSS = 0.1
# What proved itself so often fades at half the rate.
FIRM_FROM = 0.9
FIRM_WEEKLY_LOSS = 0.05
# A half-life is taken in so many steps: the story of a memory gets a line per step, not one per day.
STEPS_PER_HALF_LIFE = 8
# Halving never ends; so little is nothing.
FADED_BELOW = 0.05

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeingRule:
    """How one sort of memory fades: from what it was worth when last reinforced, by the days since then."""

    about: str
    after: Callable[[float, float, float], float]


def reinforce_confidence(confidence: float) -> float:
    """What it is worth when it was said or seen again."""
    return shift_confidence(confidence, REINFORCEMENT)


def contradict_confidence(confidence: float) -> float:
    """What it is worth when something confirmed speaks against it."""
    return shift_confidence(confidence, CONTRADICTION)


def shift_confidence(confidence: float, change: float) -> float:
    """A confidence raised or lowered, between 0 and 1; rounded, so that 0.7 less 0.1 four times is 0.3."""
    return min(1.0, max(0.0, round(confidence + change, 6)))


def age_confidence(memory: Memory, kind: Kind, now: datetime) -> float:
    """
    What a memory is worth now: what it was worth when last reinforced, less what the time since then took.

    It is counted from there each time, and in whole steps, so that counting twice a day changes nothing.
    """
    base = memory.confidence if memory.base_confidence is None else memory.base_confidence
    if memory.pinned:
        return base
    days = (now - (memory.reinforced_at or memory.created_at)) / _DAY
    return find_ageing_rule(memory, kind).after(base, max(0.0, days), memory.half_life_days or 1.0)


def find_ageing_rule(memory: Memory, kind: Kind) -> AgeingRule:
    """The rule that holds for a memory: its kind's, unless it was given a half-life of its own."""
    return RULES["half_life" if memory.half_life_days else kind.ageing]


def set_confidence(memory: Memory, confidence: float) -> Memory:
    """The memory at this confidence; too little of it makes an active one inactive."""
    weak = memory.state is MemoryState.ACTIVE and confidence < INACTIVE_BELOW
    return replace(memory, confidence=confidence, state=MemoryState.INACTIVE if weak else memory.state)


def restart_ageing(memory: Memory, at: datetime) -> Memory:
    """The memory as it stands, from where ageing begins anew."""
    return replace(memory, base_confidence=None, reinforced_at=at)


def shift_memory(memory: Memory, change: float) -> Memory:
    """The memory moved by something else than time, which goes on counting from where it did."""
    base = memory.base_confidence
    worth = set_confidence(memory, shift_confidence(memory.confidence, change))
    return worth if base is None else replace(worth, base_confidence=shift_confidence(base, change))


def reactivate(memory: Memory, at: datetime) -> Memory:
    """The memory in use again because a person says so, at the least that keeps it there."""
    awake = replace(memory, state=MemoryState.ACTIVE, confidence=max(memory.confidence, INACTIVE_BELOW))
    return restart_ageing(awake, at)


def _stay(base: float, days: float, half_life: float) -> float:
    return base


def _halve(base: float, days: float, half_life: float) -> float:
    steps = math.floor(days / half_life * STEPS_PER_HALF_LIFE)
    worth = round(base * 0.5 ** (steps / STEPS_PER_HALF_LIFE), 6) if steps else base
    return worth if worth >= FADED_BELOW or not steps else 0.0


def _fade(base: float, days: float, half_life: float) -> float:
    weeks = math.floor((days - GRACE_DAYS) / 7)
    worth = base
    for _ in range(weeks):
        worth = shift_confidence(worth, -(FIRM_WEEKLY_LOSS if worth >= FIRM_FROM else WEEKLY_LOSS))
        if worth == 0.0:
            break
    return worth


RULES = MappingProxyType(
    {
        "none": AgeingRule(about="It does not age.", after=_stay),
        "half_life": AgeingRule(
            about=f"Half of it is gone after its half-life, taken in {STEPS_PER_HALF_LIFE} steps.",
            after=_halve,
        ),
        "linear": AgeingRule(
            about=f"{GRACE_DAYS} days of grace, then {WEEKLY_LOSS:g} less a week;"
            f" from {FIRM_FROM:g} up only {FIRM_WEEKLY_LOSS:g}.",
            after=_fade,
        ),
    }
)
