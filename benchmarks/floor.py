"""
The floor: the least a hybrid memory can be, written to be fast. All that memory does beyond it has its price.

One table of id, text and vector; FTS5 over it; exact cosines in a float32 matrix; the two best-lists fused by
reciprocal rank. No scoping, no history, no trust, no duplicates found, no words looked at closer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import apsw

BEST = 100
RRF_K = 60

_MAKE = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "CREATE TABLE IF NOT EXISTS memory (id INTEGER PRIMARY KEY, text TEXT NOT NULL, vector BLOB) STRICT",
    """CREATE VIRTUAL TABLE IF NOT EXISTS memory_text USING fts5(
        text, content = 'memory', content_rowid = 'id', tokenize = 'porter unicode61')""",
)
_INSERT = "INSERT INTO memory (id, text, vector) VALUES (?, ?, ?)"
_FILE = "INSERT INTO memory_text (rowid, text) VALUES (?, ?)"
_BY_WORDS = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rank LIMIT ?"
_TEXTS = "SELECT text FROM memory WHERE id = ?"
_WORD = re.compile(r"\w+")

Row = tuple[str, bytes]


class Floor:
    """A table, an index and a matrix."""

    def __init__(self, path: str | Path, *, dimensions: int = 0, ignored: Collection[str] = ()) -> None:
        """`ignored`: words too frequent to search by, as any stop list has them."""
        self._db = apsw.Connection(str(path))
        for statement in _MAKE:
            self._db.execute(statement).fetchall()
        self._ignored = frozenset(ignored)
        self._size = 0
        self._matrix: Any = None
        if dimensions:
            import numpy as np

            self._np = np
            self._matrix = np.empty((1024, dimensions), np.float32)

    def add(self, rows: Iterable[Row]) -> None:
        """Keep rows, all in one commit."""
        first = self._size
        with self._db:
            for text, vector in rows:
                self._size += 1
                self._db.execute(_INSERT, (self._size, text, vector))
                self._db.execute(_FILE, (self._size, text))
                self._place(self._size - 1, vector)
        assert self._size > first

    def search(self, question: str, vector: bytes = b"", limit: int = 20) -> list[tuple[int, float, str]]:
        """The best of both lists, with their texts."""
        scores: dict[int, float] = {}
        for best in (self.by_words(question, BEST), self._by_vector(vector) if vector else ()):
            for place, row_id in enumerate(best, start=1):
                scores[row_id] = scores.get(row_id, 0.0) + 1 / (RRF_K + place)
        top = sorted(scores.items(), key=lambda item: -item[1])[:limit]
        return [(row_id, score, self._db.execute(_TEXTS, (row_id,)).get) for row_id, score in top]

    def by_words(self, question: str, limit: int) -> list[int]:
        """The numbers of the best by BM25, the first row being 1."""
        match = any_of(question, self._ignored)
        return [row[0] for row in self._db.execute(_BY_WORDS, (match, limit))] if match else []

    def compact(self) -> None:
        """Bring the log into the file, so that its size means something."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    def _by_vector(self, vector: bytes) -> list[int]:
        np = self._np
        cosines = self._matrix[: self._size] @ np.frombuffer(vector, np.float32)
        if self._size > BEST:
            chosen = np.argpartition(-cosines, BEST)[:BEST]
            chosen = chosen[np.argsort(-cosines[chosen])]
        else:
            chosen = np.argsort(-cosines)
        return [int(place) + 1 for place in chosen]

    def _place(self, place: int, vector: bytes) -> None:
        if self._matrix is None:
            return
        if place >= len(self._matrix):
            self._matrix = self._np.concatenate([self._matrix, self._np.empty_like(self._matrix)])
        self._matrix[place] = self._np.frombuffer(vector, self._np.float32)


def any_of(question: str, ignored: Collection[str] = ()) -> str:
    """A full-text expression for any word of a question but the ignored, unless there is no other."""
    words = dict.fromkeys(_WORD.findall(question.lower()))
    return " OR ".join(f'"{word}"' for word in [w for w in words if w not in ignored] or words)


if __name__ == "__main__":  # a cold process: open, ask by words, leave
    sys.stdout.write(f"{len(Floor(Path(sys.argv[1])).search(sys.argv[2]))}\n")
