"""Embeddings made before a transaction: a slow model must not hold up other writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.write_context import Door, embed
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.value import replace
from recollect.providers.embed import Embedder


def prepared(door: Door, texts: Sequence[str]) -> Door:
    """The same door, with what the model makes of these texts at hand."""
    if door.embedder is None:
        return door
    wanted = list(dict.fromkeys(texts))
    made, _ = embed(door, wanted)
    ready = {text: seen for text, seen in zip(wanted, made, strict=True) if seen is not None}
    return replace(door, embedder=Prepared(door.embedder, ready))


class Prepared:
    """A model whose answers to some texts are known already; it is asked for the others."""

    def __init__(self, embedder: Embedder, ready: Mapping[str, Embedding]) -> None:
        self._embedder = embedder
        self._ready = ready
        self.model_id = embedder.model_id
        self.dimensions = embedder.dimensions
        self.same_above = embedder.same_above

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """The texts as the model sees them."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._ready]
        made = dict(zip(missing, self._embedder.embed(missing) if missing else [], strict=True))
        return [self._ready.get(text) or made[text] for text in texts]

    def embed_query(self, text: str) -> QueryEmbedding:
        """A question as the model sees it."""
        return self._embedder.embed_query(text)
