"""A model that answers from a script, for tests that must know every cosine; it can be down."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from recollect.errors import ProviderUnreachable
from recollect.model.embedding import Embedding, QueryEmbedding

DIMENSIONS = 64


class ScriptedEmbedder:
    """Texts in the script have the given cosine to the first axis; all others are at right angles to it."""

    dimensions = DIMENSIONS

    def __init__(self, cosines: dict[str, float] | None = None, *, model_id: str = "scripted-1") -> None:
        self.cosines = cosines or {}
        self.model_id = model_id
        self.duplicate_threshold = 0.88
        self.is_down = False
        self.fails_after: int | None = None
        self.seen: list[str] = []
        self._others: dict[str, int] = {}

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(vector=self._vector(text)) for text in texts]

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(vector=self._vector(text))

    def _vector(self, text: str) -> bytes:
        if self.is_down:
            raise ProviderUnreachable(url="http://127.0.0.1:1", reason="it is switched off")
        if self.fails_after is not None and len(self.seen) >= self.fails_after:
            raise ProviderUnreachable(url="http://127.0.0.1:1", reason="it died in the middle")
        self.seen.append(text)
        values = [0.0] * DIMENSIONS
        if text in self.cosines:
            values[0] = self.cosines[text]
            values[1] = math.sqrt(1 - values[0] ** 2)
        else:
            values[2 + self._others.setdefault(text, len(self._others)) % (DIMENSIONS - 2)] = 1.0
        return array("f", values).tobytes()
