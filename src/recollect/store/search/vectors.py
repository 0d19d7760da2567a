"""
Vectors of memories, and the nearest to a given one. A search never mixes models.

The one module that may branch on how a database does it: SQL functions in a process that has just started,
a matrix in memory from the second search on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from recollect.model.embedding import Embedding
from recollect.model.query import Filters
from recollect.store.db import Db
from recollect.store.search import cells
from recollect.store.tables.memories import filter_parameters

# Past this many vectors, signs first and exact cosines of the best is faster than exact cosines of all.
SIGNS_FROM = 5000
# How many of the best by sign are looked at exactly, per wanted result.
OVERSAMPLE = 8


def has_cell_functions(db: Db) -> bool:
    """Whether the database can look through vectors as they are kept, in a process that has no numpy."""
    return db.has_cell_functions and db.has_vector_functions()


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
    add_vectors(db, model, {memory_num: embedding})


def add_vectors(db: Db, model: int, embeddings: Mapping[int, Embedding]) -> None:
    """Memories as this model sees them for the first time. Inside a transaction."""
    seqs = db.insert_many(
        "vector_insert",
        (
            {"model_num": model, "memory_num": num, "vector": embedding.vector}
            for num, embedding in embeddings.items()
        ),
    )
    rows = list(zip(seqs, embeddings.items(), strict=True))
    add_near_vectors(db, ((seq, model, num, embedding.vector) for seq, (num, embedding) in rows))
    words = [(seq, embedding.words) for seq, (_, embedding) in rows if embedding.words]
    if words:
        db.run_tuples("vector_words_insert", words)


def add_near_vectors(db: Db, rows: Iterable[tuple[Any, ...]]) -> None:
    """The same vectors (seq, model, memory, bytes) as the database's own functions take them, where it has such."""
    if db.keeps_near_vectors:
        names = ("seq", "model_num", "memory_num", "vector")
        db.run_many(
            "vector_near_insert",
            (dict(zip(names, (*row[:3], db.as_vector(row[3])), strict=True)) for row in rows),
        )


def delete_vector(db: Db, model: int, memory_num: int) -> None:
    """Forget what this model saw in a memory."""
    db.run("vector_delete", model_num=model, memory_num=memory_num)


def read_word_vectors(db: Db, model: int, nums: Iterable[int]) -> dict[int, bytes]:
    """The packed word vectors of these memories."""
    return dict(db.tuples("vector_words_of", model_num=model, nums=json.dumps(list(nums))))


class Likenesses:
    """What is like each of several new vectors: among what is kept, and among those of them kept since."""

    def __init__(self, near: list[dict[int, float]], pairs: Iterable[tuple[int, int, float]] = ()) -> None:
        """`pairs` of the vectors themselves that are alike: the later one, the earlier one, their cosine."""
        self._near = near
        self._earlier: dict[int, list[tuple[int, float]]] = {}
        for later, earlier, cosine in pairs:
            self._earlier.setdefault(later, []).append((earlier, cosine))
        self._noted: dict[int, int] = {}

    def earlier(self, place: int) -> Collection[int]:
        """The places of the vectors among them that come before this one and are like it."""
        return [at for at, _ in self._earlier.get(place, ())]

    def of(self, place: int) -> dict[int, float]:
        """The memories like the vector at this place, with their cosines."""
        pairs = self._earlier.get(place, ())
        return self._near[place] | {self._noted[at]: cosine for at, cosine in pairs if at in self._noted}

    def note(self, place: int, num: int) -> None:
        """The vector at this place is kept from now on, as that memory's."""
        self._noted[place] = num


