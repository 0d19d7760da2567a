"""Stuck detection: a run that repeats itself, goes in circles, or meets the same error again and again."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTrace:
    """One call as far as repetition goes: what was called, and what came of it."""

    call: str
    result: str
    ok: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckRules:
    """How often something may come again before a run counts as stuck."""

    same_step: int = 3
    cycles: int = 3
    same_error: int = 4


def find_stuck(trace: Sequence[StepTrace], rules: StuckRules | None = None) -> str:
    """Why the run is stuck; empty if it is not."""
    rules = rules or StuckRules()
    if _repeats(trace, 1, rules.same_step):
        return f"the same call gave the same result {rules.same_step} times in a row"
    for length in (2, 3):
        if _repeats(trace, length, rules.cycles):
            return f"the same {length} calls came round {rules.cycles} times with the same results"
    last = trace[-rules.same_error :]
    errors = {step.result for step in last}
    if len(last) == rules.same_error and len(errors) == 1 and not any(step.ok for step in last):
        return f"the same error came {rules.same_error} times in a row"
    return ""


def _repeats(trace: Sequence[StepTrace], length: int, times: int) -> bool:
    """Whether the end of a trace is one sequence so many times over."""
    if len(trace) < length * times:
        return False
    rounds = [tuple(trace[-length * (n + 1) : len(trace) - length * n]) for n in range(times)]
    return len(set(rounds)) == 1
