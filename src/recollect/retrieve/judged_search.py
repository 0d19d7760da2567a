"""The search for somebody who asks: each hit with the probability that it answers, in the order of that."""

from __future__ import annotations

from datetime import datetime

from recollect.model.query import Query, Recalled
from recollect.model.value import replace
from recollect.retrieve.answerable import MAX_JUDGED, judge_hits
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.search import ParsedQuery, check_file_presence, collect_hits, parse_query


def search_judged(context: ReadContext, query: Query, now: datetime) -> Recalled:
    """The memories that answer a question, best first; `known` of the answer says whether any does. Reads only."""
    parsed = parse_query(context, query, now)
    if parsed is None:
        return Recalled(hits=(), notes=("No session has been recorded yet.",))
    return answer_judged(context, parsed, now)


def answer_judged(context: ReadContext, parsed: ParsedQuery, now: datetime) -> Recalled:
    """The same for a parsed query. More are looked at than are wanted: judging may bring one of them up."""
    limit = parsed.query.limit
    wider = parsed._replace(query=replace(parsed.query, limit=max(limit, MAX_JUDGED)))
    with context.db.one_moment():
        hits = judge_hits(context, parsed, collect_hits(context, wider, now))
        checked_hits = check_file_presence(context, hits, parsed.query.filters, now)
    return Recalled(hits=checked_hits[:limit], notes=parsed.question.notes)
