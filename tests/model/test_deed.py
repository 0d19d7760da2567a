"""From what was done to the phase the work is in."""

from __future__ import annotations

import pytest

from recollect.model.phase import ActionKind, AgentAction, Phase, infer_phase


def after(row: str) -> Phase | None:
    return infer_phase(AgentAction(kind=ActionKind(word)) for word in row.split())


@pytest.mark.parametrize(
    ("row", "phase"),
    [
        ("asked", "explore"),
        ("asked looked looked", "explore"),
        ("looked planned", "define"),
        ("planned looked", "define"),
        ("planned edited", "implement"),
        ("edited looked", "implement"),
        ("edited test_passed", "validate"),
        ("edited check_passed", "validate"),
        ("edited test_failed", "refine"),
        ("edited check_failed", "refine"),
        ("edited test_failed looked edited", "refine"),
        ("edited test_failed edited test_passed", "validate"),
        ("edited test_passed edited", "implement"),
        ("edited test_passed committed", "reflect"),
        ("edited committed looked", "reflect"),
        ("edited committed asked", "explore"),
        ("edited committed asked edited", "implement"),
        ("edited test_failed asked", "refine"),
    ],
)
def test_the_phase_follows_from_what_was_done(row: str, phase: str) -> None:
    assert after(row) == phase


def test_nothing_done_is_no_phase() -> None:
    assert after("") is None


def test_it_goes_on_from_where_it_was() -> None:
    deeds = [
        AgentAction(kind=ActionKind(word))
        for word in "looked edited test_failed edited test_passed committed".split()
    ]
    for cut in range(len(deeds)):
        assert infer_phase(deeds[cut:], infer_phase(deeds[:cut])) is infer_phase(deeds)


@pytest.mark.parametrize("kind", ActionKind)
def test_every_deed_leads_somewhere(kind: ActionKind) -> None:
    assert infer_phase([AgentAction(kind=kind)]) in set(Phase)
