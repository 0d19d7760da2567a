"""The six phases of work: what each kind of memory is worth in them, and which one follows from an agent's actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from recollect.model.value import dataclass


class Phase(StrEnum):
    """What the agent is doing just now."""

    DEFINE = "define"
    IMPLEMENT = "implement"
    VALIDATE = "validate"
    REFINE = "refine"
    EXPLORE = "explore"
    REFLECT = "reflect"


# A kind that is not named in a phase weighs 1.0 there. What to avoid (lesson) and what a person put right
# (correction) count while code is written and mended; what is open (issue) when work is planned and checked; a remedy
# when something is broken.
PHASE_WEIGHTS: Mapping[Phase, Mapping[str, float]] = {
    Phase.DEFINE: {
        "requirement": 1.5,
        "decision": 1.3,
        "workflow_recipe": 1.5,
        "task_calibration": 1.4,
        "pattern": 1.2,
        "work_state": 1.1,
        "gotcha": 0.8,
        "error_pattern": 0.7,
        "causal_dependency": 0.9,
        "dead_end": 1.2,
        "e2e_observation": 0.6,
        "prefetch_pattern": 0.5,
        "context_cost": 1.3,
        "lesson": 1.2,
        "correction": 1.1,
        "issue": 1.2,
    },
    Phase.IMPLEMENT: {
        "gotcha": 1.5,
        "error_pattern": 1.3,
        "causal_dependency": 1.3,
        "pattern": 1.2,
        "module_insight": 1.2,
        "prefetch_pattern": 1.1,
        "dead_end": 1.3,
        "workflow_recipe": 1.4,
        "work_unit_outcome": 0.9,
        "e2e_observation": 0.7,
        "requirement": 0.8,
        "decision": 0.7,
        "task_calibration": 0.5,
        "preference": 0.9,
        "context_cost": 0.4,
        "lesson": 1.4,
        "correction": 1.3,
        "issue": 0.9,
    },
    Phase.VALIDATE: {
        "error_pattern": 1.5,
        "requirement": 1.4,
        "e2e_observation": 1.5,
        "gotcha": 1.2,
        "decision": 1.1,
        "module_insight": 0.9,
        "dead_end": 0.8,
        "work_state": 0.5,
        "prefetch_pattern": 0.3,
        "task_calibration": 0.8,
        "workflow_recipe": 0.6,
        "work_unit_outcome": 1.1,
        "context_cost": 0.3,
        "correction": 1.1,
        "issue": 1.3,
        "remediation": 1.1,
    },
    Phase.REFINE: {
        "pattern": 1.4,
        "error_pattern": 1.3,
        "gotcha": 1.2,
        "dead_end": 1.4,
        "module_insight": 1.1,
        "work_state": 0.9,
        "requirement": 0.7,
        "e2e_observation": 0.8,
        "causal_dependency": 1.1,
        "work_unit_outcome": 0.8,
        "context_cost": 0.4,
        "lesson": 1.3,
        "correction": 1.2,
        "issue": 1.2,
        "remediation": 1.4,
    },
    Phase.EXPLORE: {
        "decision": 1.4,
        "module_insight": 1.3,
        "pattern": 1.2,
        "workflow_recipe": 1.1,
        "dead_end": 0.9,
        "gotcha": 0.8,
        "error_pattern": 0.7,
        "e2e_observation": 0.9,
        "causal_dependency": 1.1,
        "task_calibration": 0.6,
        "context_cost": 0.5,
        "lesson": 0.9,
        "issue": 0.9,
        "remediation": 0.9,
    },
    Phase.REFLECT: {
        "work_unit_outcome": 1.5,
        "task_calibration": 1.4,
        "dead_end": 1.3,
        "error_pattern": 1.2,
        "decision": 1.2,
        "module_insight": 1.1,
        "work_state": 0.7,
        "gotcha": 0.8,
        "context_cost": 1.3,
        "workflow_recipe": 0.6,
        "prefetch_pattern": 0.4,
        "lesson": 1.2,
        "correction": 1.1,
        "issue": 1.1,
        "remediation": 0.8,
    },
}


def phase_weight(phase: Phase | None, kind: str) -> float:
    """What a memory of this kind is worth in this phase, around 1.0."""
    return PHASE_WEIGHTS[phase].get(kind, 1.0) if phase else 1.0


class ActionKind(StrEnum):
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
class AgentAction:
    """One thing that was done. `text` is the command, the commit's subject or the prompt."""

    kind: ActionKind
    files: tuple[str, ...] = ()
    text: str = ""
    # The tests a failed run named.
    failing: tuple[str, ...] = ()


# Where a deed leads, whatever the phase was; a deed that is not here leaves the phase as it is.
_LEADS_TO: Mapping[ActionKind, Phase] = {
    ActionKind.PLANNED: Phase.DEFINE,
    ActionKind.EDITED: Phase.IMPLEMENT,
    ActionKind.TEST_PASSED: Phase.VALIDATE,
    ActionKind.CHECK_PASSED: Phase.VALIDATE,
    ActionKind.TEST_FAILED: Phase.REFINE,
    ActionKind.CHECK_FAILED: Phase.REFINE,
    ActionKind.COMMITTED: Phase.REFLECT,
}
# Where it leads from one phase in particular: an edit after a failure still mends, and a new wish ends a review.
_FROM: Mapping[tuple[Phase, ActionKind], Phase] = {
    (Phase.REFINE, ActionKind.EDITED): Phase.REFINE,
    (Phase.REFLECT, ActionKind.ASKED): Phase.EXPLORE,
}


def infer_phase(deeds: Iterable[AgentAction], before: Phase | None = None) -> Phase | None:
    """The phase an agent is in after these deeds; None while it has done nothing. Goes on from `before`."""
    phase = before
    for deed in deeds:
        earlier = phase or Phase.EXPLORE
        phase = _FROM.get((earlier, deed.kind)) or _LEADS_TO.get(deed.kind, earlier)
    return phase
