"""How new a text is beside what is known, on one scale for every model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.write_context import Door, embed
from recollect.model.embedding import Embedding
from recollect.model.value import dataclass
from recollect.store.tables import memories

# From here on two texts say the same, on the scale that all models are brought to.
SAME = 0.88
_LOOKED_AT = 16
_LIVE = ("active", "quarantined")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The texts as the model sees them, and how new each is: 1 is unheard of, 0 is word for word."""

    ready: Mapping[str, Embedding]
    novelty: Mapping[str, float]


def weigh(door: Door, project_id: str | None, texts: Sequence[str]) -> Weighed:
    """Embed texts once, and compare each with the newest memories of the project. Without a model all is new."""
    wanted = list(dict.fromkeys(texts))
    made, _ = embed(door, wanted)
    ready = {text: seen for text, seen in zip(wanted, made, strict=True) if seen is not None}
    return Weighed(
        ready=ready,
        novelty={
            text: 1.0 - _likeness(door, project_id, ready[text]) if text in ready else 1.0 for text in wanted
        },
    )


def _likeness(door: Door, project_id: str | None, seen: Embedding) -> float:
    if door.index is None or door.embedder is None:
        return 0.0
    near = door.index.nearest_recent(seen.vector, _LOOKED_AT)
    own = [
        near[num]
        for num, memory in memories.by_nums(door.db, list(near)).items()
        if memory.project_id == project_id and memory.state in _LIVE
    ]
    return min(1.0, max(0.0, max(own, default=0.0) * SAME / door.embedder.same_above))
