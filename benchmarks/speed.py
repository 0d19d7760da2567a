"""
How fast memory is, beside the floor in the same run, operation by operation in turn.

Embedding is not measured: the vectors are given. Wall time is what a person waits; CPU time is what remains
of it when others use the machine too. Both sides have one thread for their vectors.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from benchmarks import goals, timing
from benchmarks.floor import Floor
from benchmarks.goals import Measure
from benchmarks.run import Progress, quiet
from benchmarks.synthetic import DIMENSIONS, Corpus, GivenEmbedder, Made, MadeQuestion
from benchmarks.timing import one_thread
from recollect.api import Recollect
from recollect.config import load_settings
from recollect.errors import BadInput
from recollect.model.memory import MemoryDraft
from recollect.model.value import dataclass, field
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

SIZES = (1_000, 10_000, 100_000)
OPERATIONS = 200
PROCESSES = 11
BATCH = 1_000
HITS = 20
WARM_UP = 5

Act = Callable[[], object]


def run(
    sizes: Sequence[int] = SIZES,
    *,
    operations: int = OPERATIONS,
    processes: int = PROCESSES,
    progress: Progress = quiet,
    tell: Callable[[Measure], None] = lambda measure: None,
) -> list[Measure]:
    """Measure everything and tell each figure as it comes; some need so many fresh `processes`."""
    if not sizes or sorted(set(sizes)) != list(sizes) or sizes[0] < 1:
        raise BadInput(reason="sizes are whole numbers, each larger than the one before, such as 1000,10000")
    measures: list[Measure] = []

    def keep(measures_now: Sequence[Measure]) -> None:
        measures.extend(measures_now)
        for measure in measures_now:
            tell(measure)

    keep(timing.measure_start(processes))
    with one_thread(), ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="recollect-bench-")))
        stores = _Stores(folder)
        opened.callback(stores.close)
        for size in sizes:
            keep(stores.grow(size, progress))
            acts = (
                partial(stores.remember_one_by_one, size, operations),
                partial(stores.search, size, operations, closer=False),
                partial(stores.search, size, operations, closer=True),
                partial(stores.on_disk, size),
                partial(stores.cold, size, processes),
            )
            with progress(f"Measuring at {size:,}") as step:
                for done, act in enumerate(acts, start=1):
                    keep(act())
                    step(done, len(acts))
    return measures


@dataclass(slots=True)
class Times:
    """What operations took, one by one, in seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def take(self, act: Act) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        act()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)

    def figures(self) -> dict[str, float]:
        wall = sorted(self.wall)
        late = wall[math.ceil(0.95 * len(wall)) - 1]
        return {
            "p50_ms": 1000 * statistics.median(wall),
            "p95_ms": 1000 * late,
            "cpu_p50_ms": 1000 * statistics.median(self.cpu),
        }

    def rate(self, added: int) -> dict[str, float]:
        return {"per_s": added / sum(self.wall), "cpu_per_s": added / max(sum(self.cpu), 1e-9)}


