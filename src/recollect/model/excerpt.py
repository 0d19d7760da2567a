"""Long memories in an answer: their beginning, with a pointer to the rest; and which contradict each other."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.ids import SHORT_LENGTH
from recollect.model.memory import Memory, RelationType

# A memory of more characters than this is cut, to so many; most are a sentence or two.
LONG_TEXT = 800
EXCERPT = 600


def cut_long_text(text: str, memory_id: str) -> str:
    """The text, or its beginning and how to see the rest."""
    if len(text) <= LONG_TEXT:
        return text
    beginning = text[:EXCERPT].rsplit(maxsplit=1)[0] if " " in text[:EXCERPT] else text[:EXCERPT]
    more = len(text) - len(beginning)
    return f"{beginning} … ({more:,} more characters: recollect show {memory_id[:SHORT_LENGTH]})"


def find_contradictions(memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
    """For each of these memories that contradicts another of them, the ids of those; the newer one carries the tie."""
    ids = {memory.id for memory in memories}
    against: dict[str, list[str]] = {}
    for memory in memories:
        for relation in memory.relations:
            other = relation.memory_id
            if relation.type is RelationType.CONFLICTS_WITH and other in ids and other is not None:
                against.setdefault(memory.id, []).append(other)
                against.setdefault(other, []).append(memory.id)
    return {memory_id: tuple(dict.fromkeys(others)) for memory_id, others in against.items()}
