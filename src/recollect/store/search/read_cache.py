"""
What readers of the store have read, kept at hand until the store changes.

A process that stays is asked many questions between two changes, and they touch the same terms and memories. Every
answer is as if it had been read just now: the first look after any change, by whatever process, empties the shelf.
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
from recollect.store.tables.memories import Candidate

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Board = dict[Any, Any]

# So many things stay on one board; with more, the board is emptied first.
_MOST = 20_000
_MOST_BYTES = 64_000_000


class Shelf:
    """One store as its readers see it: boards of things by key."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._version = (-1, -1)
        self._boards: dict[Hashable, Board] = {}
        self._word_bytes = 0

    def kept(
        self, board: Hashable, keys: Collection[K], read: Callable[[list[K]], Mapping[K, V]]
    ) -> Mapping[K, V | None]:
        """
        The board, with at least these keys on it; those never looked for are read in one go.

        What is not there stands on it as None.
        """
        self._look()
        found = self._boards.setdefault(board, {})
        missing = [key for key in keys if key not in found]
        if missing:
            if len(found) > _MOST:
                found = self._boards[board] = dict.fromkeys(keys)
                missing = list(found)
            answers = read(missing)
            found.update((key, answers.get(key)) for key in missing)
        return found

    def candidates(self, nums: Collection[int], filters: Filters) -> Mapping[int, Candidate | None]:
        """Those of these memories that pass the filter."""
        return self.kept(filters, nums, lambda missing: memories.candidates(self._db, missing, filters))

    def memories(self, nums: Collection[int]) -> Mapping[int, Memory | None]:
        """Several memories, whole."""
        return self.kept("memories", nums, lambda missing: memories.by_nums(self._db, missing))

    def anchors(self, memory_ids: Collection[str]) -> Mapping[str, Sequence[Anchor] | None]:
        """What these memories stand on."""
        return self.kept("anchors", memory_ids, lambda missing: anchors.of_memories(self._db, missing))

    def named_by(self, words: Collection[str]) -> Mapping[str, Sequence[str] | None]:
        """The subjects that each of these words may name."""
        return self.kept("names", words, lambda missing: subjects.named_by(self._db, missing))

    def about(self, subjects_named: tuple[str, ...], filters: Filters, limit: int) -> Sequence[int]:
        """Memories about any of these that pass the filter, newest first."""
        board = ("about", filters, limit)
        found = self.kept(
            board,
            (subjects_named,),
            lambda missing: {
                named: subjects.nums_about(self._db, named, filters, limit) for named in missing
            },
        )
        return found[subjects_named] or ()

    def subjects_of(self, nums: Collection[int]) -> Mapping[int, Collection[str] | None]:
        """What each of these memories is about."""
        return self.kept("subjects", nums, lambda missing: subjects.of_nums(self._db, missing))

    def words_of(self, model: int, nums: Collection[int]) -> Mapping[int, bytes | None]:
        """The packed word vectors of these memories."""
        board = ("words", model)
        if self._word_bytes > _MOST_BYTES:
            self._boards[board], self._word_bytes = {}, 0
        return self.kept(board, nums, lambda missing: self._read_words(model, missing))

    def _read_words(self, model: int, nums: list[int]) -> dict[int, bytes]:
        found = vectors.words_of(self._db, model, nums)
        self._word_bytes += sum(map(len, found.values()))
        return found

    def _look(self) -> None:
        version = self._db.version()
        if version != self._version:
            self._version, self._boards, self._word_bytes = version, {}, 0
