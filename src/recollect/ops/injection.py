"""
Budgeted injection: what earlier runs learned, as text for the next one.

The surest memories are taken first, those about services that the prompt names before all others, until the budget is
spent. They are shown grouped by service, general ones last, under a heading that counts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from recollect.inject.citation_format import escape
from recollect.model.memory import Memory
from recollect.model.policy import INACTIVE_BELOW
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.model.trust import Moment, may_speak
from recollect.model.value import dataclass
from recollect.ops.markers import GENERAL

SERVICE = "service"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryContext:
    """The text, and which memories of how many it holds."""

    text: str = ""
    memory_ids: tuple[str, ...] = ()
    total: int = 0
    tokens: int = 0


def build_memory_context(memories: Iterable[Memory], *, budget: int, prompt: str) -> MemoryContext:
    """Say as much of these memories as the budget allows; nothing when there is nothing to say."""
    usable = [memory for memory in memories if _may_be_told(memory)]
    named_services = _named_services({service_of(memory) for memory in usable}, prompt)
    usable.sort(key=lambda memory: (service_of(memory) not in named_services, -memory.confidence, memory.id))
    chosen, tokens = _choose(usable, budget)
    if not chosen:
        return MemoryContext(total=len(usable))
    head = f"## Operational Memory ({len(chosen)} of {len(usable)} memories, ~{tokens:,} tokens)"
    blocks = [
        "\n".join((_heading(name), *map(_line, group))) for name, group in _grouped(chosen, named_services)
    ]
    return MemoryContext(
        text="\n\n".join((head, *blocks)),
        memory_ids=tuple(memory.id for memory in chosen),
        total=len(usable),
        tokens=tokens,
    )


def service_of(memory: Memory) -> str:
    """The service a memory is about; general when it is about none."""
    return next((subject.name for subject in memory.subjects if subject.type == SERVICE), GENERAL)


def format_confidence(confidence: float) -> str:
    """A confidence as people write it: 0.9, 0.95, 1.0."""
    return str(round(confidence, 2))


def _may_be_told(memory: Memory) -> bool:
    return memory.confidence >= INACTIVE_BELOW and may_speak(memory, Moment.OPERATIONS).allowed


def _choose(memories: Sequence[Memory], budget: int) -> tuple[list[Memory], int]:
    """Take what fits, in this order; what is too long for what is left does not stop those after it."""
    chosen: list[Memory] = []
    headed: set[str] = set()
    tokens = 0
    for memory in memories:
        service = service_of(memory)
        cost = len(_line(memory)) // CHARACTERS_PER_TOKEN
        if service not in headed:
            cost += len(_heading(service)) // CHARACTERS_PER_TOKEN
        if tokens + cost > budget:
            continue
        chosen.append(memory)
        headed.add(service)
        tokens += cost
    return chosen, tokens


def _grouped(memories: Sequence[Memory], named_services: set[str]) -> list[tuple[str, list[Memory]]]:
    groups: dict[str, list[Memory]] = {}
    for memory in memories:
        groups.setdefault(service_of(memory), []).append(memory)
    order = {name: place for place, name in enumerate(groups)}
    return sorted(
        groups.items(), key=lambda item: (item[0] == GENERAL, item[0] not in named_services, order[item[0]])
    )


def _named_services(services: set[str], prompt: str) -> set[str]:
    return {
        service
        for service in services
        if service != GENERAL
        and re.search(rf"(?<![\w.-]){re.escape(service)}(?![\w-])", prompt, re.IGNORECASE)
    }


def _heading(service: str) -> str:
    return f"### {escape(service)}"


def _line(memory: Memory) -> str:
    text = escape(" ".join(memory.text.split()))
    return f"- [{escape(memory.kind)}] {text} (confidence: {format_confidence(memory.confidence)})"
