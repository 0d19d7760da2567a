"""Memories as the values of a store: what frameworks that know only keys and values see of memory itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api import Recollect
from recollect.errors import BadInput, NotFound
from recollect.model.framework_state import KeyedItem
from recollect.model.item_filter import passes_filter
from recollect.model.memory import Memory, MemoryState
from recollect.model.provenance import Channel
from recollect.model.value import asdict, replace

NAMESPACE = ("recollect",)


def search_memories(
    memory: Recollect, question: str, filters: Mapping[str, Any], *, limit: int, offset: int = 0
) -> list[KeyedItem]:
    """What is remembered about a question, best first; without one, the newest."""
    if question:
        hits = memory.recall(question, limit=limit + offset)
        items = [replace(to_item(memory, hit.memory), score=hit.score) for hit in hits]
    else:
        items = [to_item(memory, remembered) for remembered in memory.list(limit=limit + offset)]
    return [item for item in items if passes_filter(item.value, filters)][offset : offset + limit]


def get_memory(memory: Recollect, memory_id: str) -> KeyedItem | None:
    """One memory; none that waits for a person."""
    try:
        remembered = memory.show(memory_id)
    except (NotFound, BadInput):
        return None
    return to_item(memory, remembered) if remembered.state is MemoryState.ACTIVE else None


def put_memory(memory: Recollect, value: Mapping[str, Any] | None) -> None:
    """Remember a text as an agent's word: `text`, and if you like `kind`, `about` and `why`."""
    if value is None:
        raise BadInput(reason="an agent does not take memories away; a person does, with `recollect forget`")
    text = value.get("text")
    if not isinstance(text, str) or not text.strip():
        raise BadInput(reason='a memory is a value with a text: {"text": "…", "kind": "fact", "about": []}')
    memory.remember(
        text,
        kind=str(value.get("kind", "fact")),
        about=[str(subject) for subject in value.get("about", ())],
        why=str(value.get("why", "")),
        channel=Channel.AGENT,
    )


def to_item(memory: Recollect, remembered: Memory) -> KeyedItem:
    """A memory as a value; its words are those that an agent may read."""
    card = asdict(memory.rendering.card(remembered))
    card["about"] = list(card["about"])
    return KeyedItem(
        namespace=NAMESPACE,
        key=remembered.id,
        value=card,
        created_at=remembered.created_at,
        updated_at=remembered.updated_at,
    )
