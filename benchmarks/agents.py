"""
Simulated agents at work on one memory: they ask, remember and now and then correct, each with a pause in between.

Agents share a few processes, a thread each, as the sessions of a server do. Memory and open files of the processes are
looked at while they work.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.run import in_organisation
from benchmarks.synthetic import Corpus, Made, MadeQuestion
from recollect.api import Recollect
from recollect.config import load_settings
from recollect.errors import RecollectError
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.memory import Remembered
from recollect.model.value import dataclass, field
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.store.search.bm25_index import SEARCHES_PER
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

ASK, REMEMBER, EDIT = "search", "remember", "edit"
# How often an agent does each.
SHARES = {ASK: 0.7, REMEMBER: 0.27, EDIT: 0.03}
BATCH = 1_000
LIMIT = 10
PROCESSES = 2
# So often a process is looked at while its agents work.
LOOK_SECONDS = 1.0


class ReadyEmbedder:
    """A model that has seen every text already; many threads may ask it."""

    dimensions = 384
    model_id = BundledEmbedder.model_id  # so that a store of `growth` can be gone on with
    duplicate_threshold = 0.88

    def __init__(self) -> None:
        self._vectors: dict[str, bytes] = {}
        self._any = b""

    def give(self, texts: Sequence[Made | MadeQuestion]) -> None:
        """What will be embedded or asked."""
        self._vectors |= {one.text: one.vector for one in texts}
        self._any = texts[-1].vector

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """The vectors given for these texts; a corrected one keeps that of another."""
        return [Embedding(vector=self._vectors.get(text, self._any)) for text in texts]

    def embed_query(self, text: str) -> QueryEmbedding:
        """The vector given for the question; without its names it has any."""
        return QueryEmbedding(vector=self._vectors.get(text, self._any))


@dataclass(slots=True)
class Work:
    """What the agents of one process did."""

    waits: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    # Resident bytes and open files, look by look.
    memory: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)


def _open(address: str) -> tuple[Recollect, ReadyEmbedder]:
    model = ReadyEmbedder()
    settings = load_settings(flags={"embedding.tier": "none"})
    return Recollect(address, folder=None, settings=settings, embedder=model), model


def fill(address: str, size: int) -> None:
    """Memories for the agents to meet."""
    corpus = Corpus()
    memory, model = _open(address)
    with memory:
        for start in range(0, size, BATCH):
            made = corpus.memories(min(BATCH, size - start))
            model.give(made)
            memory.remember_many(
                [memory.draft(one.text, about=one.about, session=one.session) for one in made]
            )


class Agent:
    """One agent: what it knows to say and ask, and what it did."""

    def __init__(
        self, memory: Recollect, corpus: Sequence[Made], questions: Sequence[MadeQuestion], seed: int
    ):
        self._memory = memory
        self._texts = iter(corpus)
        self._questions = questions
        self._random = random.Random(seed)
        self._own: list[str] = []
        self.name = f"agent {seed}"

    def act(self) -> str:
        """Do one thing; what it was."""
        action = self._random.choices(list(SHARES), list(SHARES.values()))[0]
        if action == EDIT and self._own:
            self._memory.edit(self._own.pop(), tags=[f"looked at by {self.name}"])
            return EDIT
        fact = next(self._texts, None) if action == REMEMBER else None
        if fact is None:
            self._memory.recall(self._random.choice(self._questions).text, limit=LIMIT)
            return ASK
        answer = self._memory.remember(fact.text, about=fact.about, session=self.name)
        if isinstance(answer, Remembered):
            self._own.append(answer.memory.id)
        return REMEMBER


def _work(
    address: str, first: int, agents: int, seconds: float, pause: float, ready: Any, answers: Any
) -> None:
    """The agents of one process, a thread each."""
    corpus = Corpus(1_000 + first)
    memory, model = _open(address)
    made = corpus.memories(max(200, int(20 * agents)))
    questions = corpus.questions(made, 200)
    model.give([*made, *questions])
    share = len(made) // agents
    crew = [
        Agent(memory, made[number * share : (number + 1) * share], questions, first + number)
        for number in range(agents)
    ]
    work = Work(waits={name: [] for name in SHARES})
    # A process that has searched for a while keeps words and vectors at hand.
    for number in range(3 + memory.count() // SEARCHES_PER):
        memory.recall(questions[number % len(questions)].text, limit=LIMIT)
    ready.wait()
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=_live, args=(agent, until, pause, work)) for agent in crew]
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        time.sleep(min(LOOK_SECONDS, max(0.0, until - time.monotonic())))
        work.memory.append(_resident_bytes())
        work.files.append(_open_files())
    for thread in threads:
        thread.join()
    memory.close()
    answers.put(work)


def _live(agent: Agent, until: float, pause: float, work: Work) -> None:
    rest = random.Random(agent.name)
    while time.monotonic() < until:
        began = time.perf_counter()
        try:
            action = agent.act()
        except RecollectError as error:
            work.errors[type(error).__name__] += 1
        else:
            work.waits[action].append(time.perf_counter() - began)
        if pause:
            time.sleep(rest.uniform(0, 2 * pause))


def _resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


def _open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def run(address: str, agents: int, seconds: float, pause: float, processes: int) -> dict[str, Any]:
    """So many agents for so long; what they waited, and what it cost."""
    spawning = multiprocessing.get_context("spawn")
    crews = [agents // processes + (number < agents % processes) for number in range(processes)]
    crews = [crew for crew in crews if crew]
    ready, answers = spawning.Barrier(len(crews)), spawning.Queue()
    workers = [
        spawning.Process(target=_work, args=(address, 1_000 * number, crew, seconds, pause, ready, answers))
        for number, crew in enumerate(crews)
    ]
    for worker in workers:
        worker.start()
    works: list[Work] = [answers.get() for _ in workers]
    for worker in workers:
        worker.join()
    return {
        "agents": agents,
        "seconds": seconds,
        **{name: _describe([one for work in works for one in work.waits[name]], seconds) for name in SHARES},
        "errors": dict(sum((work.errors for work in works), Counter())),
        "memory_growth_mb": max(_growth(work.memory) for work in works) / 1e6,
        "open_files": [max(work.files, default=0) for work in works],
        "open_files_growth": max(_growth(work.files) for work in works),
    }


def _growth(looks: Sequence[int]) -> int:
    """From the second fifth on: what is read at first stays."""
    return looks[-1] - looks[len(looks) // 5] if looks else 0


def _describe(waits: Sequence[float], seconds: float) -> dict[str, float]:
    if not waits:
        return {"count": 0}
    ordered = sorted(waits)
    late = {share: ordered[math.ceil(share / 100 * len(ordered)) - 1] for share in (95, 99)}
    return {
        "count": len(ordered),
        "per_s": len(ordered) / seconds,
        "p50_ms": 1000 * statistics.median(ordered),
        "p95_ms": 1000 * late[95],
        "p99_ms": 1000 * late[99],
    }


@click.command("agents")
@click.option("--store", default="", metavar="ADDRESS", help="postgresql://… instead of a file.")
@click.option("--size", default=10_000, show_default=True, help="How many memories there are before.")
@click.option(
    "--agents", "counts", default="1,10,50", show_default=True, help="How many at once, with commas."
)
@click.option("--seconds", default=20.0, show_default=True, help="How long each number of them works.")
@click.option(
    "--pause", default=0.0, show_default=True, help="Seconds an agent rests between two acts, on average."
)
@click.option(
    "--processes", default=PROCESSES, show_default=True, help="Over how many processes they are spread."
)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="A file of memories to go on with, made if it is not there.",
)
@common
def agents_(
    store: str, size: int, counts: str, seconds: float, pause: float, processes: int, file: Path | None
) -> None:
    """How long simulated agents wait that search, remember and correct on one memory at the same time.

    \b
    python -m benchmarks agents --size 100000 --agents 1,10,50
    python -m benchmarks agents --agents 200 --seconds 300 --pause 5
    """
    with tempfile.TemporaryDirectory(prefix="recollect-agents-") as folder:
        address = in_organisation(store) if store else str(file or Path(folder) / "memories.db")
        if file is None or not file.exists():
            fill(address, size)
        results = [run(address, int(count), seconds, pause, processes) for count in counts.split(",")]
    for result in results:
        _print_result(result)
    if output.is_json():
        output.print_json({"size": size, "runs": results})


def _print_result(result: dict[str, Any]) -> None:
    for name in SHARES:
        figures = result[name]
        if figures["count"]:
            output.print_line(
                f"{result['agents']:>4} agents  {name:<9} {figures['per_s']:7.1f}/s  p50 {figures['p50_ms']:7.1f}"
                f"  p95 {figures['p95_ms']:7.1f}  p99 {figures['p99_ms']:7.1f} ms"
            )
    output.print_line(
        f"{result['agents']:>4} agents  errors {result['errors'] or 0}, memory {result['memory_growth_mb']:+.1f} MB,"
        f" open files {max(result['open_files'])} ({result['open_files_growth']:+d})"
    )
