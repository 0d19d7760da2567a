"""Novelty: how new a text is beside the memories of the project (cosine similarity, one scale for every model)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.write_context import WriteContext, embed_texts
from recollect.model.embedding import Embedding
from recollect.model.value import dataclass
from recollect.store.tables import memories

# From here on two texts say the same, on the scale that all models are brought to.
SAME = 0.88
# Less alike than this tells nothing.
_UNRELATED = 0.2
_LIVE = ("active", "quarantined")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoveltyWeights:
    """The texts as the model sees them, and how new each is: 1 is unheard of, 0 is word for word."""

    ready: Mapping[str, Embedding]
    novelty: Mapping[str, float]


def weigh_novelty(context: WriteContext, project_id: str | None, texts: Sequence[str]) -> NoveltyWeights:
    """Embed texts once, and compare each with the memories of the project. Without a model all is new."""
    unique_texts = list(dict.fromkeys(texts))
    embeddings, _ = embed_texts(context, unique_texts)
    ready = {
        text: embedding
        for text, embedding in zip(unique_texts, embeddings, strict=True)
        if embedding is not None
    }
    return NoveltyWeights(
        ready=ready,
        novelty={
            text: 1.0 - _likeness(context, project_id, ready[text]) if text in ready else 1.0
            for text in unique_texts
        },
    )


def _likeness(context: WriteContext, project_id: str | None, embedding: Embedding) -> float:
    if context.index is None or context.embedder is None:
        return 0.0
    near = context.index.look([embedding.vector], _UNRELATED).of(0)
    likenesses = [
        near[num]
        for num, memory in memories.read_memories(context.db, list(near)).items()
        if memory.project_id == project_id and memory.state in _LIVE
    ]
    return min(1.0, max(0.0, max(likenesses, default=0.0) * SAME / context.embedder.duplicate_threshold))
