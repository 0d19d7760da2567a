"""Questions with a time in them: the newest sessions, a window, around an event, before or after an event."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from recollect.errors import BadTime, NotFound
from recollect.model.ids import looks_like_id
from recollect.model.memory import Memory
from recollect.model.period import AnchorRelation, Grain, Period, TimeAnchor
from recollect.model.query import Filters, Query
from recollect.model.value import replace
from recollect.model.words import query_words
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.stopwords import pick_topic_words
from recollect.retrieve.timewords import find_anchors, find_periods
from recollect.store.db import Db
from recollect.store.search.bm25_index import find_terms
from recollect.store.tables import memories, sessions

# So far on both sides of an event its surroundings reach.
WINDOW = timedelta(days=3)

_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 30, tzinfo=UTC)


def parse_period(text: str, now: datetime) -> tuple[datetime, datetime]:
    """The stretch a text means: an ISO time, or words such as "last week"; open ends reach to the ends of time."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        named_periods = find_periods(text, now)
        if not named_periods:
            raise BadTime(value=text) from None
        return named_periods[0].start or _FIRST, named_periods[0].end or _LAST
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    is_day = len(text.strip()) <= len("2026-05-08")
    return at, min(at, _LAST) + (timedelta(days=1) if is_day else timedelta(microseconds=1))


def narrow_filters(
    db: Db, query: Query, now: datetime, best: Callable[[Query], Memory | None]
) -> Filters | None:
    """The query's filter with its temporal modes worked in; None when no session can answer."""
    filters = query.filters
    if query.recent_sessions is not None:
        newest = sessions.list_newest_sessions(
            db, filters.project_id, every_project=filters.every_project, limit=query.recent_sessions
        )
        if not newest:
            return None
        filters = replace(filters, sessions=tuple(newest))
    if query.around is not None:
        start, end = _find_window_around(db, query, now, best)
        filters = replace(filters, since=start, until=end)
    return filters


def _find_window_around(
    db: Db, query: Query, now: datetime, best: Callable[[Query], Memory | None]
) -> tuple[datetime, datetime]:
    event = str(query.around)
    if looks_like_id(event) and len(event) >= 6:
        try:
            return _window_around(memories.get_memory(db, event).happened_at)
        except NotFound:
            pass  # a word can look like an id; read it as words then
    try:
        start, end = parse_period(event, now)
    except BadTime:
        memory = best(replace(query, text=event, around=None, recent_sessions=None, limit=1))
        if memory is None:
            raise NotFound(what="event", name=event) from None
        return _window_around(memory.happened_at)
    return _widen(start, end)


def _window_around(at: datetime) -> tuple[datetime, datetime]:
    return _widen(at, at)


def _widen(start: datetime, end: datetime) -> tuple[datetime, datetime]:
    return max(start, _FIRST + WINDOW) - WINDOW, min(end, _LAST - WINDOW) + WINDOW


# Half a week outside, an event's surroundings count half.
_SLACK = timedelta(days=3)
_DAY = timedelta(days=1)
_MAX_EVENTS = 2


def find_event_periods(context: ReadContext, text: str) -> tuple[Period, ...]:
    """The stretches of time meant by the events a question names, as far as memory knows when they were."""
    dated = ((anchor, _date_event(context, anchor)) for anchor in find_anchors(text)[:_MAX_EVENTS])
    return tuple(_period_of_event(anchor, at) for anchor, at in dated if at is not None)


def _date_event(context: ReadContext, anchor: TimeAnchor) -> datetime | None:
    """When the memory that holds all the event's words happened; an event nobody noted dates nothing."""
    words = pick_topic_words(query_words(anchor.words), frozenset())
    terms = find_terms(context.db, context.words, words)
    if not terms or not all(term.count for term in terms):
        return None
    scores = context.words.holding_all({term.stem: term.idf for term in terms})
    if not scores:
        return None
    best = max(scores, key=scores.__getitem__)
    memory = context.shelf.memories([best])[best]
    return memory.happened_at if memory else None


def _period_of_event(anchor: TimeAnchor, at: datetime) -> Period:
    day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    start: datetime | None
    end: datetime | None
    match anchor.relation:
        case AnchorRelation.BEFORE | AnchorRelation.UNTIL:
            start, end = None, day + _DAY
        case AnchorRelation.AFTER | AnchorRelation.SINCE:
            start, end = day, None
        case AnchorRelation.DURING | AnchorRelation.AROUND:
            start, end = day, day + _DAY
    return Period(start=start, end=end, words=anchor.words, grain=Grain.FUZZY, slack=_SLACK)