class VectorIndex:
    """The vectors of one model, ready to be searched."""

    def __init__(self, db: Db, model: int, dimensions: int) -> None:
        self._db = db
        self._model = model
        self._dimensions = dimensions
        self._matrix: VectorMatrix | None = None
        self._unfiled: VectorMatrix | None = None
        self._cells: cells.VectorCells | None = None
        self._searches = 0
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
        parameters = {"vector": self._db.as_vector(vector), "model_num": self._model, "limit": limit}
        if filters is None:
            return dict(self._db.tuples("vector_scan", **parameters))
        return dict(self._db.tuples("vector_scan_passing", **parameters, **filter_parameters(filters)))

    def file_new(self) -> None:
        """File the newest vectors into cells once there are many; part of the caller's transaction."""
        if self._highest_seq() - self._read_filed().seq >= cells.UNFILED:
            self._get_cells().file_on(self._read_after)
            self._unfiled = None

    def look(self, vectors: Sequence[bytes], at_least: float) -> Likenesses:
        """What is like each of these vectors, among all that is kept and among themselves; bounded at any size."""
        if not vectors:
            return Likenesses([])
        if len(vectors) == 1 and "numpy" not in sys.modules and has_cell_functions(self._db):
            return Likenesses([self._look_in_sql(vectors[0], at_least)])
        import numpy as np

        queries = np.frombuffer(b"".join(vectors), np.float32).reshape(len(vectors), -1)
        near = self._read_unfiled().above(queries, at_least, cells.BY_SIGN)
        filed = self._read_filed()
        if filed.seq:
            farthest = cells.max_distance(self._dimensions, at_least)
            candidates = list(self._get_cells().find_near(queries, farthest))
            nums_read, rows = self._read_rows(np, cells.nums_of(np, candidates))
            if len(nums_read):
                for query, nums, likeness in zip(queries, candidates, near, strict=True):
                    places = np.minimum(np.searchsorted(nums_read, nums), len(nums_read) - 1)
                    cosines = np.where(nums_read[places] == nums, rows[places] @ query, -1.0)
                    for at in np.flatnonzero(cosines >= at_least).tolist():
                        likeness.setdefault(int(nums[at]), float(cosines[at]))
        return Likenesses(near, _pair_up(np, queries, at_least))

    def _look_in_sql(self, vector: bytes, at_least: float) -> dict[int, float]:
        filed = self._read_filed()
        parameters = {"vector": vector, "model_num": self._model, "seq": filed.seq, "limit": cells.BY_SIGN}
        near = dict(self._db.tuples("vector_nearest_after", **parameters))
        if filed.seq:
            near |= self._likeness_in_sql(vector, cells.find_near_in_sql(self._db, self._model, vector))
        return {num: cosine for num, cosine in near.items() if cosine >= at_least}

    def likeness(self, vector: bytes, nums: Collection[int]) -> dict[int, float]:
        """The cosines between a vector and those of given memories."""
        if self._matrix is not None:  # a memory just made is missing at worst, and then has no cosine yet
            return self._matrix.likeness(vector, nums)
        return self._likeness_in_sql(vector, list(nums)) if nums else {}

    def _likeness_in_sql(self, vector: bytes, nums: list[int]) -> dict[int, float]:
        nums_json = json.dumps(nums)
        if self._db.has_vector_functions():
            own_vector = self._db.as_vector(vector)
            return dict(
                self._db.tuples("vector_likeness", vector=own_vector, model_num=self._model, nums=nums_json)
            )
        rows = self._db.tuples("vectors_of", model_num=self._model, nums=nums_json)
        return {num: _dot(vector, other_vector) for num, other_vector in rows}

    def _is_sql_faster(self) -> bool:
        # Building a matrix pays from the second search on; a short process makes only one.
        return self._matrix is None and self._searches < 2 and self._db.has_vector_functions()

    def _read_on(self) -> VectorMatrix:
        self._drop_rolled_back()
        version = self._db.version()
        if self._matrix is None:
            self._matrix = VectorMatrix(self._dimensions)
        elif version == self._version:
            return self._matrix
        self._matrix.read_on(self._read_after)
        self._version = version
        return self._matrix

    def _read_unfiled(self) -> VectorMatrix:
        """The newest vectors, which are in no cell yet."""
        self._drop_rolled_back()
        filed = self._read_filed()
        if self._unfiled is None or self._unfiled.first_seq != filed.seq:
            self._unfiled = VectorMatrix(self._dimensions, filed.seq)
        self._unfiled.read_on(self._read_after)
        return self._unfiled

    def _read_filed(self) -> cells.FiledTo:
        return cells.read_filed_to(self._db, self._model)

    def _get_cells(self) -> cells.VectorCells:
        """The cells as they are now: another process may have filed since."""
        self._drop_rolled_back()
        filed = self._read_filed()
        if self._cells is None or self._cells.filed != filed:
            self._cells = cells.VectorCells(self._db, self._model, filed)
        return self._cells

    def _highest_seq(self) -> int:
        return int(self._db.tuples("vector_highest_seq")[0][0])

    def _read_rows(self, np: Any, nums: Any) -> tuple[Any, Any]:
        """Those of given memories that have a vector, in order, and the vectors."""
        if self._matrix is not None:
            return self._read_on().rows_of(nums)
        pairs = sorted(
            self._db.tuples("vectors_of", model_num=self._model, nums=json.dumps(nums.tolist()))
            if len(nums)
            else []
        )
        block = np.frombuffer(b"".join(vector for _, vector in pairs), np.float32)
        return np.array([num for num, _ in pairs], np.int64), block.reshape(len(pairs), self._dimensions)

    def _drop_rolled_back(self) -> None:
        # A transaction taken back gives its numbers to the next: what was read in it would stand for others.
        if self._rollbacks != self._db.rollbacks:
            self._rollbacks = self._db.rollbacks
            self._matrix = self._unfiled = self._cells = None

    def _read_after(self, seq: int) -> list[tuple[Any, ...]]:
        return self._db.tuples("vectors_after", model_num=self._model, seq=seq)


