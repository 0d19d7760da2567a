"""Answers every question by memory and by each baseline (BM25, vectors, RRF), and scores them side by side."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.floor import Floor
from benchmarks.metrics import mean_scores, score_ranking
from benchmarks.questions import Collection, Dataset, Document, Question
from recollect.api import Recollect
from recollect.config import Settings
from recollect.errors import NotFound
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.memory import AlreadyKnown, Remembered
from recollect.model.profile import PROFILES, Profile
from recollect.model.query import Query
from recollect.model.value import dataclass, replace
from recollect.providers.embed import Embedder, open_embedder

# A question to the items that answer it, best first.
Ranker = Callable[[str], Sequence[str]]

DEPTH = 200
RRF_K = 60
_WORD = re.compile(r"\w+")
STOP_WORDS = frozenset(
    _WORD.findall(
        """a an and are as at be been but by can could did do does for from had has have he her his how i if
        in into is it its me my no not of on or our s she so that the their them then there they this to was
        we were what when where which who whom whose why will with would you your"""
    )
)


def rank_by_words(plain: Mapping[str, str]) -> Ranker:
    """FTS5's BM25 over the plain text: any of the question's words, the commonest left out."""
    items = list(plain)
    index = Floor(":memory:", ignored=STOP_WORDS)
    index.add((text, b"") for text in plain.values())
    return lambda question: [items[number - 1] for number in index.by_words(question, DEPTH)]


def rank_by_vectors(texts: Sequence[tuple[str, str]], names: frozenset[str], embedder: Embedder) -> Ranker:
    """
    Cosine alone; an item with several texts stands where its nearest stands.

    Names that the texts leave out are left out of the question: they would pull it to whoever is addressed.
    """
    import numpy as np

    items = [item for item, _ in texts]
    embeddings = embedder.embed([text for _, text in texts])
    matrix = np.frombuffer(b"".join(one.vector for one in embeddings), np.float32).reshape(len(items), -1)

    def ask(question: str) -> list[str]:
        cosines = matrix @ np.frombuffer(embedder.embed_query(_without(question, names)).vector, np.float32)
        return list(dict.fromkeys(items[place] for place in np.argsort(-cosines)))[:DEPTH]

    return ask


def fuse_rankings(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion with equal weights."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (RRF_K + place)
    return sorted(scores, key=lambda item: -scores[item])


def _without(question: str, names: frozenset[str]) -> str:
    shortened = _WORD.sub(lambda word: "" if word.group().lower() in names else word.group(), question)
    return shortened if shortened.strip() else question


# Shows how far a labelled stretch of work has come; the surface gives one that draws a bar.
Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]

# Enough hits that the first twenty items are among them, also where an item has many memories.
HITS = 50
BATCH = 100
OURS = "recollect"
WITHOUT_SUBJECTS = "recollect without subjects"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What every system reached: overall, by category, and what it was reached on."""

    systems: Mapping[str, Mapping[str, float]]
    categories: Mapping[str, Mapping[str, Mapping[str, float]]]
    counts: Mapping[str, int]
    model: str
    seconds: float


@contextmanager
def quiet(label: str) -> Iterator[Callable[[int, int], None]]:
    """No progress shown."""
    yield lambda done, total: None


def run(
    dataset: Dataset,
    *,
    profile: str = "default",
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    unnamed_in: str | None = None,
    store: str = "",
    progress: Progress = quiet,
) -> Outcome:
    """
    Index and ask, in files or at the address of a `store`.

    In the category `unnamed_in`, memory is also asked without subject matching.
    """
    started = time.monotonic()
    if profile not in PROFILES:
        raise NotFound(f"There is no ranking profile {profile!r}. The profiles are: {', '.join(PROFILES)}.")
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="recollect-bench-")))
        model = embedder or open_chosen_embedder(settings)
        once = EmbedOnce(model) if model else None
        stores = index_collections(dataset, folder, settings, once, opened, progress, store)
        answers = _answers(stores, once, PROFILES[profile], unnamed_in, progress)
    return Outcome(
        **_summary(answers),
        counts=_counts(dataset, stores),
        model=model.model_id if model else "none",
        seconds=round(time.monotonic() - started, 1),
    )


def open_chosen_embedder(settings: Settings | None = None) -> Embedder | None:
    """The model that a new memory would choose; None when the settings want none."""
    with Recollect(":memory:", folder=None, settings=settings) as memory:
        return open_embedder(memory.admin.embedding())


@dataclass(slots=True)
class _Clock:
    """The time of day, or the moment at which a question is asked."""

    at: datetime | None = None

    def __call__(self) -> datetime:
        return self.at or datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A collection in a memory of its own, and which items each memory stands for."""

    collection: Collection
    path: Path
    memory: Recollect
    clock: _Clock
    items: dict[str, list[str]]
    known: int
    refused: int

    def answer(self, question: Question, profile: str | Profile) -> list[str]:
        """The items memory answers with, in order of first appearance."""
        self.clock.at = question.at
        query = Query(text=question.text, limit=HITS, filters=self.memory.filters(), profile=profile)
        answer = self.memory.recall(query)
        return list(dict.fromkeys(item for hit in answer for item in self.items[hit.memory.id]))


class EmbedOnce:
    """Keeps what the model made of a text: memory and the baseline by vectors look at the same."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self._made: dict[str, Embedding] = {}
        self.model_id = model.model_id
        self.dimensions = model.dimensions
        self.duplicate_threshold = model.duplicate_threshold

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        new = [text for text in dict.fromkeys(texts) if text not in self._made]
        self._made.update(zip(new, self._model.embed(new), strict=True))
        return [self._made[text] for text in texts]

    def embed_query(self, text: str) -> QueryEmbedding:
        return self._model.embed_query(text)


