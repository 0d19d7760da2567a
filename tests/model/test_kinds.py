"""The table of kinds: all that the design lists, each with fields that are checked."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from recollect.errors import BadField, UnknownKind
from recollect.model.kinds import BUILT_IN, DEFAULT_KIND, Field, Kind, Kinds, check_fields
from recollect.model.phase import PHASE_WEIGHTS
from recollect.model.scope import Scope

BY_GROUP = {
    "knowledge": [
        "gotcha",
        "decision",
        "preference",
        "pattern",
        "requirement",
        "error_pattern",
        "module_insight",
        "fact",
        "contact",
        "project",
        "issue",
    ],
    "behaviour": [
        "prefetch_pattern",
        "causal_dependency",
        "task_calibration",
        "context_cost",
        "dead_end",
        "e2e_observation",
    ],
    "work": ["work_state", "work_unit_outcome", "workflow_recipe", "lesson", "correction"],
    "operations": ["timing", "dependency", "behavior", "remediation", "maintenance"],
}
KINDS = Kinds()


def test_the_kinds_are_those_of_the_design() -> None:
    assert {group: list(KINDS.in_group(group)) for group in KINDS.groups()} == BY_GROUP
    assert len(KINDS.names()) == sum(len(kinds) for kinds in BY_GROUP.values()) == 27


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_every_row_is_complete(kind: Kind) -> None:
    assert kind.heading
    assert 0 < kind.initial_confidence <= 1
    assert isinstance(kind.scope, Scope)
    assert kind.ageing in ("none", "half_life", "linear")
    assert (kind.half_life_days is not None) == (kind.ageing == "half_life")
    assert all(field.choices for field in kind.fields.values() if field.type == "choice")


def test_rows_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        KINDS.get("fact").heading = "Lies"  # type: ignore[misc]
    with pytest.raises(TypeError):
        KINDS.get("issue").fields["status"] = Field(type="text")  # type: ignore[index]


def test_a_memory_without_a_kind_is_a_fact() -> None:
    assert DEFAULT_KIND == "fact"
    assert KINDS.get(DEFAULT_KIND).fields == {}


@pytest.mark.parametrize(
    ("column", "names"),
    [
        ("embedded", {"work_unit_outcome", "context_cost"}),
        ("needs_review", {"e2e_observation"}),
        ("is_count", {"prefetch_pattern", "causal_dependency", "task_calibration", "context_cost"}),
        ("user_wide", {"preference", "contact"}),
    ],
)
def test_columns_that_few_kinds_have_otherwise(column: str, names: set[str]) -> None:
    usual = column == "embedded"
    assert {kind.name for kind in KINDS if getattr(kind, column) != usual} == names


def test_half_lives_are_those_of_the_design() -> None:
    assert {kind.name: kind.half_life_days for kind in KINDS if kind.half_life_days} == {
        "dead_end": 90,
        "work_state": 7,
    }


def test_operations_age_in_a_straight_line() -> None:
    assert {kind.name for kind in KINDS if kind.ageing == "linear"} == set(BY_GROUP["operations"])


def test_an_old_name_is_understood() -> None:
    assert KINDS.get("workflow") is KINDS.get("workflow_recipe")


@pytest.mark.parametrize(("name", "near"), [("decisio", "decision"), ("gotchas", "gotcha"), ("note", None)])
def test_a_kind_that_is_not_there_is_named_with_those_that_are(name: str, near: str | None) -> None:
    with pytest.raises(UnknownKind) as error:
        KINDS.get(name)
    assert f"no kind of memory called '{name}'" in str(error.value)
    assert "gotcha, decision" in str(error.value)
    assert near is None or f"Did you mean {near}?" in str(error.value)


def test_a_plugin_adds_rows() -> None:
    kinds = Kinds([*BUILT_IN, Kind(name="recipe", group="kitchen", heading="Recipes")])
    assert kinds.in_group("kitchen") == ("recipe",)
    assert kinds.get("recipe").initial_confidence == 0.8
    assert "recipe" not in Kinds().names()


GOOD = [
    ("decision", "rationale", "it was cheaper"),
    ("error_pattern", "error", "KeyError"),
    ("error_pattern", "occurrences", 0),
    ("contact", "email", "a@example.org"),
    ("project", "status", "going well"),
    ("issue", "status", "open"),
    ("issue", "severity", "high"),
    ("prefetch_pattern", "always_read", ["a.py", "b.py"]),
    ("prefetch_pattern", "frequently_read", ("a.py",)),
    ("prefetch_pattern", "session_count", 3),
    ("causal_dependency", "commit_count", 12),
    ("task_calibration", "ratio", 1.4),
    ("task_calibration", "ratio", 2),
    ("context_cost", "p90_tokens", 12000.0),
    ("dead_end", "why_it_failed", "too slow"),
    ("e2e_observation", "observation_type", "ui_behavior"),
    ("work_state", "methodology_state", {"step": [1, 2]}),
    ("work_unit_outcome", "succeeded", False),
    ("work_unit_outcome", "files_modified", []),
    ("work_unit_outcome", "tokens_used", 10**6),
    ("workflow_recipe", "steps", [{"description": "First", "files": ["a"]}]),
    ("workflow_recipe", "success_rate", 0.5),
    ("lesson", "instead", "ask first"),
    ("correction", "said", "no"),
]
BAD = [
    ("decision", "rationale", 3, "it must be text"),
    ("decision", "rationale", None, "it must be text"),
    ("decision", "colour", "red", "its fields are: rationale"),
    ("fact", "anything", "x", "its fields are: none"),
    ("timing", "anything", "x", "its fields are: none"),
    ("error_pattern", "occurrences", -1, "it must be at least 0"),
    ("error_pattern", "occurrences", 1.5, "it must be a whole number"),
    ("error_pattern", "occurrences", True, "it must be a number"),
    ("error_pattern", "occurrences", "3", "it must be a whole number"),
    ("issue", "status", "half", "it must be one of open, resolved"),
    ("issue", "status", ["open"], "it must be one of open, resolved"),
    ("prefetch_pattern", "always_read", "a.py", "it must be a list of texts"),
    ("prefetch_pattern", "always_read", ["a.py", 3], "it must be a list of texts"),
    ("task_calibration", "ratio", float("nan"), "it must be a number"),
    ("task_calibration", "ratio", -0.1, "it must be at least 0"),
    ("task_calibration", "ratio", "much", "it must be a number"),
    ("e2e_observation", "observation_type", "mood", "it must be one of precondition, timing"),
    ("work_state", "methodology_state", "busy", "it must be an object"),
    ("work_unit_outcome", "succeeded", 1, "it must be true or false"),
    ("workflow_recipe", "steps", ["First"], "it must be a list of steps"),
    ("workflow_recipe", "steps", [{"name": "First"}], "it must be a list of steps"),
    ("workflow_recipe", "steps", "First", "it must be a list of steps"),
]


@pytest.mark.parametrize(("kind", "field", "value"), GOOD)
def test_a_field_as_its_kind_wants_it_is_kept(kind: str, field: str, value: object) -> None:
    assert check_fields(KINDS.get(kind), {field: value}) == {field: value}


@pytest.mark.parametrize(("kind", "field", "value", "why"), BAD)
def test_a_field_that_does_not_fit_is_refused_with_the_reason(
    kind: str, field: str, value: object, why: str
) -> None:
    with pytest.raises(BadField) as error:
        check_fields(KINDS.get(kind), {field: value})
    assert f"A {kind} cannot carry {field}={value!r}" in str(error.value)
    assert why in str(error.value)


def test_every_field_of_every_kind_refuses_what_is_nothing() -> None:
    for kind in KINDS:
        for field in kind.fields:
            with pytest.raises(BadField):
                check_fields(kind, {field: object()})


def test_a_field_may_be_required() -> None:
    kind = Kind(
        name="visit", group="own", heading="Visits", fields={"where": Field(type="text", required=True)}
    )
    assert check_fields(kind, {"where": "home"}) == {"where": "home"}
    with pytest.raises(BadField, match="it must be given"):
        check_fields(kind, {})


def test_all_checks_are_used() -> None:
    used = {field.type for kind in KINDS for field in kind.fields.values()}
    assert used == {"text", "texts", "number", "integer", "flag", "choice", "object", "steps"}


def test_phases_weigh_only_kinds_that_exist() -> None:
    assert {kind for weights in PHASE_WEIGHTS.values() for kind in weights} <= set(KINDS.names())
