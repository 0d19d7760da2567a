"""
Questions with what was found for each, and whether it was wanted: what probabilities are fitted to and measured on.

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
from benchmarks.questions import Asked, Dataset, read_json_list
from benchmarks.run import EmbedOnce, Progress, Store, indexed, quiet
from recollect import config
from recollect.api.read_wiring import Reading
from recollect.config import Settings
from recollect.inject.calibrate import Features, answer_features
from recollect.model.kinds import Kinds
from recollect.model.value import dataclass, replace
from recollect.providers.embed import Embedder
from recollect.retrieve import offers
from recollect.retrieve.read_context import Ground
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


def labelled(
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
        places: list[_Place] = []
        for number, dataset in enumerate(datasets):
            (folder / str(number)).mkdir()
            wanted = dataset if fitted_too else _held_out(dataset)
            stores = indexed(wanted, folder / str(number), settings, once, opened, progress)
            places += [_place(dataset, one, _ground(one, once, settings, opened)) for one in stores]
        pairs = [pair for pair in _pairs(places) if fitted_too or pair[2]]
        kept: list[Labelled] = []
        with progress("Asking") as step:
            for place, asked, held_out in pairs:
                kept.append(_asked(place, asked, held_out=held_out))
                step(len(kept), len(pairs))
    return kept


class _Place(NamedTuple):
    """A store as a hook would read it."""

    source: str
    store: Store
    ground: Ground
    # Whether it is one of several, and belongs to one half as a whole.
    is_whole: bool

    def is_held_out(self, asked: Asked) -> bool:
        return is_held_out(self.store.collection.name if self.is_whole else asked.text)


def _place(dataset: Dataset, store: Store, ground: Ground) -> _Place:
    return _Place(dataset.name, store, ground, is_whole=_has_several(dataset))


def _has_several(dataset: Dataset) -> bool:
    return len(dataset.collections) > 1


def _ground(store: Store, embedder: Embedder | None, settings: Settings | None, opened: ExitStack) -> Ground:
    db = open_db(str(store.path), datetime.now(UTC), read_only=True, create=False)
    opened.callback(db.close)
    return Reading(db, folder=None, settings=settings or config.load(), embedder=embedder).ground()


def _held_out(dataset: Dataset) -> Dataset:
    if not _has_several(dataset):
        return dataset
    kept = [one for one in dataset.collections if is_held_out(one.name)]
    return replace(dataset, collections=tuple(kept))


def _pairs(places: Sequence[_Place]) -> Iterator[tuple[_Place, Asked, bool]]:
    """What is asked of which store, and whether that is held out."""
    for place in places:
        for asked in (*_own(place.store), *place.store.collection.unanswerable):
            yield place, asked, place.is_held_out(asked)
        for other in places:
            for asked in _own(other.store)[::EVERY] if other is not place else ():
                half = other.is_held_out(asked)
                if not place.is_whole or place.is_held_out(asked) == half:
                    yield place, replace(asked, evidence=frozenset()), half


def _own(store: Store) -> list[Asked]:
    return [asked for asked in store.collection.asked if asked.counts]


def _asked(place: _Place, asked: Asked, *, held_out: bool) -> Labelled:
    now, items = asked.at or datetime.now(UTC), place.store.items
    hits = offers.on_question(place.ground, asked.text, None, kinds=Kinds().names(), limit=TOP + 1, now=now)
    features = answer_features(hits)
    wanted = [bool(asked.evidence.intersection(items[hit.memory.id])) for hit in hits]
    return Labelled(
        source=place.source,
        held_out=held_out,
        answerable=bool(asked.evidence),
        found=tuple(zip(features, wanted, strict=True))[:TOP],
        wanted=sum(bool(asked.evidence.intersection(named)) for named in items.values()),
    )
