"""Commands that measure: how well memory answers, and how fast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from recollect.bench import locomo, longmemeval
from recollect.bench.metrics import METRICS
from recollect.bench.questions import Dataset
from recollect.bench.run import Outcome, run
from recollect.model.profile import PROFILES
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import F, common, settings

FILE = click.argument("path", type=click.Path(dir_okay=False, path_type=Path))


def _asking(command: F) -> F:
    for option in (
        click.option(
            "--profile",
            type=click.Choice(list(PROFILES)),
            default="default",
            show_default=True,
            help="How hits are ranked.",
        ),
        click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N questions."),
    ):
        command = option(command)
    return command


@click.group("bench")
def bench_() -> None:
    """Measure memory, beside baselines in the same run.

    \b
    recollect bench locomo locomo10.json
    recollect bench longmemeval longmemeval_oracle.json --json
    """


@bench_.command("locomo")
@FILE
@_asking
@common
def locomo_(path: Path, profile: str, limit: int | None) -> None:
    """How much of the evidence is found in the conversations of the LoCoMo file at PATH.

    \b
    recollect bench locomo locomo10.json --limit 100
    """
    _shown(locomo.load(path), profile, limit, unnamed_in=locomo.ADVERSARIAL)


@bench_.command("longmemeval")
@FILE
@_asking
@common
def longmemeval_(path: Path, profile: str, limit: int | None) -> None:
    """How much of the evidence is found in all sessions of the LongMemEval file at PATH, pooled.

    \b
    recollect bench longmemeval longmemeval_oracle.json --json
    """
    _shown(longmemeval.load(path), profile, limit)


def _shown(dataset: Dataset, profile: str, limit: int | None, *, unnamed_in: str | None = None) -> None:
    found = run(
        dataset.first(limit),
        profile=profile,
        settings=settings(),
        unnamed_in=unnamed_in,
        progress=output.progress,
    )
    if output.is_json():
        output.data({"benchmark": dataset.name, "profile": profile, **asdict(found)})
        return
    _text(dataset.name, found)


def _text(name: str, found: Outcome) -> None:
    output.line(f"{name}: {found.counts['questions']} questions, {found.counts['memories']} memories")
    output.line()
    _metrics("all", found.systems)
    for category, systems in found.categories.items():
        output.line()
        _metrics(f"{category} ({found.counts[f'questions {category}']})", systems)
    output.line()
    counts = {what: count for what, count in found.counts.items() if not what.startswith("questions ")}
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    output.line(f"{said}; model {found.model}; {found.seconds} s")


def _metrics(title: str, systems: Mapping[str, Mapping[str, float]]) -> None:
    rows = [(name, *(f"{scores[metric]:.1f}" for metric in METRICS)) for name, scores in systems.items()]
    output.table((title.ljust(30), *METRICS), rows)
