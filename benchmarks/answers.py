"""The commands that ask questions of a conversation: LoCoMo and LongMemEval."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from benchmarks import locomo, longmemeval
from benchmarks.metrics import METRICS
from benchmarks.questions import Dataset
from benchmarks.run import Outcome, run
from recollect.model.profile import PROFILES
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import F, common, read_settings


def _question_options(command: F) -> F:
    for option in (
        click.option(
            "--profile",
            type=click.Choice(list(PROFILES)),
            default="default",
            show_default=True,
            help="How hits are ranked.",
        ),
        click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N questions."),
        click.option(
            "--store", metavar="ADDRESS", default="", help="Keep memories at postgresql://…, not in files."
        ),
        click.argument("path", type=click.Path(dir_okay=False, path_type=Path)),
    ):
        command = option(command)
    return command


@click.command("locomo")
@_question_options
@common
def locomo_(path: Path, profile: str, limit: int | None, store: str) -> None:
    """How much of the evidence is found in the conversations of the LoCoMo file at PATH.

    Categories 1 to 4 make up the whole; category 5 stands apart, also without subject matching.

    \b
    python -m benchmarks locomo locomo10.json --limit 100
    """
    _run_answers(locomo.load(path), profile, limit, store, unnamed_in=locomo.ADVERSARIAL)


@click.command("longmemeval")
@_question_options
@common
def longmemeval_(path: Path, profile: str, limit: int | None, store: str) -> None:
    """How much of the evidence is found in all sessions of the LongMemEval file at PATH, pooled.

    \b
    python -m benchmarks longmemeval longmemeval_oracle.json --json
    """
    _run_answers(longmemeval.load(path), profile, limit, store)


def _run_answers(
    dataset: Dataset, profile: str, limit: int | None, store: str, *, unnamed_in: str | None = None
) -> None:
    outcome = run(
        dataset.first(limit),
        profile=profile,
        settings=read_settings(),
        unnamed_in=unnamed_in,
        store=store,
        progress=output.show_progress,
    )
    if output.is_json():
        output.print_json({"benchmark": dataset.name, "profile": profile, **asdict(outcome)})
    else:
        _print_outcome(dataset.name, outcome)


def _print_outcome(name: str, outcome: Outcome) -> None:
    output.print_line(
        f"{name}: {outcome.counts['questions']} questions, {outcome.counts['memories']} memories"
    )
    output.print_line()
    _print_metrics("all", outcome.systems)
    for category, systems in outcome.categories.items():
        output.print_line()
        _print_metrics(f"{category} ({outcome.counts[f'questions {category}']})", systems)
    output.print_line()
    counts = {what: count for what, count in outcome.counts.items() if not what.startswith("questions ")}
    counts_text = ", ".join(f"{count} {what}" for what, count in counts.items())
    output.print_line(f"{counts_text}; model {outcome.model}; {outcome.seconds} s")


def _print_metrics(title: str, systems: Mapping[str, Mapping[str, float]]) -> None:
    rows = [(name, *(f"{scores[metric]:.1f}" for metric in METRICS)) for name, scores in systems.items()]
    output.print_table((title.ljust(30), *METRICS), rows)
