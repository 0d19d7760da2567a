"""What the memories of a slot are grouped by in sections, and in which order the groups come."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.model.e2e import E2EClass
from recollect.model.memory import Memory

# What belongs to no group comes last, under this heading.
GENERAL = "general"
# In the order a tester needs them.
OBSERVED: Mapping[str, str] = {
    E2EClass.PRECONDITION: "preconditions before testing",
    E2EClass.TEST_SEQUENCE: "known test sequences",
    E2EClass.TIMING: "timing constraints",
    E2EClass.MCP_GOTCHA: "gotchas of the tools",
    E2EClass.UI_BEHAVIOR: "known behaviour of the interface, not bugs",
}


def heading_of(memory: Memory, by: str) -> str:
    """The heading under which a memory stands."""
    return _HEADINGS[by](memory)


def place_of(heading: str, by: str) -> tuple[int, str]:
    """Where a group stands among the others: always the same, so that a text that says the same is the same."""
    if heading == GENERAL:
        return len(OBSERVED), ""
    return (list(OBSERVED.values()).index(heading) if by == OBSERVATION else 0), heading


def _service(memory: Memory) -> str:
    named = (subject.name for subject in memory.subjects if subject.type in ("service", "app"))
    return next(named, GENERAL)


def _observed(memory: Memory) -> str:
    return OBSERVED.get(str(memory.fields.get("observation_type")), GENERAL)


SERVICE = "service"
OBSERVATION = "observation_type"
_HEADINGS: Mapping[str, Callable[[Memory], str]] = {SERVICE: _service, OBSERVATION: _observed}
GROUPS = tuple(_HEADINGS)
