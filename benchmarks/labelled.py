"""
Labelled answers: questions with what was found and whether it was wanted, to fit and measure probabilities.

What the evidence of a question names is wanted, all else is not. To learn when there is nothing to say, every store is
also asked what it cannot know: questions about other conversations, and those that their authors meant to have no
answer. The adversarial ones of LoCoMo are left out, since their evidence is half right.

Half of the data is fitted to, by the hash of a conversation's name (of a question's text where all share one store);
the other half is measured on. What belongs to one half is never asked of the other.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks import locomo, longmemeval
from benchmarks.questions import Dataset, Question, read_json_list
from benchmarks.replay import WARM_UP, replay_in_order
from benchmarks.replay_sessions import load as load_replay
from benchmarks.run import EmbedOnce, Progress, Store, index_collections, quiet
from recollect import config
from recollect.api.read_wiring import ReadWiring
from recollect.config import Settings
from recollect.errors import BadInput
from recollect.inject.calibrate import (
    MAX_COMPARED_FILES,
    Features,
    compute_answer_features,
    compute_file_features,
)
from recollect.model.kinds import Kinds
from recollect.model.value import dataclass, replace
from recollect.predict_files import predict
from recollect.providers.embed import Embedder
from recollect.retrieve import offers
from recollect.retrieve.read_context import ReadContext
from recollect.store.open import open_db

# So many are looked at: what a prompt could be told at most, and the next one.
TOP = 5
# Of the questions that belong elsewhere, every so manieth is asked.
EVERY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One question, and the best that was found for it: what is known of each, and whether it was wanted."""

    source: str
    held_out: bool
    # Whether there is anything to find.
    answerable: bool
    found: tuple[tuple[Features, bool], ...]
    # How many things would have been right to tell.
    wanted: int


def is_held_out(name: str) -> bool:
    """Whether something was kept away from the fit."""
    return zlib.crc32(name.encode()) % 2 == 0


def load(path: Path) -> Dataset:
    """A LoCoMo or a LongMemEval file, whichever it is."""
    first = read_json_list(path, "It should be a LoCoMo or a LongMemEval file.")[0]
    return longmemeval.load(path) if "haystack_sessions" in first else locomo.load(path)


def label_answers(
    datasets: Sequence[Dataset],
    *,
    fitted_too: bool = False,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress = quiet,
) -> list[Labelled]:
    """Every question that is held out, on demand the others too, asked of its own store and of strange ones."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="recollect-bench-")))
        once = EmbedOnce(embedder) if embedder else None
        places: list[_QuestionStore] = []
        for number, dataset in enumerate(datasets):
            (folder / str(number)).mkdir()
            wanted = dataset if fitted_too else _only_held_out(dataset)
            stores = index_collections(wanted, folder / str(number), settings, once, opened, progress)
            places += [_place(dataset, one, _open_context(one, once, settings, opened)) for one in stores]
        pairs = [pair for pair in _pairs(places) if fitted_too or pair[2]]
        labelled: list[Labelled] = []
        with progress("Asking") as step:
            for place, question, held_out in pairs:
                labelled.append(_label_question(place, question, held_out=held_out))
                step(len(labelled), len(pairs))
    return labelled


class _QuestionStore(NamedTuple):
    """A store as a hook would read it."""

    source: str
    store: Store
    context: ReadContext
    # Whether it is one of several, and belongs to one half as a whole.
    is_whole: bool

    def is_held_out(self, question: Question) -> bool:
        return is_held_out(self.store.collection.name if self.is_whole else question.text)


def _place(dataset: Dataset, store: Store, context: ReadContext) -> _QuestionStore:
    return _QuestionStore(dataset.name, store, context, is_whole=_has_several(dataset))


def _has_several(dataset: Dataset) -> bool:
    return len(dataset.collections) > 1


def _open_context(
    store: Store, embedder: Embedder | None, settings: Settings | None, opened: ExitStack
) -> ReadContext:
    db = open_db(str(store.path), datetime.now(UTC), read_only=True, create=False)
    opened.callback(db.close)
    return ReadWiring(
        db, folder=None, settings=settings or config.load_settings(), embedder=embedder
    ).read_context()


def _only_held_out(dataset: Dataset) -> Dataset:
    if not _has_several(dataset):
        return dataset
    collections = [one for one in dataset.collections if is_held_out(one.name)]
    return replace(dataset, collections=tuple(collections))


def _pairs(places: Sequence[_QuestionStore]) -> Iterator[tuple[_QuestionStore, Question, bool]]:
    """What is asked of which store, and whether that is held out."""
    for place in places:
        for question in (*_own_questions(place.store), *place.store.collection.unanswerable):
            yield place, question, place.is_held_out(question)
        for other in places:
            for question in _own_questions(other.store)[::EVERY] if other is not place else ():
                half = other.is_held_out(question)
                if not place.is_whole or place.is_held_out(question) == half:
                    yield place, replace(question, evidence=frozenset()), half


def _own_questions(store: Store) -> list[Question]:
    return [question for question in store.collection.questions if question.counts]


def _label_question(place: _QuestionStore, question: Question, *, held_out: bool) -> Labelled:
    now, items = question.at or datetime.now(UTC), place.store.items
    hits = offers.offer_answers(
        place.context, question.text, None, kinds=Kinds().names(), limit=TOP + 1, now=now
    )
    features = compute_answer_features(hits)
    wanted = [bool(question.evidence.intersection(items[hit.memory.id])) for hit in hits]
    return Labelled(
        source=place.source,
        held_out=held_out,
        answerable=bool(question.evidence),
        found=tuple(zip(features, wanted, strict=True))[:TOP],
        wanted=sum(bool(question.evidence.intersection(named)) for named in items.values()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedSession:
    """What was foreseen for one session: what is known of each file, and whether it was opened."""

    found: tuple[tuple[Features, bool], ...]


def load_predictions(
    path: Path, *, held_out: bool, warm_up: int = WARM_UP, progress: Progress = quiet
) -> list[PredictedSession]:
    """The earlier half of the sessions is fitted to, the later one is held out: nobody knows the future."""
    with progress("Session files") as step:
        replay = load_replay(path, step)
    sessions: list[PredictedSession] = []
    with progress("Sessions") as step:
        for number, (session, memory) in enumerate(replay_in_order(replay), start=1):
            if number > warm_up:
                request = predict.PredictionRequest(
                    prompt=session.prompt,
                    branch=session.branch,
                    folder=session.folder,
                    session_id=session.id,
                )
                predictions = predict.predict_files(
                    memory.db, memory.project_id, request, limit=MAX_COMPARED_FILES
                )
                targets = {touch.path for touch in session.targets}
                opened = [one.path in targets for one in predictions]
                sessions.append(
                    PredictedSession(
                        found=tuple(zip(compute_file_features(predictions), opened, strict=True))
                    )
                )
            step(number, len(replay.sessions))
    if len(sessions) < 2:
        raise BadInput(f"{path} has too few sessions: there must be two more than {warm_up}.")
    half = len(sessions) // 2
    return sessions[half:] if held_out else sessions[:half]
