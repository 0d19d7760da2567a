"""Questions with a time in them: the newest sessions, a window, around an event."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from recollect.errors import BadTime, NotFound
from recollect.model.ids import looks_like_id
from recollect.model.memory import Memory
from recollect.model.query import Filters, Query
from recollect.model.value import replace
from recollect.retrieve.timewords import periods
from recollect.store.db import Db
from recollect.store.tables import memories, sessions

# So far on both sides of an event its surroundings reach.
AROUND = timedelta(days=3)

_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 30, tzinfo=UTC)


def period_of(text: str, now: datetime) -> tuple[datetime, datetime]:
    """The stretch a text means: an ISO time, or words such as "last week"; open ends reach to the ends of time."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        found = periods(text, now)
        if not found:
            raise BadTime(value=text) from None
        return found[0].start or _FIRST, found[0].end or _LAST
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    is_day = len(text.strip()) <= len("2026-05-08")
    return at, min(at, _LAST) + (timedelta(days=1) if is_day else timedelta(microseconds=1))


def narrowed(db: Db, query: Query, now: datetime, best: Callable[[Query], Memory | None]) -> Filters | None:
    """The query's filter with its temporal modes worked in; None when no session can answer."""
    filters = query.filters
    if query.recent_sessions is not None:
        newest = sessions.newest(
            db, filters.project_id, every_project=filters.every_project, limit=query.recent_sessions
        )
        if not newest:
            return None
        filters = replace(filters, sessions=tuple(newest))
    if query.around is not None:
        start, end = _surroundings(db, query, now, best)
        filters = replace(filters, since=start, until=end)
    return filters


def _surroundings(
    db: Db, query: Query, now: datetime, best: Callable[[Query], Memory | None]
) -> tuple[datetime, datetime]:
    event = str(query.around)
    if looks_like_id(event) and len(event) >= 6:
        try:
            return _near(memories.get(db, event).happened_at)
        except NotFound:
            pass  # a word can look like an id; read it as words then
    try:
        start, end = period_of(event, now)
    except BadTime:
        found = best(replace(query, text=event, around=None, recent_sessions=None, limit=1))
        if found is None:
            raise NotFound(what="event", name=event) from None
        return _near(found.happened_at)
    return _widened(start, end)


def _near(at: datetime) -> tuple[datetime, datetime]:
    return _widened(at, at)


def _widened(start: datetime, end: datetime) -> tuple[datetime, datetime]:
    return max(start, _FIRST + AROUND) - AROUND, min(end, _LAST - AROUND) + AROUND
