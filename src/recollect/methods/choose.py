"""Which way of working a checkout follows: what the setting says, else what the files show, else native."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.methods.known import Known
from recollect.model.method import Methodology, Surroundings
from recollect.model.value import dataclass
from recollect.plugins import OURS

AUTO = "auto"
PLAIN = "native"
# The more a methodology's files are its own, the sooner it is asked.
_ASKED_IN_ORDER = ("bmad", "native", "tdd", "agile")


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """The methodology in force, and why."""

    method: Methodology
    why: str
    # Named by a setting, not seen in the files.
    was_set: bool = False


def choose(known: Known, around: Surroundings, wanted: str = AUTO, origin: str = "default") -> Active:
    """The methodology for these surroundings. One that is set and not there is named, and native stands in."""
    if wanted != AUTO:
        found = next((one.value for one in known.plugged if one.value.id == wanted), None)
        if found:
            return Active(method=found, why=f"set by {origin}", was_set=True)
        why = f"{origin} asks for {wanted}, which is not installed"
        return Active(method=known.named(PLAIN), why=why)
    for method in _in_order(known):
        if why := method.detect(around):
            return Active(method=method, why=why)
    return Active(method=known.named(PLAIN), why="nothing in this project shows another way of working")


def _in_order(known: Known) -> Sequence[Methodology]:
    # One that is not ours was installed on purpose: it is asked first.
    foreign = [one.value for one in known.plugged if one.origin != OURS]
    return [*foreign, *(known.named(name) for name in _ASKED_IN_ORDER)]
