"""
What a write, a batch and a search cost as memory grows, beside the floor in the same run; what a bounded look misses.

A store is filled by a loader that writes the same rows without looking for duplicates, so that a million take minutes.
What is measured goes through the one door. Vectors are made up and given; the bundled model is measured apart.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks.floor import Floor
from benchmarks.run import Progress, quiet
from benchmarks.speed import Times, take_turns
from benchmarks.synthetic import DIMENSIONS, Corpus, GivenEmbedder, Made, MadeQuestion
from benchmarks.timing import one_thread
from recollect.api import Recollect
from recollect.capture import intake
from recollect.capture.contradict import CONFLICT_MARGIN
from recollect.capture.write_context import begin_act
from recollect.config import load_settings
from recollect.model.memory import Remembered
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.store.search import fulltext, vectors
from recollect.store.search.vectors import VectorIndex
from recollect.store.tables import history, memory_writes
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

SIZES = (10_000, 100_000)
SINGLE = 60
BATCHES = 6
BATCH = 1_000
SEARCHES = 60
HITS = 20
WARM_UP = 5
# How near a planted repetition or contradiction is to what is kept.
COSINES = (0.65, 0.75, 0.85, 0.92)
PLANTED = 200
# A text as long as a long log or a chapter, of words that a model knows.
LONG_TEXT = 60_000

Figures = dict[str, Any]


class GrowingStore:
    """Memory and the floor with the same rows."""

    def __init__(self, folder: Path) -> None:
        self._corpus = Corpus()
        self._model = GivenEmbedder(model_id=BundledEmbedder.model_id, with_words=False)
        settings = load_settings(flags={"embedding.tier": "bundled"})
        self.memory = Recollect(folder / "memory.db", folder=None, settings=settings, embedder=self._model)
        self._floor = Floor(folder / "floor.db", dimensions=DIMENSIONS, ignored=self._corpus.stop_words)
        self._size = 0
        self._newest: list[Made] = []

    def close(self) -> None:
        """Give the files back."""
        self.memory.close()
        self._floor.close()

    def fill(self, size: int, progress: Progress) -> None:
        """Rows as writing leaves them, without the looks that writing takes."""
        start = self._size
        with progress(f"Filling up to {size:,}") as step:
            while self._size < size:
                made = self._corpus.memories(min(BATCH, size - self._size))
                self._load(made)
                self._floor.add([(one.text, one.vector) for one in made])
                self._note(made)
                step(self._size - start, size - start)

    def measure(self, size: int) -> Figures:
        """One write, batches and searches, each beside the floor's."""
        return {
            "size": size,
            "batch": self._write_batches(),
            "write": self._write_one_by_one(),
            "search": self._search(),
            "look": self._look_for_planted(),
        }

    def _load(self, made: Sequence[Made]) -> None:
        context = self.memory._wiring.write_context()
        act = begin_act(context, "remember", "benchmark")
        drafts = [self.memory.draft(one.text, about=one.about, session=one.session) for one in made]
        new = [intake._make_memory(context, act, draft) for draft in drafts]
        db = context.db
        with db.transaction():
            if context.index is not None:
                context.index.file_new()
            nums = memory_writes.insert_memories(db, new)
            embeddings = self._model.embed_given(made)
            vectors.add_vectors(db, context.model, dict(zip(nums, embeddings, strict=True)))
            fulltext.add_memories(db, dict(zip(nums, new, strict=True)))
            history.record_changes(
                db,
                [history.make_change(act, one.id, {"state": None}, {"state": str(one.state)}) for one in new],
            )
            history.record_memory_events(db, "remembered", act, new)

    def _note(self, made: Sequence[Made]) -> None:
        self._size += len(made)
        self._newest = [*self._newest, *made][-BATCH:]

    def _write_one_by_one(self) -> Figures:
        made = self._corpus.memories(WARM_UP + SINGLE)
        self._model.give(made)
        ours, floor = take_turns(
            [partial(self.memory.remember, one.text, about=one.about, session=one.session) for one in made],
            [partial(self._floor.add, [(one.text, one.vector)]) for one in made],
        )
        self._note(made)
        return _beside(ours, floor)

    def _write_batches(self) -> Figures:
        ours, floor = Times(), Times()
        for number in range(1 + BATCHES):
            if number == 1:  # the first of a process reads cells that the others find read
                ours, floor = Times(), Times()
            made = self._corpus.memories(BATCH)
            self._model.give(made)
            drafts = [self.memory.draft(one.text, about=one.about, session=one.session) for one in made]
            ours.take(partial(self.memory.remember_many, drafts))
            floor.take(partial(self._floor.add, [(one.text, one.vector) for one in made]))
            self._note(made)
        added = BATCHES * BATCH
        return {"ours": ours.rate(added), "floor": floor.rate(added)}

    def _search(self) -> Figures:
        questions = self._corpus.questions(self._newest, WARM_UP + SEARCHES)
        # A process that has searched for a while keeps words and vectors at hand.
        for _ in range(2 + self._size // 5_000):
            self._ask(questions[0])
        ours, floor = take_turns(
            [partial(self._ask, question) for question in questions],
            [partial(self._floor.search, question.text, question.vector, HITS) for question in questions],
        )
        return _beside(ours, floor)

    def _ask(self, question: MadeQuestion) -> None:
        self._model.give_question(question)
        self.memory.recall(question.text, limit=HITS, profile="default")

    def _look_for_planted(self) -> dict[str, float]:
        """Of what a full look finds near the newest memories, the share that the bounded one finds."""
        import numpy as np

        context = self.memory._wiring.write_context()
        index = context.index
        assert isinstance(index, VectorIndex)
        at_least = self._model.duplicate_threshold - CONFLICT_MARGIN
        rng = np.random.default_rng(7)
        pool = context.db.tuples(
            "vectors_of",
            model_num=context.model,
            nums=str(sorted(set(rng.integers(1, self._size, PLANTED).tolist()))),
        )
        nums = [num for num, _ in pool]
        rows = np.frombuffer(b"".join(vector for _, vector in pool), np.float32).reshape(len(pool), -1)
        shares = {}
        for cosine in COSINES:
            noise = rng.standard_normal(rows.shape)
            noise -= (noise * rows).sum(axis=1, keepdims=True) * rows
            noise /= np.linalg.norm(noise, axis=1, keepdims=True)
            near = (cosine * rows + (1 - cosine**2) ** 0.5 * noise).astype(np.float32)
            look = index.look([row.tobytes() for row in near], at_least)
            shares[f"{cosine:g}"] = sum(num in look.of(place) for place, num in enumerate(nums)) / len(nums)
        return shares


def measure_long_text() -> Figures:
    """One text of sixty thousand characters, with the model that ships with us."""
    corpus = Corpus(3)
    words = " ".join(one.text.lower() for one in corpus.memories(LONG_TEXT // 60))
    text = ". ".join(words[start : start + 120] for start in range(0, LONG_TEXT, 122))[:LONG_TEXT]
    with tempfile.TemporaryDirectory(prefix="recollect-growth-") as folder:
        settings = load_settings(flags={"embedding.tier": "bundled"})
        with Recollect(Path(folder) / "memory.db", folder=None, settings=settings) as memory:
            memory.remember("The first text loads the model")
            began, cpu = time.perf_counter(), time.process_time()
            assert isinstance(memory.remember(text), Remembered)
            return {"wall_s": time.perf_counter() - began, "cpu_s": time.process_time() - cpu}


def _beside(ours: Times, floor: Times) -> Figures:
    return {"ours": ours.figures(), "floor": floor.figures()}


def run(sizes: Sequence[int], folder: Path, progress: Progress = quiet) -> list[Figures]:
    """All sizes, one after the other in the same store."""
    results = []
    with one_thread():
        store = GrowingStore(folder)
        try:
            for size in sizes:
                store.fill(size, progress)
                results.append(store.measure(size))
                _print_size(results[-1])
        finally:
            store.close()
    return results


@click.command("growth")
@click.option(
    "--sizes", default="10000,100000", show_default=True, help="Memories, with commas; up to 1000000."
)
@click.option("--long/--no-long", default=True, help="Whether a text of 60 kB is remembered too.")
@common
def growth_(sizes: str, long: bool) -> None:
    """What a write, a batch and a search cost as memory grows, beside the floor in the same run.

    \b
    python -m benchmarks growth --sizes 10000,100000,1000000
    """
    with tempfile.TemporaryDirectory(prefix="recollect-growth-") as folder:
        results = run([int(part) for part in sizes.split(",")], Path(folder), output.show_progress)
    figures: Figures = {"sizes": results}
    if long:
        figures["long_text"] = measure_long_text()
        output.print_line(
            f"a text of 60 kB: {figures['long_text']['wall_s']:.1f} s, {figures['long_text']['cpu_s']:.1f} s of CPU"
        )
    if output.is_json():
        output.print_json(figures)


def _print_size(result: Figures) -> None:
    size = f"{result['size']:>9,}"
    for name in ("write", "search"):
        ours, floor = result[name]["ours"], result[name]["floor"]
        output.print_line(
            f"{size} {name:<7} {ours['cpu_p50_ms']:8.2f} ms CPU   floor {floor['cpu_p50_ms']:8.2f}"
            f"   {ours['cpu_p50_ms'] / floor['cpu_p50_ms']:6.2f} ×"
        )
    ours, floor = result["batch"]["ours"], result["batch"]["floor"]
    output.print_line(
        f"{size} batch   {ours['cpu_per_s']:8.0f} a second of CPU, {ours['per_s']:.0f} of the clock"
        f"   floor {floor['cpu_per_s']:.0f}, {floor['per_s']:.0f}"
    )
    shares = ", ".join(f"{100 * share:.1f} % at {cosine}" for cosine, share in result["look"].items())
    output.print_line(f"{size} look    planted neighbours seen: {shares}")