def in_organisation(store: str) -> str:
    """A part of a server's database that nobody has used yet."""
    return f"{store}{'&' if '?' in store else '?'}organisation=bench{uuid4().hex}"


def index_collections(
    dataset: Dataset,
    folder: Path,
    settings: Settings | None,
    embedder: Embedder | None,
    opened: ExitStack,
    progress: Progress,
    store: str = "",
) -> list[Store]:
    """Every collection in a store of its own, a file or an organisation; they stay open as long as `opened` does."""
    total = sum(len(collection.documents) for collection in dataset.collections)
    stores: list[Store] = []
    done = 0
    with progress("Remembering") as step:
        for number, collection in enumerate(dataset.collections):
            path = folder / f"{number}.db"
            clock = _Clock()
            memory = opened.enter_context(
                Recollect(
                    in_organisation(store) if store else path,
                    folder=None,
                    settings=settings,
                    embedder=embedder,
                    clock=clock,
                )
            )
            outcomes: list[tuple[Document, str | None, bool]] = []
            for start in range(0, len(collection.documents), BATCH):
                outcomes.extend(_remembered(memory, collection.documents[start : start + BATCH]))
                step(done + len(outcomes), total)
            done += len(outcomes)
            stores.append(_store(collection, path, memory, clock, outcomes))
    return stores


def _remembered(
    memory: Recollect, documents: Sequence[Document]
) -> Iterator[tuple[Document, str | None, bool]]:
    drafts = [
        memory.draft(d.text, about=d.about, session=d.session, at=d.at, channel=d.channel) for d in documents
    ]
    for document, answer in zip(documents, memory.remember_many(drafts), strict=True):
        match answer:
            case Remembered(memory=kept):
                yield document, kept.id, False
            case AlreadyKnown(memory=kept):
                yield document, kept.id, True
            case _:
                yield document, None, False


def _store(
    collection: Collection,
    path: Path,
    memory: Recollect,
    clock: _Clock,
    outcomes: Sequence[tuple[Document, str | None, bool]],
) -> Store:
    items: dict[str, list[str]] = {}
    for document, memory_id, _ in outcomes:
        if memory_id is not None:
            items.setdefault(memory_id, []).append(document.item)
    return Store(
        collection=collection,
        path=path,
        memory=memory,
        clock=clock,
        items=items,
        known=sum(known for _, _, known in outcomes),
        refused=sum(memory_id is None for _, memory_id, _ in outcomes),
    )


# For each question what each system scored.
_Answers = list[tuple[Question, dict[str, dict[str, float]]]]


def _answers(
    stores: Sequence[Store],
    embedder: Embedder | None,
    profile: Profile,
    unnamed_in: str | None,
    progress: Progress,
) -> _Answers:
    total = sum(len(store.collection.questions) for store in stores)
    answers: _Answers = []
    unnamed = replace(profile, subject=0.0)
    with progress("Asking") as step:
        for store in stores:
            beside = _baselines(store.collection, embedder)
            for question in store.collection.questions:
                rankings: dict[str, Sequence[str]] = {OURS: store.answer(question, profile.name)}
                if question.category == unnamed_in:
                    rankings[WITHOUT_SUBJECTS] = store.answer(question, unnamed)
                rankings |= beside(question.text)
                answers.append(
                    (question, {name: score_ranking(r, question.evidence) for name, r in rankings.items()})
                )
                step(len(answers), total)
    return answers


def _baselines(
    collection: Collection, embedder: Embedder | None
) -> Callable[[str], dict[str, Sequence[str]]]:
    words_ranker = rank_by_words(collection.plain)
    if embedder is None:
        return lambda question: {"bm25": words_ranker(question)}
    texts = [(document.item, document.text) for document in collection.documents]
    vectors_ranker = rank_by_vectors(texts, collection.names, embedder)

    def ask(question: str) -> dict[str, Sequence[str]]:
        words, vectors = words_ranker(question), vectors_ranker(question)
        return {"bm25": words, "vectors": vectors, "rrf": fuse_rankings(words, vectors)}

    return ask


def _summary(answers: _Answers) -> dict[str, Any]:
    systems = dict.fromkeys(name for _, scores in answers for name in scores)
    categories = sorted({question.category for question, _ in answers})
    overall = {
        name: means
        for name in systems
        if (
            means := mean_scores(
                scores[name] for question, scores in answers if question.counts and name in scores
            )
        )
    }
    by_category = {
        category: {
            name: means
            for name in systems
            if (
                means := mean_scores(
                    s[name] for question, s in answers if question.category == category and name in s
                )
            )
        }
        for category in categories
    }
    return {"systems": overall, "categories": by_category}


def _counts(dataset: Dataset, stores: Sequence[Store]) -> dict[str, int]:
    questions = [question for collection in dataset.collections for question in collection.questions]
    by_category = {
        category: sum(question.category == category for question in questions)
        for category in sorted({question.category for question in questions})
    }
    return {
        "stores": len(stores),
        "documents": sum(len(collection.documents) for collection in dataset.collections),
        "memories": sum(len(store.items) for store in stores),
        "already known": sum(store.known for store in stores),
        "refused": sum(store.refused for store in stores),
        "questions": sum(question.counts for question in questions),
        **{f"questions {category}": count for category, count in by_category.items()},
        **{name: count for name, count in dataset.left_out.items() if count},
    }
