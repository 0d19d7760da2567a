"""Contexts are measured on a store that has something to say in each layout."""

from __future__ import annotations

from benchmarks import context
from benchmarks.goals import GOALS


def test_every_layout_is_measured() -> None:
    measures = context.run(60, 2)
    assert [measure.label for measure in measures] == list(context.LAYOUTS)
    assert measures[0].key == "context_brief"
    assert GOALS["context_brief"].at_most == 30.0
    assert all(measure.ours["p95_ms"] >= measure.ours["p50_ms"] > 0 for measure in measures)
