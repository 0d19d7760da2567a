"""Memories about an error: the same error by its normalised line, and errors much like it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.model.query import Filters, Hit, Query, ScorePart
from recollect.model.value import replace
from recollect.model.words import query_words
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.search import search

KINDS = ("error_pattern", "dead_end", "gotcha", "remediation")
MAX_KNOWN_ERRORS = 3
# Two error lines that share so many of their words tell of the same trouble.
MIN_LIKENESS = 0.7
_MAX_SEARCHED = 20


def find_known_errors(
    context: ReadContext,
    lines: Sequence[str],
    filters: Filters,
    now: datetime,
    *,
    normal: Callable[[str], str],
    limit: int = MAX_KNOWN_ERRORS,
) -> list[Hit]:
    """Memories about these error lines, which are in their normal form; the same error before a like one."""
    if not lines:
        return []
    error_filters = replace(
        filters, kinds=tuple(kind for kind in KINDS if not filters.kinds or kind in filters.kinds)
    )
    if not error_filters.kinds:
        return []
    text = " ".join(lines[:3])
    recalled = search(context, Query(text=text, limit=max(limit, _MAX_SEARCHED), filters=error_filters), now)
    hits = [same for hit in recalled if (same := _match_error(hit, lines, normal))]
    return sorted(hits, key=lambda hit: (hit.memory.stale_at is not None, -hit.score))[:limit]


def _match_error(hit: Hit, lines: Sequence[str], normal: Callable[[str], str]) -> Hit | None:
    error_field = hit.memory.fields.get("error")
    error = normal(error_field if isinstance(error_field, str) and error_field else hit.memory.text)
    likeness, line = max((_likeness(error, line), line) for line in lines)
    if likeness < MIN_LIKENESS:
        return None
    alike = ScorePart("error", likeness, likeness, line[:80])
    return Hit(memory=hit.memory, score=0.0, notes=hit.notes).adding(alike)


def _likeness(line: str, other_line: str) -> float:
    if line == other_line:
        return 1.0
    mine, theirs = set(query_words(line)), set(query_words(other_line))
    # Never quite 1: only the same line is the same error.
    return min(0.99, len(mine & theirs) / len(mine | theirs)) if mine and theirs else 0.0
