"""
How fast a context is put together in a process that runs already, with many memories.

The brief of a session is what every agent waits for; the others are measured beside it. Embedding is not measured: the
vectors are given.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import cycle
from pathlib import Path

import click

from benchmarks.goals import Measure, as_json, format_figures
from benchmarks.run import Progress, quiet
from benchmarks.synthetic import Corpus, GivenEmbedder, Made
from benchmarks.timing import Times, one_thread
from recollect.api import Recollect
from recollect.config import load_settings
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

SIZE = 10_000
RUNS = 200
_BATCH = 1_000
_WARM_UP = 5
LAYOUTS = ("brief", "first prompt", "coding", "desktop", "loop", "operations")
# As a store of a year has them: much knowledge, some of everything else.
_KINDS = (
    *("fact", "decision", "gotcha", "pattern", "module_insight", "error_pattern") * 3,
    "preference",
    "work_state",
    "work_unit_outcome",
    "workflow_recipe",
    "lesson",
    "timing",
    "dependency",
)


def run(size: int = SIZE, runs: int = RUNS, *, progress: Progress = quiet) -> list[Measure]:
    """Every layout so many times on a store of so many memories, each time for another question."""
    with one_thread(), tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        model = GivenEmbedder(model_id=BundledEmbedder.model_id, with_words=True)
        corpus = Corpus()
        settings = load_settings(flags={"embedding.tier": "bundled"})
        place = Path(folder)
        with Recollect(place / "memories.db", folder=place, settings=settings, embedder=model) as memory:
            newest = _fill(memory, model, corpus, size, progress)
            questions = corpus.questions(newest, _WARM_UP + runs)
            measures: list[Measure] = []
            with progress("Measuring contexts") as step:
                for done, layout in enumerate(LAYOUTS, start=1):
                    times = Times()
                    for number, question in enumerate(questions):
                        if number == _WARM_UP:
                            times = Times()
                        model.give_question(question)
                        times.take(partial(memory.context, question.text, layout=layout))
                    measures.append(_measure(layout, size, times))
                    step(done, len(LAYOUTS))
    return measures


def _fill(
    memory: Recollect, model: GivenEmbedder, corpus: Corpus, size: int, progress: Progress
) -> Sequence[Made]:
    kinds = cycle(_KINDS)
    memories_made: list[Made] = []
    with progress(f"Remembering {size:,}") as step:
        for start in range(0, size, _BATCH):
            memories_made = corpus.memories(min(_BATCH, size - start))
            model.give(memories_made)
            memory.remember_many(
                [
                    memory.draft(one.text, kind=next(kinds), about=one.about, session=one.session)
                    for one in memories_made
                ]
            )
            step(start + len(memories_made), size)
    return memories_made


def _measure(layout: str, size: int, times: Times) -> Measure:
    figures = times.figures("")
    names = ("p95_ms", "p50_ms", "cpu_p50_ms", "cpu_p95_ms")
    return Measure(
        key=f"context_{layout.replace(' ', '_')}",
        label=layout,
        ours={name: figures[f"_{name}"] for name in names},
        size=size,
    )


@click.command("context")
@click.option("--size", type=click.IntRange(1), default=SIZE, show_default=True, help="How many memories.")
@click.option("--runs", type=click.IntRange(1), default=RUNS, show_default=True, help="How often each.")
@json_option
def context_(size: int, runs: int) -> None:
    """How long it takes to put a context together in a process that runs already; embedding is not measured.

    \b
    python -m benchmarks context --size 1000 --runs 50
    """
    measures = run(size, runs, progress=output.show_progress)
    if output.is_json():
        output.print_json({"benchmark": "context", "size": size, "runs": runs, "measures": as_json(measures)})
        return
    rows = [(m.label, format_figures(m.ours), str(m.goal or ""), m.verdict) for m in measures]
    output.print_table(("layout", "time", "goal", ""), rows)
