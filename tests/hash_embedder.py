"""A model without weights, for tests only: texts that share words and word beginnings point the same way."""

from __future__ import annotations

import hashlib
import math
import re
from array import array
from collections.abc import Sequence

from recollect.model.embedding import Embedding, QueryEmbedding

DIMENSIONS = 256


class HashEmbedder:
    """Deterministic; every word and its first four letters count once."""

    model_id = "hash-1"
    dimensions = DIMENSIONS
    duplicate_threshold = 0.88

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(vector=vector_of(text)) for text in texts]

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(vector=vector_of(text))


def vector_of(text: str) -> bytes:
    values = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        for feature, weight in ((word, 1.0), (word[:4], 0.5)):
            digest = hashlib.blake2b(feature.encode(), digest_size=4).digest()
            place = int.from_bytes(digest[:2], "little") % DIMENSIONS
            values[place] += weight if digest[2] % 2 else -weight
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    return array("f", (value / length for value in values)).tobytes()
