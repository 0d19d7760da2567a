"""Expanded search: a recall, then query expansion where little was found, then memories of linked files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.model.query import Query, Recalled
from recollect.retrieve.judged_search import answer_judged
from recollect.retrieve.linked_memories import add_linked_memories
from recollect.retrieve.query_expansion import (
    WriteAnswer,
    blend_expansion,
    expand_query,
    is_weak,
    merge_results,
)
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.search import parse_query

OUT_OF_TIME = "There was no time to look further."


def search_expanded(
    context: ReadContext,
    query: Query,
    now: datetime,
    *,
    files: Sequence[str] = (),
    imagine: WriteAnswer = None,
    in_time: Callable[[], bool] = lambda: True,
) -> Recalled:
    """Search with every expansion there is time for. Each of them only adds hits, behind those that answer."""
    parsed = parse_query(context, query, now)
    if parsed is None:
        return Recalled(hits=(), notes=("No session has been recorded yet.",))
    recalled = answer_judged(context, parsed, now)
    if is_weak(recalled):
        if not in_time():
            return Recalled(hits=recalled.hits, notes=(*recalled.notes, OUT_OF_TIME))
        expansion = expand_query(context, query.text, recalled, imagine)
        if expansion and in_time():
            second = answer_judged(context, blend_expansion(context, parsed, expansion), now)
            recalled = merge_results(recalled, second, expansion, query.limit)
    if not in_time():
        return Recalled(hits=recalled.hits, notes=(*recalled.notes, OUT_OF_TIME))
    return add_linked_memories(context, recalled, parsed.query.filters, files, now)
