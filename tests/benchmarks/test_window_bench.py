"""The benchmark of the window says what it should on a small task."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from benchmarks import loop_learning, window
from benchmarks.commands import benchmarks_cli
from benchmarks.loop_picture import ARMS, Arm, RoundFigures, draw_rounds

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("critical", [False, True])
def test_nothing_needed_is_lost_and_the_task_stays(critical: bool) -> None:
    none, last, masked, ours = window.run(60, 200, critical=critical)
    assert ours.answerable >= 0.95
    assert ours.task_verbatim
    assert ours.tokens_peak < 45_000
    assert ours.tokens_mean < none.tokens_mean
    assert ours.cache_breaks < min(last.cache_breaks, masked.cache_breaks)
    assert none.answerable == 1.0
    assert last.answerable < 0.5
    assert masked.answerable < 0.5


def test_the_figures_can_be_read_by_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "measure_overhead", lambda: {"prepare_cpu_p50_ms": 0.0})
    done = CliRunner().invoke(benchmarks_cli, ["window", "--calls", "12", "--facts", "10", "--json"])
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)
    assert [way["name"] for way in figures["ways"]][-1] == "recollect window"


def test_the_rounds_are_drawn_with_every_figure_of_the_chart() -> None:
    rounds = [
        RoundFigures(
            round=number,
            arm=arm,
            runs=30,
            completed=30,
            rejected=10 if arm is Arm.LEARNING else 30,
            repeated_failures=0,
            iterations=4.5,
            adherence=0.5,
            templates=0,
            templates_passed=0,
            injected=0,
            relevant=0,
            on_task=0,
            on_task_relevant=0,
        )
        for arm in ARMS
        for number in (1, 2)
    ]
    drawn = ElementTree.fromstring(draw_rounds(rounds))
    texts = [element.text for element in drawn.iter() if element.tag.endswith("text")]
    assert "30 tasks over 2 rounds, with memory and without" in texts
    assert {"10", "30", "4.5", "50 %"} <= set(texts)
    assert sum(element.tag.endswith("circle") for element in drawn.iter()) == 3 * 6


@pytest.mark.slow
def test_a_failure_is_not_repeated_once_there_is_a_lesson() -> None:
    with_memory, unlearning, without = loop_learning.run(1)
    assert with_memory.rejected == len(loop_learning.FAMILIES), "each family fails once"
    assert unlearning.rejected == without.rejected == without.runs
    assert unlearning.adherence > without.adherence, "what the person said is there without learning too"
    assert with_memory.iterations < 0.8 * without.iterations
    assert with_memory.on_task_relevant >= 0.8 * with_memory.on_task


@pytest.mark.slow
def test_the_picture_of_the_rounds_is_what_the_loop_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else: python -m benchmarks loop --picture docs/loop.svg"""
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    assert (ROOT / "docs" / "loop.svg").read_text("utf-8") == draw_rounds(loop_learning.run())
