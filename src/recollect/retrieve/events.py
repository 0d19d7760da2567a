"""Questions that date themselves by an event: "before the release", "since the outage"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recollect.model.period import Anchor, AnchorRelation, Grain, Period
from recollect.model.words import query_words
from recollect.retrieve.read_context import Ground
from recollect.retrieve.stopwords import topical
from recollect.retrieve.timewords import anchors
from recollect.store.search.query_terms import terms_of

# Half a week outside, an event's surroundings count half.
_SLACK = timedelta(days=3)
_DAY = timedelta(days=1)
_MOST = 2


def periods_by_event(ground: Ground, text: str) -> tuple[Period, ...]:
    """The stretches of time meant by the events a question names, as far as memory knows when they were."""
    found = ((anchor, _when(ground, anchor)) for anchor in anchors(text)[:_MOST])
    return tuple(_period(anchor, at) for anchor, at in found if at is not None)


def _when(ground: Ground, anchor: Anchor) -> datetime | None:
    """When the memory that holds all the event's words happened; an event nobody noted dates nothing."""
    words = topical(query_words(anchor.words), frozenset())
    terms = terms_of(ground.db, ground.words, words)
    if not terms or not all(term.count for term in terms):
        return None
    scores = ground.words.holding_all({term.stem: term.idf for term in terms})
    if not scores:
        return None
    best = max(scores, key=scores.__getitem__)
    memory = ground.shelf.memories([best])[best]
    return memory.happened_at if memory else None


def _period(anchor: Anchor, at: datetime) -> Period:
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