class _Stores:
    """Three that grow together: memory with vectors, memory with word vectors too (True), and the floor."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._corpus = Corpus()
        # With the bundled model's name on the vectors, a fresh process can search them with that model.
        name = BundledEmbedder.model_id
        self._models = {words: GivenEmbedder(model_id=name, with_words=words) for words in (False, True)}
        settings = load_settings(flags={"embedding.tier": "bundled"})
        self._memories = {
            words: Recollect(folder / f"{words}.db", folder=None, settings=settings, embedder=model)
            for words, model in self._models.items()
        }
        self._floor_file = folder / "floor.db"
        self._floor = Floor(self._floor_file, dimensions=DIMENSIONS, ignored=self._corpus.stop_words)
        self._size = 0
        self._newest: list[Made] = []

    def close(self) -> None:
        for memory in self._memories.values():
            memory.close()
        self._floor.close()

    def grow(self, size: int, progress: Progress) -> list[Measure]:
        """Remember in batches until there are so many."""
        ours, closer, floor = Times(), Times(), Times()
        start = self._size
        with progress(f"Remembering {size:,}") as step:
            while self._size < size:
                memories = self._corpus.memories(min(BATCH, size - self._size))
                drafts = self._drafts(memories)
                ours.take(partial(self._memories[False].remember_many, drafts))
                closer.take(partial(self._memories[True].remember_many, drafts))
                floor.take(partial(self._floor.add, [(one.text, one.vector) for one in memories]))
                self._size += len(memories)
                self._newest = [*self._newest, *memories][-BATCH:]
                step(self._size - start, size - start)
        added = self._size - start
        if not added:
            return []
        theirs = floor.rate(added)
        label = "batch ingest"
        return [
            Measure(key="batch", label=label, size=size, ours=ours.rate(added), floor=theirs),
            Measure(
                key="batch_closer",
                label=f"{label}, with word vectors",
                size=size,
                ours=closer.rate(added),
                floor=theirs,
            ),
        ]

    def remember_one_by_one(self, size: int, operations: int) -> list[Measure]:
        """One memory, one commit on disk, then the next."""
        memory = self._memories[False]
        memories = self._corpus.memories(WARM_UP + operations)
        drafts = self._drafts(memories)
        ours, floor = take_turns(
            [partial(memory.remember, one.text, about=one.about, session=one.session) for one in memories],
            [partial(self._floor.add, [(one.text, one.vector)]) for one in memories],
        )
        self._memories[True].remember_many(drafts)  # it keeps step
        self._size += len(memories)
        return [_measure("ingest", "single durable ingest", size, _with_rate(ours), _with_rate(floor))]

    def search(self, size: int, operations: int, *, closer: bool) -> list[Measure]:
        """Hybrid search in a warm process."""
        questions = self._corpus.questions(self._newest, WARM_UP + operations)
        ours, floor = take_turns(
            [partial(self._ask, question, closer) for question in questions],
            [
                partial(self._floor.search, made_question.text, made_question.vector, HITS)
                for made_question in questions
            ],
        )
        key, label = ("search_closer", "search, closer look") if closer else ("search", "search")
        return [_measure(key, label, size, ours.figures(), floor.figures())]

    def on_disk(self, size: int) -> list[Measure]:
        """What a memory takes in the file."""
        self._floor.compact()
        theirs = {"bytes": self._floor_file.stat().st_size / self._size}
        measures = []
        for words, key, label in (
            (False, "disk", "on disk, per memory"),
            (True, "disk_closer", "on disk, with word vectors"),
        ):
            copy = self._copied(words)
            measures.append(_measure(key, label, size, {"bytes": copy.stat().st_size / self._size}, theirs))
            copy.unlink()
        return measures

    def cold(self, size: int, processes: int) -> list[Measure]:
        """How long a fresh process needs for its first answer."""
        copies = (self._copied(False), self._copied(True))
        question = self._corpus.questions(self._newest, 1)[0].text
        measures = timing.measure_recall(*copies, self._floor_file, question, size, processes)
        for copy in copies:
            copy.unlink()
        return measures

    def _copied(self, words: bool) -> Path:
        return self._memories[words].admin.backup(self._folder / f"copy {words}.db")

    def _ask(self, question: MadeQuestion, closer: bool) -> None:
        self._models[closer].give_question(question)
        self._memories[closer].recall(question.text, limit=HITS, profile="default")

    def _drafts(self, memories: Sequence[Made]) -> list[MemoryDraft]:
        for model in self._models.values():
            model.give(memories)
        draft = self._memories[False].draft
        return [draft(one.text, about=one.about, session=one.session) for one in memories]


def take_turns(ours: Sequence[Act], theirs: Sequence[Act]) -> tuple[Times, Times]:
    """Both, operation by operation, now this one first and now that one; the first few do not count."""
    mine, floor = Times(), Times()
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if number == WARM_UP:
            mine, floor = Times(), Times()
        pairs = [(mine, one), (floor, other)]
        for times, act in pairs if number % 2 else reversed(pairs):
            times.take(act)
    return mine, floor


def _measure(key: str, label: str, size: int, ours: dict[str, float], floor: dict[str, float]) -> Measure:
    return Measure(key=key, label=label, size=size, ours=ours, floor=floor)


def _with_rate(times: Times) -> dict[str, float]:
    return {"per_s": 1 / statistics.median(times.wall), **times.figures()}


@click.command("speed")
@click.option(
    "--sizes",
    default=",".join(map(str, SIZES)),
    show_default=True,
    metavar="N,N",
    help="How many memories to measure at, smallest first.",
)
@click.option("--size", type=click.IntRange(1), metavar="N", help="Measure at this many memories alone.")
@click.option(
    "--ops",
    type=click.IntRange(1),
    default=OPERATIONS,
    show_default=True,
    help="How often each act is timed.",
)
@json_option
def speed_(sizes: str, size: int | None, ops: int) -> None:
    """How fast memory remembers and recalls, beside the least that could do it; embedding is not measured.

    \b
    python -m benchmarks speed --sizes 1000 --ops 50
    python -m benchmarks speed --size 1000000
    """
    measures = run(
        [size] if size else _parse_sizes(sizes),
        operations=ops,
        processes=min(ops, PROCESSES),
        progress=output.show_progress,
        tell=_print_measure,
    )
    if output.is_json():
        output.print_json(
            {"systems": goals.systems(measures), "measures": goals.as_json(measures), "operations": ops}
        )
        return
    _print_speeds(measures)
    output.print_line()
    output.print_line(
        f"Median and 95th percentile over {ops} operations, in turn with the floor; embedding not measured."
    )


def _print_measure(measure: Measure) -> None:
    """One figure as soon as it is known; a whole run takes minutes."""
    size = f" at {measure.size:,}" if measure.size else ""
    floor = f"; floor {goals.format_figures(measure.floor)}" if measure.floor else ""
    output.print_note(
        f"{measure.label}{size}: {goals.format_figures(measure.ours)}{floor} {measure.verdict}".rstrip()
    )


def _print_speeds(measures: Sequence[Measure]) -> None:
    rows = [
        (
            measure.label,
            f"{measure.size:,}" if measure.size else "",
            goals.format_figures(measure.ours),
            goals.format_figures(measure.floor or {}),
            " / ".join(f"{ratio:.2f}" for ratio in (measure.ratio, measure.cpu_ratio) if ratio is not None),
            str(measure.goal or ""),
            measure.verdict,
        )
        for measure in measures
    ]
    output.print_table(("", "memories", "recollect", "floor", "ratio / CPU", "goal", ""), rows)


def _parse_sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(reason=f"sizes are whole numbers with commas between them, not {text!r}") from None
