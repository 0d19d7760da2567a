"""
A read-through cache of the store for long-lived processes, emptied by any change.

Such a process is asked many questions between two changes, and they touch the same terms and memories. Every answer is
as if it had been read just now: the first read after a change, by whatever process, empties the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from recollect.model.anchor import Anchor
from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.store.db import Db
from recollect.store.search import vectors
from recollect.store.tables import anchors, memories, subjects
from recollect.store.tables.memories import RankingRow

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Shelf = dict[Any, Any]

# So many items stay on one shelf; with more, the shelf is emptied first.
_MAX_ITEMS = 20_000
_MAX_BYTES = 64_000_000
_MAX_TEXTS = 2_000


class ReadCache:
    """What was read from one store: a shelf for each sort of item, items by key."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._version = (-1, -1)
        self._shelves: dict[Hashable, Shelf] = {}
        self._lasting: dict[Hashable, Shelf] = {}
        self._word_bytes = 0

    def read_through(
        self, shelf_name: Hashable, keys: Collection[K], read: Callable[[list[K]], Mapping[K, V]]
    ) -> Mapping[K, V | None]:
        """
        The shelf of this name with at least these keys on it; those not asked for before are read in one go.

        What the store does not have stands there as None.
        """
        self._drop_if_changed()
        return _fill_shelf(self._shelves, shelf_name, keys, read, _MAX_ITEMS)

    def derive_from_texts(
        self, shelf_name: Hashable, keys: Collection[K], read: Callable[[list[K]], Mapping[K, V]]
    ) -> Mapping[K, V | None]:
        """The same for what follows from a text alone, with the text as key: no change makes it untrue."""
        return _fill_shelf(self._lasting, shelf_name, keys, read, _MAX_TEXTS)

    def candidates(self, nums: Collection[int], filters: Filters) -> Mapping[int, RankingRow | None]:
        """Those of these memories that pass the filter."""
        return self.read_through(
            filters, nums, lambda missing: memories.read_candidates(self._db, missing, filters)
        )

    def memories(self, nums: Collection[int]) -> Mapping[int, Memory | None]:
        """Several memories, whole."""
        return self.read_through("memories", nums, lambda missing: memories.read_memories(self._db, missing))

    def anchors(self, memory_ids: Collection[str]) -> Mapping[str, Sequence[Anchor] | None]:
        """What these memories stand on."""
        return self.read_through(
            "anchors", memory_ids, lambda missing: anchors.list_anchors_of_memories(self._db, missing)
        )

    def named_by(self, words: Collection[str]) -> Mapping[str, Sequence[str] | None]:
        """The subjects that each of these words may name."""
        return self.read_through(
            "names", words, lambda missing: subjects.find_subjects_named(self._db, missing)
        )

    def about(self, subjects_named: tuple[str, ...], filters: Filters, limit: int) -> Sequence[int]:
        """Memories about any of these that pass the filter, newest first."""
        key = ("about", filters, limit)
        nums_by_subjects = self.read_through(
            key,
            (subjects_named,),
            lambda missing: {
                subjects_key: subjects.find_memories_about(self._db, subjects_key, filters, limit)
                for subjects_key in missing
            },
        )
        return nums_by_subjects[subjects_named] or ()

    def subjects_of(self, nums: Collection[int]) -> Mapping[int, Collection[str] | None]:
        """What each of these memories is about."""
        return self.read_through("subjects", nums, lambda missing: subjects.read_subjects(self._db, missing))

    def words_of(self, model: int, nums: Collection[int]) -> Mapping[int, bytes | None]:
        """The packed word vectors of these memories."""
        key = ("words", model)
        if self._word_bytes > _MAX_BYTES:
            self._shelves[key], self._word_bytes = {}, 0
        return self.read_through(key, nums, lambda missing: self._read_words(model, missing))

    def _read_words(self, model: int, nums: list[int]) -> dict[int, bytes]:
        words_by_num = vectors.read_word_vectors(self._db, model, nums)
        self._word_bytes += sum(map(len, words_by_num.values()))
        return words_by_num

    def _drop_if_changed(self) -> None:
        version = self._db.version()
        if version != self._version:
            self._version, self._shelves, self._word_bytes = version, {}, 0


def _fill_shelf(
    shelves: dict[Hashable, Shelf],
    name: Hashable,
    keys: Collection[K],
    read: Callable[[list[K]], Mapping[K, V]],
    limit: int,
) -> Shelf:
    shelf = shelves.setdefault(name, {})
    missing = [key for key in keys if key not in shelf]
    if missing:
        if len(shelf) > limit:
            shelf = shelves[name] = dict.fromkeys(keys)
            missing = list(shelf)
        answers = read(missing)
        shelf.update((key, answers.get(key)) for key in missing)
    return shelf
