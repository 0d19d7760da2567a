"""Which files a session used close together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.model.signal import CoAccess
from recollect.model.step import Step
from recollect.observe.steps import is_change, is_use

WITHIN_STEPS = 3


def find_co_accesses(steps: Sequence[Step]) -> list[CoAccess]:
    """Every two files used within three steps of each other, where they were nearest."""
    used = [step for step in steps if is_use(step) and step.files]
    changed = {file for step in used if is_change(step) for file in step.files}
    nearest: dict[frozenset[str], CoAccess] = {}
    for at, later in enumerate(used):
        for earlier in _list_shortly_before(used, at):
            for co_access in _pair_files(earlier, later, changed):
                pair = frozenset((co_access.first, co_access.second))
                if pair not in nearest or co_access.steps_apart < nearest[pair].steps_apart:
                    nearest[pair] = co_access
    return list(nearest.values())


def _list_shortly_before(used: Sequence[Step], at: int) -> Iterator[Step]:
    for earlier in reversed(used[: at + 1]):
        if used[at].number - earlier.number > WITHIN_STEPS:
            return
        yield earlier


def _pair_files(earlier: Step, later: Step, changed: set[str]) -> Iterator[CoAccess]:
    for place, first in enumerate(earlier.files):
        # Within one step, each two files once.
        for second in later.files if earlier is not later else earlier.files[place + 1 :]:
            if first != second:
                yield CoAccess(
                    first=first,
                    second=second,
                    steps_apart=later.number - earlier.number,
                    time_apart=abs(later.at - earlier.at),
                    one_edited=first in changed or second in changed,
                    event_ids=tuple(dict.fromkeys((*earlier.event_ids, *later.event_ids))),
                )
