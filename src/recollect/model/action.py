"""What an agent did, as far as its phase can be told from it; and the phase that follows from a row of deeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from recollect.model.phase import Phase
from recollect.model.value import dataclass


class DeedKind(StrEnum):
    """What was done, whatever tool did it."""

    ASKED = "asked"
    LOOKED = "looked"
    PLANNED = "planned"
    EDITED = "edited"
    TEST_PASSED = "test_passed"
    TEST_FAILED = "test_failed"
    CHECK_PASSED = "check_passed"
    CHECK_FAILED = "check_failed"
    COMMITTED = "committed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that was done. `text` is the command, the commit's subject or the prompt."""

    kind: DeedKind
    files: tuple[str, ...] = ()
    text: str = ""
    # The tests a failed run named.
    failing: tuple[str, ...] = ()


# Where a deed leads, whatever the phase was; a deed that is not here leaves the phase as it is.
_LEADS_TO: Mapping[DeedKind, Phase] = {
    DeedKind.PLANNED: Phase.DEFINE,
    DeedKind.EDITED: Phase.IMPLEMENT,
    DeedKind.TEST_PASSED: Phase.VALIDATE,
    DeedKind.CHECK_PASSED: Phase.VALIDATE,
    DeedKind.TEST_FAILED: Phase.REFINE,
    DeedKind.CHECK_FAILED: Phase.REFINE,
    DeedKind.COMMITTED: Phase.REFLECT,
}
# Where it leads from one phase in particular: an edit after a failure still mends, and a new wish ends a review.
_FROM: Mapping[tuple[Phase, DeedKind], Phase] = {
    (Phase.REFINE, DeedKind.EDITED): Phase.REFINE,
    (Phase.REFLECT, DeedKind.ASKED): Phase.EXPLORE,
}


def phase_after(deeds: Iterable[Deed], before: Phase | None = None) -> Phase | None:
    """The phase an agent is in after these deeds; None while it has done nothing. Goes on from `before`."""
    phase = before
    for deed in deeds:
        earlier = phase or Phase.EXPLORE
        phase = _FROM.get((earlier, deed.kind)) or _LEADS_TO.get(deed.kind, earlier)
    return phase
