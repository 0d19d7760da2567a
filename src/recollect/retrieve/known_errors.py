"""What is known about an error: memories of the same error, told by its normal form, and of ones much like it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.model.hit import Hit, Part
from recollect.model.query import Filters, Query
from recollect.model.value import replace
from recollect.model.words import query_words
from recollect.retrieve.read_context import Ground
from recollect.retrieve.search import search

KINDS = ("error_pattern", "dead_end", "gotcha", "remediation")
MOST = 3
# Two error lines that share so many of their words tell of the same trouble.
ALIKE = 0.7
_LOOKED_AT = 20


def known_faults(
    ground: Ground,
    lines: Sequence[str],
    filters: Filters,
    now: datetime,
    *,
    normal: Callable[[str], str],
    limit: int = MOST,
) -> list[Hit]:
    """Memories about these error lines, which are in their normal form; the same error before a like one."""
    if not lines:
        return []
    wanted = replace(
        filters, kinds=tuple(kind for kind in KINDS if not filters.kinds or kind in filters.kinds)
    )
    if not wanted.kinds:
        return []
    text = " ".join(lines[:3])
    found = search(ground, Query(text=text, limit=max(limit, _LOOKED_AT), filters=wanted), now)
    hits = [same for hit in found if (same := _same(hit, lines, normal))]
    return sorted(hits, key=lambda hit: (hit.memory.stale_at is not None, -hit.score))[:limit]


def _same(hit: Hit, lines: Sequence[str], normal: Callable[[str], str]) -> Hit | None:
    told = hit.memory.fields.get("error")
    error = normal(told if isinstance(told, str) and told else hit.memory.text)
    likeness, line = max((_likeness(error, line), line) for line in lines)
    if likeness < ALIKE:
        return None
    alike = Part("error", likeness, likeness, line[:80])
    return Hit(memory=hit.memory, score=0.0, notes=hit.notes).adding(alike)


def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    mine, theirs = set(query_words(one)), set(query_words(other))
    # Never quite 1: only the same line is the same error.
    return min(0.99, len(mine & theirs) / len(mine | theirs)) if mine and theirs else 0.0