class VectorMatrix:
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

    def nearest(self, vector: bytes, limit: int) -> dict[int, float]:
        np = self._np
        query = np.frombuffer(vector, np.float32)
        if self._size >= SIGNS_FROM:
            places = self._best_by_sign(query, limit * OVERSAMPLE)
            scores = self._rows[places] @ query
        else:
            places = None
            scores = self._rows[: self._size] @ query
            self._asked, self._scores = vector, scores
        best = _pick_top(np, scores, limit)
        rows = places[best] if places is not None else best
        pairs = zip(self._nums[rows].tolist(), scores[best].tolist(), strict=True)
        return {num: score for num, score in pairs if num}

    def above(self, queries: Any, at_least: float, limit: int) -> list[dict[int, float]]:
        """For each query the vectors with at least this cosine, the best so many."""
        np = self._np
        likenesses: list[dict[int, float]] = []
        for scores in queries @ self._rows[: self._size].T:
            close = np.flatnonzero(scores >= at_least)
            if len(close) > limit:
                close = close[_pick_top(np, scores[close], limit)]
            pairs = zip(self._nums[close].tolist(), scores[close].tolist(), strict=True)
            likenesses.append({num: score for num, score in pairs if num})
        return likenesses

    def rows_of(self, nums: Any) -> tuple[Any, Any]:
        """Those of given memories that have a vector, in the order given, and the vectors."""
        present = [num for num in nums.tolist() if num in self._place]
        return self._np.array(present, self._np.int64), self._rows[[self._place[num] for num in present]]

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

    def _best_by_sign(self, query: Any, count: int) -> Any:
        np = self._np
        fresh = self._rows[self._signed : self._size]
        self._signs[:, self._signed : self._size] = cells.pack_signs(np, fresh).T
        self._signed = self._size
        apart = np.zeros(self._size, np.int16)
        for signs, query_signs in zip(self._signs, cells.pack_signs(np, query[None, :])[0], strict=True):
            apart += np.bitwise_count(signs[: self._size] ^ query_signs)
        return _pick_top(np, -apart, count)

    def _grow(self, more: int) -> None:
        capacity = len(self._nums)
        while capacity < self._size + more:
            capacity *= 2
        if capacity > len(self._nums):
            more = capacity - len(self._nums)
            self._rows = self._np.pad(self._rows, ((0, more), (0, 0)))
            self._nums = self._np.pad(self._nums, (0, more))
            self._signs = self._np.pad(self._signs, ((0, 0), (0, more)))


def _pair_up(np: Any, rows: Any, at_least: float) -> Iterable[tuple[int, int, float]]:
    """The pairs of rows with at least this cosine, the later row first."""
    if len(rows) < 2:
        return ()
    cosines = np.tril(rows @ rows.T, -1)
    later, earlier = np.nonzero(cosines >= max(at_least, 1e-9))
    return zip(later.tolist(), earlier.tolist(), cosines[later, earlier].tolist(), strict=True)


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
