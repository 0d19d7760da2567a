"""`python -m benchmarks relevance`: whether what is told unasked is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks import labelled, relevance, relevance_sessions
from benchmarks.replay import WARM_UP
from benchmarks.run import opened_embedder
from recollect.errors import BadInput
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, refuse, settings

_QUESTIONS = ("precision", "recall", "silent_when_unknown", "silence_was_right", "helped", "items")


@click.command("relevance")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--sessions",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Session files: what prompts would have been told, and whether the session needed it.",
)
@click.option(
    "--warm-up",
    type=click.IntRange(0),
    default=WARM_UP,
    show_default=True,
    help="So many sessions are learned before the first is scored.",
)
@common
def relevance_(paths: tuple[Path, ...], sessions: Path | None, warm_up: int) -> None:
    """How much of what is told unasked is wanted, how much of what is wanted is told, and whether silence was right.

    PATH is a LoCoMo or LongMemEval file; the half that the bars were not fitted to is asked. Beside it stand the best
    few told always, and silence.

    \b
    python -m benchmarks relevance locomo10.json longmemeval_oracle.json
    python -m benchmarks relevance --sessions ~/.claude/projects/-home-kim-shop --json
    """
    if not paths and sessions is None:
        raise BadInput("Name files of questions, a folder of sessions with --sessions, or both.")
    if sessions is None:
        refuse(("warm_up",), "sessions are learned from with --sessions FOLDER")
    model = opened_embedder(settings())
    found: dict[str, Any] = {"benchmark": "relevance"}
    if paths:
        datasets = [labelled.load(path) for path in paths]
        found["questions"] = relevance.run(
            datasets, settings=settings(), embedder=model, progress=output.progress
        )
    if sessions is not None:
        found["sessions"] = relevance_sessions.run(
            sessions, warm_up=warm_up, settings=settings(), embedder=model, progress=output.progress
        )
    if output.is_json():
        output.data(found)
        return
    if paths:
        _questions(found["questions"])
    if sessions is not None:
        _sessions(found["sessions"])


def _questions(found: Mapping[str, Any]) -> None:
    counts = found["counts"]
    _systems(
        f"{counts['questions']} questions, {counts['with_answer']} with an answer",
        found["systems"],
        _QUESTIONS,
    )
    for source, systems in found["sources"].items():
        _systems(source, systems, _QUESTIONS)
    rows = [
        (f"{100 * one['said']:.0f}", f"{100 * one['true']:.0f}", str(one["count"]))
        for one in found["reliability"]
    ]
    output.table(("said to be wanted, %", "wanted, %", "items"), rows)
    output.line(f"Calibration error {found['calibration_error']:.3f}; the bar is {found['bar']:g}.")
    output.line()


def _sessions(found: Mapping[str, Any]) -> None:
    systems = found["systems"]
    _systems(f"{found['counts']['scored']} sessions", systems, tuple(next(iter(systems.values()))))
    for name, kinds in found["kinds"].items():
        said = ", ".join(f"{one['items']} {kind} ({one['used']:.0f} % used)" for kind, one in kinds.items())
        if said:
            output.line(f"{name}: {said}")


def _systems(title: str, systems: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> None:
    rows = [(system, *(_figure(figures[name]) for name in names)) for system, figures in systems.items()]
    output.table((title, *(name.replace("_", " ") for name in names)), rows)
    output.line()


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
