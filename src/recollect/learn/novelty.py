"""Novelty: how new a text is beside the memories of the project (cosine similarity, one scale for every model)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.write_context import WriteContext, embed_texts
from recollect.model.embedding import Embedding
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import memories

# From here on two texts say the same, on the scale that all models are brought to.
SAME = 0.88
# Less alike than this tells nothing.
_UNRELATED = 0.2
_LIVE = ("active", "quarantined")
_READ_AT_ONCE = 4


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
    likeness = _weigh_likeness(context, project_id, ready)
    return NoveltyWeights(ready=ready, novelty={text: 1.0 - likeness.get(text, 0.0) for text in unique_texts})


def _weigh_likeness(
    context: WriteContext, project_id: str | None, ready: Mapping[str, Embedding]
) -> dict[str, float]:
    """How like the nearest memory of the project each text is, looked up for all of them at once."""
    if context.index is None or context.embedder is None:
        return {}
    near = context.index.look([embedding.vector for embedding in ready.values()], _UNRELATED)
    scale = SAME / context.embedder.duplicate_threshold
    checked = _CheckedMemories(context.db, project_id)
    return {
        text: min(1.0, max(0.0, checked.find_nearest(near.of(place)) * scale))
        for place, text in enumerate(ready)
    }


class _CheckedMemories:
    """Which memories are live ones of the project, read a few at a time: the nearest one nearly always is."""

    def __init__(self, db: Db, project_id: str | None) -> None:
        self._db = db
        self._project_id = project_id
        self._is_live: dict[int, bool] = {}

    def find_nearest(self, cosines: Mapping[int, float]) -> float:
        """The highest cosine with a live memory of the project; 0 if there is none."""
        ranked = sorted(cosines, key=cosines.__getitem__, reverse=True)
        for start in range(0, len(ranked), _READ_AT_ONCE):
            nums = ranked[start : start + _READ_AT_ONCE]
            self._read(nums)
            if live := [num for num in nums if self._is_live[num]]:
                return cosines[live[0]]
        return 0.0

    def _read(self, nums: Sequence[int]) -> None:
        unknown = [num for num in nums if num not in self._is_live]
        rows = memories.read_memories(self._db, unknown) if unknown else {}
        for num in unknown:
            memory = rows.get(num)
            self._is_live[num] = (
                memory is not None and memory.project_id == self._project_id and memory.state in _LIVE
            )
