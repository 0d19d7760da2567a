"""
Vectors of memories, and the nearest to a given one. A search never mixes models.

The one module that may branch on how a database does it: SQL functions in a process that has just started,
a matrix in memory from the second search on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from recollect.model.embedding import Embedding
from recollect.model.query import Filters
from recollect.store.db import Db
from recollect.store.tables.memories import filter_parameters

# Past this many vectors, signs first and exact cosines of the best is faster than exact cosines of all.
SIGNS_FROM = 5000
# How many of the best by sign are looked at exactly, per wanted result.
OVERSAMPLE = 8
# Among so many of the newest a duplicate is looked for by vector: in a process that has just started, and in one that
# stays.
NEWEST = 1024
NEWEST_AT_HAND = 20_000


def ensure_model(db: Db, model_id: str, dimensions: int) -> int:
    """The number of a model in this store; a new model gets one."""
    row = db.row("model_by_id", id=model_id)
    if row is None:
        with db.transaction():  # asked again inside: another process may have met it at the same moment
            row = db.row("model_by_id", id=model_id)
            if row is None:
                return db.insert("model_insert", id=model_id, dimensions=dimensions)
    return int(row["num"])


def has_model(db: Db, model_id: str) -> bool:
    """Whether this store knows the model."""
    return db.row("model_by_id", id=model_id) is not None


def replace_vector(db: Db, model: int, memory_num: int, embedding: Embedding) -> None:
    """A memory as this model sees it, instead of what it saw before."""
    delete_vector(db, model, memory_num)
    add_vector(db, model, memory_num, embedding)


def add_vector(db: Db, model: int, memory_num: int, embedding: Embedding) -> None:
    """A memory as this model sees it for the first time."""
    seq = db.insert("vector_insert", model_num=model, memory_num=memory_num, vector=embedding.vector)
    if embedding.words:
        db.run("vector_words_insert", seq=seq, words=embedding.words)


def delete_vector(db: Db, model: int, memory_num: int) -> None:
    """Forget what this model saw in a memory."""
    db.run("vector_delete", model_num=model, memory_num=memory_num)


def read_word_vectors(db: Db, model: int, nums: Iterable[int]) -> dict[int, bytes]:
    """The packed word vectors of these memories."""
    return dict(db.tuples("vector_words_of", model_num=model, nums=json.dumps(list(nums))))


class VectorIndex:
    """The vectors of one model, ready to be searched."""

    def __init__(self, db: Db, model: int, dimensions: int) -> None:
        self._db = db
        self._model = model
        self._dimensions = dimensions
        self._matrix: _Matrix | None = None
        self._recent: _Matrix | None = None
        self._searches = 0
        self._writes = 0
        self._version = (-1, -1)
        self._rollbacks = db.rollbacks

    def nearest(self, vector: bytes, limit: int, filters: Filters | None = None) -> dict[int, float]:
        """
        The memories nearest to a vector with their cosines, nearest first.

        In a process that has just started a filter is asked of each; else the caller looks at more and chooses.
        """
        self._searches += filters is None
        if not self._is_sql_faster():
            return self._read_on().nearest(vector, limit)
        parameters = {"vector": vector, "model_num": self._model, "limit": limit}
        if filters is None:
            return dict(self._db.tuples("vector_scan", **parameters))
        return dict(self._db.tuples("vector_scan_passing", **parameters, **filter_parameters(filters)))

    def reaches_all(self) -> bool:
        """Whether `nearest_recent` looks at every vector there is; asked before each batch of writes."""
        self._writes += 1
        if self._writes < 2 or "numpy" not in sys.modules:  # a short process writes once
            return False
        if self._writes == 2 and self._recent is not None and self._recent.first_seq:
            self._recent = None  # it reaches as far as a short process looks
        return self._read_newest().reaches_all()

    def nearest_recent(self, vector: bytes, limit: int) -> dict[int, float]:
        """The nearest among the newest vectors: bounded work at any size."""
        bare = self._matrix is None and self._recent is None and "numpy" not in sys.modules
        if bare and self._db.has_vector_functions():
            rows = self._db.tuples(
                "vector_nearest_recent", vector=vector, model_num=self._model, newest=NEWEST, limit=limit
            )
            return dict(rows)
        return self._read_newest().nearest(vector, limit, newest=self._reach())

    def likeness(self, vector: bytes, nums: Collection[int]) -> dict[int, float]:
        """The cosines between a vector and those of given memories."""
        if self._matrix is not None:  # a memory just made is missing at worst, and then has no cosine yet
            return self._matrix.likeness(vector, nums)
        at_hand = self._recent.likeness(vector, nums) if self._recent is not None else {}
        far = [num for num in nums if num not in at_hand]
        return at_hand | self._likeness_in_sql(vector, far) if far else at_hand

    def _likeness_in_sql(self, vector: bytes, nums: list[int]) -> dict[int, float]:
        nums_json = json.dumps(nums)
        if self._db.has_vector_functions():
            return dict(
                self._db.tuples("vector_likeness", vector=vector, model_num=self._model, nums=nums_json)
            )
        rows = self._db.tuples("vectors_of", model_num=self._model, nums=nums_json)
        return {num: _dot(vector, other_vector) for num, other_vector in rows}

    def _is_sql_faster(self) -> bool:
        # Building a matrix pays from the second search on; a short process makes only one.
        return self._matrix is None and self._searches < 2 and self._db.has_vector_functions()

    def _read_on(self) -> _Matrix:
        self._drop_rolled_back()
        version = self._db.version()
        if self._matrix is None:
            self._matrix = _Matrix(self._dimensions)
        elif version == self._version:
            return self._matrix
        self._matrix.read_on(self._read_after)
        self._version = version
        return self._matrix

    def _read_newest(self) -> _Matrix:
        self._drop_rolled_back()
        if self._matrix is not None:
            return self._read_on()
        if self._recent is None:
            row = self._db.row("vector_seq_before_newest", model_num=self._model, newest=self._reach())
            self._recent = _Matrix(self._dimensions, row["seq"] if row else 0)
        self._recent.read_on(self._read_after)
        return self._recent

    def _reach(self) -> int:
        return NEWEST_AT_HAND if self._writes > 1 else NEWEST

    def _drop_rolled_back(self) -> None:
        # A transaction taken back gives its numbers to the next: what was read in it would stand for others.
        if self._rollbacks != self._db.rollbacks:
            self._rollbacks = self._db.rollbacks
            self._matrix = self._recent = None

    def _read_after(self, seq: int) -> list[tuple[Any, ...]]:
        return self._db.tuples("vectors_after", model_num=self._model, seq=seq)


class _Matrix:
    """Vectors in memory, appended to as the table grows. Needs numpy."""

    def __init__(self, dimensions: int, after_seq: int = 0) -> None:
        import numpy as np

        self._np = np
        self._rows: Any = np.zeros((1024, dimensions), np.float32)
        self._nums: Any = np.zeros(1024, np.int64)
        # A row for every 64 dimensions: going through all memories is fast only along a row.
        self._signs: Any = np.zeros((-(-dimensions // 64), 1024), np.uint64)
        # So many have their signs already; they are made when they are first asked for.
        self._signed = 0
        self._place: dict[int, int] = {}
        self._size = 0
        self.first_seq = self._last_seq = after_seq
        # The last vector asked about, with its cosines to all: the next look wants some of them again.
        self._asked = b""
        self._scores: Any = None

    def read_on(self, after: Callable[[int], list[tuple[Any, ...]]]) -> None:
        fresh = after(self._last_seq)
        if not fresh:
            return
        self._asked = b""
        self._grow(len(fresh))
        start = self._size
        end = start + len(fresh)
        block = self._np.frombuffer(b"".join(row[2] for row in fresh), self._np.float32)
        self._rows[start:end] = block.reshape(len(fresh), -1)
        self._nums[start:end] = [row[1] for row in fresh]
        for offset, (_, num, _) in enumerate(fresh):
            old = self._place.get(num)
            if old is not None:  # a newer vector of the same memory has come
                self._rows[old] = self._nums[old] = 0
            self._place[num] = start + offset
        self._size += len(fresh)
        self._last_seq = fresh[-1][0]

    def reaches_all(self) -> bool:
        return self.first_seq == 0 and self._size <= NEWEST_AT_HAND

    def nearest(self, vector: bytes, limit: int, newest: int | None = None) -> dict[int, float]:
        np = self._np
        query = np.frombuffer(vector, np.float32)
        start = max(0, self._size - newest) if newest else 0
        if self._size - start >= SIGNS_FROM:
            places = self._best_by_sign(query, limit * OVERSAMPLE, start)
            scores = self._rows[places] @ query
        else:
            places = None
            scores = self._rows[start : self._size] @ query
            if start == 0:
                self._asked, self._scores = vector, scores
        best = _pick_top(np, scores, limit)
        rows = places[best] if places is not None else best + start
        pairs = zip(self._nums[rows].tolist(), scores[best].tolist(), strict=True)
        return {num: score for num, score in pairs if num}

    def likeness(self, vector: bytes, nums: Iterable[int]) -> dict[int, float]:
        present = [num for num in nums if num in self._place]
        if not present:
            return {}
        places = [self._place[num] for num in present]
        if vector == self._asked:
            scores = self._scores[places]
        else:
            scores = self._rows[places] @ self._np.frombuffer(vector, self._np.float32)
        return dict(zip(present, scores.tolist(), strict=True))

    def _best_by_sign(self, query: Any, count: int, start: int) -> Any:
        np = self._np
        self._signs[:, self._signed : self._size] = self._pack_signs(self._rows[self._signed : self._size])
        self._signed = self._size
        apart = np.zeros(self._size - start, np.int16)
        for signs, query_signs in zip(self._signs, self._pack_signs(query[None, :]), strict=True):
            apart += np.bitwise_count(signs[start : self._size] ^ query_signs)
        return _pick_top(np, -apart, count) + start

    def _pack_signs(self, rows: Any) -> Any:
        np = self._np
        packed = np.zeros((len(rows), len(self._signs) * 8), np.uint8)
        packed[:, : -(-rows.shape[1] // 8)] = np.packbits(rows > 0, axis=1)
        return packed.view(np.uint64).T

    def _grow(self, more: int) -> None:
        capacity = len(self._nums)
        while capacity < self._size + more:
            capacity *= 2
        if capacity > len(self._nums):
            more = capacity - len(self._nums)
            self._rows = self._np.pad(self._rows, ((0, more), (0, 0)))
            self._nums = self._np.pad(self._nums, (0, more))
            self._signs = self._np.pad(self._signs, ((0, 0), (0, more)))


def _pick_top(np: Any, scores: Any, limit: int) -> Any:
    if len(scores) <= limit:
        return np.argsort(-scores)
    chosen = np.argpartition(scores, -limit)[-limit:]
    return chosen[np.argsort(-scores[chosen])]


def _dot(left: bytes, right: bytes) -> float:
    import numpy as np

    return float(np.frombuffer(left, np.float32) @ np.frombuffer(right, np.float32))


def list_missing(
    db: Db, model: int, kinds: Iterable[str], *, after: int, limit: int
) -> list[Mapping[str, Any]]:
    """Memories of these kinds that this model has not seen yet, oldest first."""
    kinds_json = json.dumps(list(kinds))
    return list(db.rows("vectors_missing", model_num=model, kinds=kinds_json, after=after, limit=limit))


def count_missing(db: Db, model: int, kinds: Iterable[str]) -> int:
    """How many memories of these kinds this model has not seen yet."""
    row = db.row("vectors_missing_count", model_num=model, kinds=json.dumps(list(kinds)))
    return int(row["memories"]) if row else 0


def list_models(db: Db) -> list[Mapping[str, Any]]:
    """The models that made vectors here, and how many each."""
    return list(db.rows("models_all"))


def delete_model(db: Db, model: int) -> None:
    """Forget a model and all its vectors."""
    db.run("model_delete", num=model)
