"""
An inverted file (IVF) of vectors: cells of like ones, so that a look for what is near costs the same at any size.

New vectors are compared one by one; when there are enough of them they are filed, all at once, each into the two cells
whose pivots are nearest: what is like it may lie just beyond the edge of one. A cell that grows too large is split in
two (2-means), so cells follow what is remembered and none has to be chosen beforehand. A look goes through the cells
nearest to its vector: by sign bits first (their Hamming distance follows the angle), and exactly for the best of those.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterator
from typing import Any

from recollect.model.value import dataclass
from recollect.store.db import Db

# A cell with more members than this is split.
MAX_MEMBERS = 512
# So many cells hold a vector, and so many of the nearest are looked through. Measured at 100,000: 98 to 99 % of the
# labelled repetitions and contradictions that a full look finds; with one cell for each vector it was 91 %.
COPIES = 2
PROBES = 24
# So many new vectors wait until they are filed together.
UNFILED = 2048
# How many of the nearest by sign are compared exactly; most stand there twice.
BY_SIGN = 64
_ROUNDS = 6
# Sign bits are not quite independent of each other: so many standard deviations are allowed for.
_DEVIATIONS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledTo:
    """How far the vectors of a model are filed, and in how many cells."""

    seq: int
    cells: int


@dataclass(slots=True)
class _Members:
    """The memories of one cell, with their sign bits: a row for every 64 of them."""

    nums: Any
    signs: Any


def read_filed_to(db: Db, model: int) -> FiledTo:
    """How far filing has come."""
    row = db.row("vectors_filed", model_num=model)
    return FiledTo(seq=row["seq"], cells=row["cells"]) if row else FiledTo(seq=0, cells=0)


def max_distance(dimensions: int, cosine: float) -> int:
    """How many sign bits may differ between two vectors with at least this cosine, with room for chance."""
    share = math.acos(max(-1.0, min(1.0, cosine))) / math.pi
    return math.ceil(
        dimensions * share + _DEVIATIONS * math.sqrt(dimensions * max(share * (1 - share), 0.01))
    )


def pack_signs_of(vector: bytes) -> bytes:
    """The sign bits of one vector, without numpy; the same bytes as `pack_signs` makes."""
    values = memoryview(vector).cast("f")
    bits = "".join("1" if value > 0 else "0" for value in values)
    size = -(-len(values) // 64) * 8
    return int(bits.ljust(size * 8, "0"), 2).to_bytes(size, "big")


def pack_signs(np: Any, rows: Any) -> Any:
    """The sign bits of vectors, one row of 64-bit words for each."""
    packed = np.zeros((len(rows), -(-rows.shape[1] // 64) * 8), np.uint8)
    packed[:, : -(-rows.shape[1] // 8)] = np.packbits(rows > 0, axis=1)
    return packed.view(np.uint64)


def find_near_in_sql(db: Db, model: int, vector: bytes) -> list[int]:
    """The filed memories nearest by sign, in a process that has no numpy."""
    cells = db.tuples("cells_nearest", model_num=model, vector=vector, limit=PROBES)
    rows = db.tuples(
        "cell_members_nearest",
        model_num=model,
        cells=json.dumps([cell for (cell,) in cells]),
        signs=pack_signs_of(vector),
        limit=BY_SIGN,
    )
    return [num for (num,) in rows]


class VectorCells:
    """The cells of one model, each read when it is first looked through. Needs numpy."""

    def __init__(self, db: Db, model: int, filed: FiledTo) -> None:
        import numpy as np

        self._np = np
        self._db = db
        self._model = model
        self.filed = filed
        rows = db.tuples("cells_all", model_num=model)
        self._cells = [cell for cell, _ in rows]
        self._pivots: Any = (
            np.frombuffer(b"".join(pivot for _, pivot in rows), np.float32).reshape(len(rows), -1).copy()
            if rows
            else None
        )
        self._members: dict[int, _Members] = {}
        self._room: Any = None
        self._counts: Any = None

    def find_near(self, queries: Any, farthest: int) -> Iterator[Any]:
        """For each query the filed memories that differ from it in at most so many signs, nearest first."""
        np = self._np
        if self._pivots is None:
            yield from (np.zeros(0, np.int64) for _ in queries)
            return
        likeness = queries @ self._pivots.T
        probes = min(PROBES, len(self._cells))
        nearest = np.argpartition(likeness, -probes, axis=1)[:, -probes:]
        signs = pack_signs(np, queries)
        for places, query_signs in zip(nearest.tolist(), signs[:, :, None], strict=True):
            members = [self._read_members(self._cells[place]) for place in places]
            apart = self._count_differences(members, query_signs)
            close = np.flatnonzero(apart <= farthest)
            if len(close) > BY_SIGN:
                close = close[np.argpartition(apart[close], BY_SIGN)[:BY_SIGN]]
            yield np.concatenate([one.nums for one in members])[close]

    def _count_differences(self, members: list[_Members], query_signs: Any) -> Any:
        """In how many signs each member differs from a query; written where the last such look was written."""
        np = self._np
        size = sum(len(one.nums) for one in members)
        if self._room is None or self._room.shape[1] < size:
            self._room = np.empty((len(query_signs), 2 * size), np.uint64)
            self._counts = np.empty(self._room.shape, np.uint8)
        start = 0
        for one in members:
            end = start + len(one.nums)
            np.bitwise_xor(one.signs, query_signs, out=self._room[:, start:end])
            start = end
        counts = np.bitwise_count(self._room[:, :size], out=self._counts[:, :size])
        return counts.sum(axis=0, dtype=np.uint16)

    def file_on(self, read_after: Callable[[int], list[tuple[Any, ...]]]) -> None:
        """File what waits; part of the caller's transaction."""
        rows = read_after(self.filed.seq)
        for start in range(0, len(rows), UNFILED):
            self._file_rows(rows[start : start + UNFILED])
        if rows:
            self.filed = FiledTo(seq=rows[-1][0], cells=self.filed.cells + 1)
            self._db.run(
                "vectors_filed_set", model_num=self._model, seq=self.filed.seq, cells=self.filed.cells
            )

    def _file_rows(self, rows: list[tuple[Any, ...]]) -> None:
        np = self._np
        vectors = np.frombuffer(b"".join(row[2] for row in rows), np.float32).reshape(len(rows), -1)
        if self._pivots is None:
            self._add_cell(_unit(np, vectors.sum(axis=0)))
        copies = min(COPIES, len(self._cells))
        nearest = np.argpartition(vectors @ self._pivots.T, -copies, axis=1)[:, -copies:]
        signs = pack_signs(np, vectors)
        chosen = sorted((place, i) for i, places in enumerate(nearest.tolist()) for place in places)
        self._db.run_tuples(
            "cell_member_insert",
            (
                (self._model, self._cells[place], rows[i][0], rows[i][1], signs[i].tobytes())
                for place, i in chosen
            ),
        )
        for place in np.unique(nearest).tolist():
            before = self._members.get(self._cells[place])
            if before is not None:
                mine = np.flatnonzero((nearest == place).any(axis=1))
                nums = np.array([rows[i][1] for i in mine.tolist()], np.int64)
                before.nums = np.concatenate([before.nums, nums])
                before.signs = np.concatenate([before.signs, signs[mine].T], axis=1)
                if len(before.nums) <= MAX_MEMBERS:
                    continue
            self._split_if_full(place)

    def _split_if_full(self, place: int) -> None:
        """Two cells where one is too large, each around the mean of its own; again while one still is."""
        np = self._np
        cell = self._cells[place]
        size = self._db.tuples("cell_size", model_num=self._model, cell=cell)[0][0]
        if size <= MAX_MEMBERS:
            return
        rows = self._db.tuples("cell_vectors", model_num=self._model, cell=cell)
        vectors = np.frombuffer(b"".join(row[1] for row in rows), np.float32).reshape(len(rows), -1)
        first, second, stays = _halve(np, vectors)
        self._pivots[place] = first
        self._db.run("cell_move", num=cell, pivot=first.tobytes())
        other = self._add_cell(second)
        self._db.run_tuples(
            "cell_member_move",
            ((other, self._model, cell, rows[i][0]) for i in np.flatnonzero(~stays).tolist()),
        )
        self._members.pop(cell, None)
        self._split_if_full(place)
        self._split_if_full(self._cells.index(other))

    def _add_cell(self, pivot: Any) -> int:
        np = self._np
        cell = self._db.insert("cell_insert", model_num=self._model, pivot=pivot.tobytes())
        self._cells.append(cell)
        row = pivot[None, :]
        self._pivots = row.copy() if self._pivots is None else np.concatenate([self._pivots, row])
        return cell

    def _read_members(self, cell: int) -> _Members:
        members = self._members.get(cell)
        if members is None:
            np = self._np
            rows = self._db.tuples("cell_members", model_num=self._model, cell=cell)
            words = -(-self._pivots.shape[1] // 64)
            signs = np.frombuffer(b"".join(row[1] for row in rows), np.uint64).reshape(len(rows), words)
            members = _Members(np.array([row[0] for row in rows], np.int64), np.ascontiguousarray(signs.T))
            self._members[cell] = members
        return members


def _halve(np: Any, vectors: Any) -> tuple[Any, Any, Any]:
    """2-means from two vectors that are far apart: both means, and which vectors belong to the first."""
    far = vectors[np.argmin(vectors @ vectors[0])]
    first, second = far, vectors[np.argmin(vectors @ far)]
    for _ in range(_ROUNDS):
        stays = vectors @ first >= vectors @ second
        if stays.all() or not stays.any():  # all alike: any halves will do
            stays = np.arange(len(vectors)) % 2 == 0
        first, second = _unit(np, vectors[stays].sum(axis=0)), _unit(np, vectors[~stays].sum(axis=0))
    return first, second, stays


def _unit(np: Any, row: Any) -> Any:
    return (row / max(float(np.linalg.norm(row)), 1e-9)).astype(np.float32)


def nums_of(np: Any, candidates: Collection[Any]) -> Any:
    """All numbers among the candidates of several queries, each once, in order."""
    return np.unique(np.concatenate(list(candidates)))
