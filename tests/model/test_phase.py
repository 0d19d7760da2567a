"""What each kind is worth in each phase."""

from __future__ import annotations

import pytest

from recollect.model.kinds import BUILT_IN, Kind
from recollect.model.phase import PHASE_WEIGHTS, Phase, phase_weight

# As the design has them; a kind that is not named weighs 1.
SEED = {
    "define": """requirement 1.5, decision 1.3, workflow_recipe 1.5, task_calibration 1.4, pattern 1.2,
        work_state 1.1, preference 1.0, module_insight 1.0, gotcha 0.8, error_pattern 0.7,
        causal_dependency 0.9, dead_end 1.2,
        e2e_observation 0.6, prefetch_pattern 0.5, work_unit_outcome 1.0, context_cost 1.3""",
    "implement": """gotcha 1.5, error_pattern 1.3, causal_dependency 1.3, pattern 1.2, module_insight 1.2,
        prefetch_pattern 1.1, work_state 1.0, dead_end 1.3, workflow_recipe 1.4, work_unit_outcome 0.9,
        e2e_observation 0.7, requirement 0.8, decision 0.7, task_calibration 0.5, preference 0.9,
        context_cost 0.4""",
    "validate": """error_pattern 1.5, requirement 1.4, e2e_observation 1.5, gotcha 1.2, decision 1.1,
        module_insight 0.9, dead_end 0.8, work_state 0.5, prefetch_pattern 0.3, causal_dependency 1.0,
        task_calibration 0.8, workflow_recipe 0.6, work_unit_outcome 1.1, context_cost 0.3""",
    "refine": """pattern 1.4, error_pattern 1.3, gotcha 1.2, dead_end 1.4, decision 1.0, module_insight 1.1,
        work_state 0.9, requirement 0.7, e2e_observation 0.8, workflow_recipe 1.0, causal_dependency 1.1,
        work_unit_outcome 0.8, context_cost 0.4""",
    "explore": """decision 1.4, module_insight 1.3, pattern 1.2, workflow_recipe 1.1, requirement 1.0,
        preference 1.0, dead_end 0.9, work_unit_outcome 1.0, gotcha 0.8, error_pattern 0.7,
        e2e_observation 0.9, causal_dependency 1.1, task_calibration 0.6, context_cost 0.5""",
    "reflect": """work_unit_outcome 1.5, task_calibration 1.4, dead_end 1.3, error_pattern 1.2, decision 1.2,
        module_insight 1.1, e2e_observation 1.0, work_state 0.7, gotcha 0.8, context_cost 1.3,
        workflow_recipe 0.6, prefetch_pattern 0.4""",
}


# The kinds the design does not have; what is not named weighs 1.
OURS = {
    "define": "lesson 1.2, correction 1.1, issue 1.2",
    "implement": "lesson 1.4, correction 1.3, issue 0.9",
    "validate": "correction 1.1, issue 1.3, remediation 1.1",
    "refine": "lesson 1.3, correction 1.2, issue 1.2, remediation 1.4",
    "explore": "lesson 0.9, issue 0.9, remediation 0.9",
    "reflect": "lesson 1.2, correction 1.1, issue 1.1, remediation 0.8",
}
TABLE = {phase: f"{SEED[phase]}, {OURS[phase]}" for phase in SEED}


def weights(text: str) -> dict[str, float]:
    pairs = (pair.split() for pair in text.split(","))
    return {kind: float(weight) for kind, weight in pairs}


def test_there_are_six_phases() -> None:
    assert [str(phase) for phase in Phase] == list(SEED)


@pytest.mark.parametrize(
    ("phase", "kind", "weight"),
    [(phase, kind, weight) for phase in Phase for kind, weight in weights(TABLE[phase]).items()],
)
def test_each_weight_is_that_of_the_design(phase: Phase, kind: str, weight: float) -> None:
    assert phase_weight(phase, kind) == weight


@pytest.mark.parametrize("phase", Phase)
def test_no_other_weight_is_in_the_table(phase: Phase) -> None:
    wanted = weights(TABLE[phase])
    assert set(PHASE_WEIGHTS[phase]) == {kind for kind, weight in wanted.items() if weight != 1.0}


@pytest.mark.parametrize("phase", Phase)
def test_every_weighed_kind_is_a_kind(phase: Phase) -> None:
    assert set(PHASE_WEIGHTS[phase]) <= {kind.name for kind in BUILT_IN}


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_every_kind_has_a_weight_around_one(phase: Phase, kind: Kind) -> None:
    assert 0.3 <= phase_weight(phase, kind.name) <= 1.5


@pytest.mark.parametrize("phase", Phase)
def test_a_kind_that_no_phase_names_weighs_one(phase: Phase) -> None:
    assert phase_weight(phase, "contact") == phase_weight(phase, "timing") == 1.0


def test_without_a_phase_all_weigh_one() -> None:
    assert phase_weight(None, "gotcha") == 1.0
