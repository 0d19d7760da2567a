"""
What a prompt is told, measured: how much of it was wanted, how much of what was wanted was told, and whether silence
was right.

Every question of the half that nothing was fitted to is asked of its own store and of others (`labelled.py`). Told is
what reaches the bar of a first prompt. Beside it stand the best few told always, and silence always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks import labelled, metrics, relevance, relevance_sessions
from benchmarks.labelled import Labelled, label_answers
from benchmarks.questions import Dataset
from benchmarks.replay import WARM_UP
from benchmarks.run import Progress, open_chosen_embedder, quiet
from recollect.config import Settings
from recollect.errors import BadInput
from recollect.inject.calibrate import ANSWERS, ANSWERS_BY_WORDS, Curve, Features, load_curves
from recollect.inject.layout import MIN_ANSWER_PROBABILITY
from recollect.model.value import asdict, dataclass
from recollect.providers.embed import Embedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, read_settings, refuse_options

OURS = "recollect"
ALWAYS = "top-k always"
SILENCE = "always silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceScore:
    """What came of telling, or of keeping silent; shares in percent, none where there is nothing to count."""

    # Of what was told, how much was wanted; of what was wanted, how much was told.
    precision: float | None
    recall: float | None
    # Of the questions without an answer, how many met with silence; of the silences, how many were right.
    silent_when_unknown: float | None
    silence_was_right: float | None
    # Of the questions with an answer, how many were told at least one thing they wanted.
    helped: float | None
    items: int


def run(
    datasets: Sequence[Dataset],
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """Ask, tell, and count."""
    questions = label_answers(datasets, settings=settings, embedder=embedder, progress=progress)
    if not questions:
        raise BadInput("There is nothing to measure: all of it belongs to the half that was fitted to.")
    curve = load_curves()[ANSWERS if embedder else ANSWERS_BY_WORDS]
    sources = dict.fromkeys(one.source for one in questions)
    return {
        "systems": _systems(curve, questions),
        "sources": {
            source: _systems(curve, [one for one in questions if one.source == source]) for source in sources
        },
        **_calibration(curve, questions),
        "bar": MIN_ANSWER_PROBABILITY,
        "counts": {
            "questions": len(questions),
            "with_answer": sum(one.answerable for one in questions),
            "items": sum(len(one.found) for one in questions),
        },
    }


def _systems(curve: Curve, questions: Sequence[Labelled]) -> dict[str, dict[str, Any]]:
    tellers: Mapping[str, Callable[[Features], bool]] = {
        OURS: lambda features: curve.at(features) >= MIN_ANSWER_PROBABILITY,
        ALWAYS: lambda features: True,
        SILENCE: lambda features: False,
    }
    return {name: asdict(_score(questions, tells)) for name, tells in tellers.items()}


def _score(questions: Sequence[Labelled], tells: Callable[[Features], bool]) -> RelevanceScore:
    shown = [[is_wanted for features, is_wanted in one.found if tells(features)] for one in questions]
    pairs = list(zip(questions, shown, strict=True))
    unknown = [items for one, items in pairs if not one.answerable]
    answerable = [items for one, items in pairs if one.answerable]
    silences = [one for one, items in pairs if not items]
    right = sum(map(sum, shown))
    return RelevanceScore(
        precision=_percent(right, sum(map(len, shown))),
        recall=_percent(right, sum(one.wanted for one in questions)),
        silent_when_unknown=_percent(sum(not items for items in unknown), len(unknown)),
        silence_was_right=_percent(sum(not one.answerable for one in silences), len(silences)),
        helped=_percent(sum(map(any, answerable)), len(answerable)),
        items=sum(map(len, shown)),
    )


def _calibration(curve: Curve, questions: Sequence[Labelled]) -> dict[str, Any]:
    examples = [one for question in questions for one in question.found]
    bins = metrics.calibration_table(
        [curve.at(features) for features, _ in examples], [wanted for _, wanted in examples]
    )
    return {
        "reliability": [asdict(one) for one in bins],
        "calibration_error": round(metrics.calibration_error(bins), 4),
    }


def _percent(part: float, whole: float) -> float | None:
    return round(100 * part / whole, 1) if whole else None


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
        refuse_options(("warm_up",), "sessions are learned from with --sessions FOLDER")
    model = open_chosen_embedder(read_settings())
    outcome: dict[str, Any] = {"benchmark": "relevance"}
    if paths:
        datasets = [labelled.load(path) for path in paths]
        outcome["questions"] = relevance.run(
            datasets, settings=read_settings(), embedder=model, progress=output.show_progress
        )
    if sessions is not None:
        outcome["sessions"] = relevance_sessions.run(
            sessions, warm_up=warm_up, settings=read_settings(), embedder=model, progress=output.show_progress
        )
    if output.is_json():
        output.print_json(outcome)
        return
    if paths:
        _print_questions(outcome["questions"])
    if sessions is not None:
        _print_sessions(outcome["sessions"])


def _print_questions(outcome: Mapping[str, Any]) -> None:
    counts = outcome["counts"]
    _print_systems(
        f"{counts['questions']} questions, {counts['with_answer']} with an answer",
        outcome["systems"],
        _QUESTIONS,
    )
    for source, systems in outcome["sources"].items():
        _print_systems(source, systems, _QUESTIONS)
    rows = [
        (f"{100 * one['said']:.0f}", f"{100 * one['true']:.0f}", str(one["count"]))
        for one in outcome["reliability"]
    ]
    output.print_table(("said to be wanted, %", "wanted, %", "items"), rows)
    output.print_line(f"Calibration error {outcome['calibration_error']:.3f}; the bar is {outcome['bar']:g}.")
    output.print_line()


def _print_sessions(outcome: Mapping[str, Any]) -> None:
    systems = outcome["systems"]
    _print_systems(f"{outcome['counts']['scored']} sessions", systems, tuple(next(iter(systems.values()))))
    for name, kinds in outcome["kinds"].items():
        kinds_text = ", ".join(
            f"{one['items']} {kind} ({one['used']:.0f} % used)" for kind, one in kinds.items()
        )
        if kinds_text:
            output.print_line(f"{name}: {kinds_text}")


def _print_systems(title: str, systems: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> None:
    rows = [(system, *(_figure(figures[name]) for name in names)) for system, figures in systems.items()]
    output.print_table((title, *(name.replace("_", " ") for name in names)), rows)
    output.print_line()


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
