"""Vectors of the parts of notes, and the nearest to a question; in the same way as those of memories, and apart."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.search.vectors import VectorMatrix, has_cell_functions


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenPart:
    """A part of a note that a model has not seen; `of_memory` is the vector of the memory it shows, if there is one."""

    num: int
    title: str
    heading: str
    text: str
    of_memory: bytes | None


def list_unseen_parts(db: Db, vault: int, model: int, limit: int) -> list[UnseenPart]:
    """Parts without a vector, of the notes that were changed last first."""
    rows = db.rows("chunks_unseen", vault=vault, model_num=model, limit=limit)
    return [UnseenPart(**row) for row in rows]


def count_unseen_parts(db: Db, vault: int, model: int) -> int:
    """How many parts have no vector of this model yet."""
    return int(db.rows("chunks_unseen_count", vault=vault, model_num=model)[0]["parts"])


def save_vectors(db: Db, model: int, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Keep the vectors of parts, by the number of each part."""
    db.run_many(
        "chunk_vector_put",
        ({"model_num": model, "chunk": chunk, "vector": vector} for chunk, vector in vectors),
    )


class NoteVectorIndex:
    """The vectors of one model, ready to be searched: by SQL in a process that asks once, by a matrix from then on."""

    def __init__(self, db: Db, model: int, dimensions: int) -> None:
        self._db = db
        self._model = model
        self._dimensions = dimensions
        self._matrix: VectorMatrix | None = None
        self._searches = 0
        self._rollbacks = db.rollbacks

    def is_empty(self) -> bool:
        """Whether the model has seen no note yet: then a question need not be embedded."""
        return self._db.row("chunk_vectors_any", model_num=self._model) is None

    def nearest(self, vector: bytes, limit: int) -> dict[int, float]:
        """The nearest vectors by number with their cosines, nearest first; the part of one may be gone by now."""
        self._searches += 1
        if self._matrix is None and self._searches < 2 and has_cell_functions(self._db):
            return dict(
                self._db.tuples("chunk_vector_scan", vector=vector, model_num=self._model, limit=limit)
            )
        if self._matrix is None or self._rollbacks != self._db.rollbacks:
            # A transaction taken back gives its numbers to the next: what was read in it would stand for others.
            self._rollbacks = self._db.rollbacks
            self._matrix = VectorMatrix(self._dimensions)
        self._matrix.read_on(
            lambda seq: self._db.tuples("chunk_vectors_after", model_num=self._model, seq=seq)
        )
        return self._matrix.nearest(vector, limit)
