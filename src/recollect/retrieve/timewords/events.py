"""The events a question dates itself by: before the release, since we moved."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from recollect.model.period import AnchorRelation, TimeAnchor
from recollect.retrieve.timewords.deictic import DAY_WORDS, from_now
from recollect.retrieve.timewords.reading import WordReader, examined_part, tokens_of
from recollect.retrieve.timewords.rules import period_at
from recollect.retrieve.timewords.tables import GO_ON, OWNERS, UNITS, word_set

_MOST_ANCHORS = 8
_MOST_ANCHOR_WORDS = 8
_RELATIONS = {relation.value: relation for relation in AnchorRelation} | {"till": AnchorRelation.UNTIL}
_NO_RELATION_AFTER = {
    "after": word_set("look looks looked looking named take takes"),
    "around": word_set(
        "work works worked working wrap wraps wrapper wrapped walk look looked turn turned move moved get "
        "got play way all"
    ),
}
_PEOPLE = word_set("i we you he she they it")
_STATES = word_set("is are was were has have had will can does do doesn't isn't")
_PREPOSITIONS = word_set("in on at with by for from about as into over than")
_BREAKS = word_set(
    "did and or but when where which who what how why because so if then would could should that - ago"
)
_NO_EVENTS = word_set(
    "while bit moment few couple long day days week weekend night year month time end fact way world corner "
    "clock block house table globe edges country city room area beginning start past"
)
_NO_GERUNDS = word_set("nothing something anything everything morning evening string thing king spring being")
_PAST_VERBS = word_set(
    "began got went came bought made took left met lost won built wrote said told gave found broke chose cut "
    "put ran"
)


def find_anchors(text: str) -> tuple[TimeAnchor, ...]:
    """The events a question dates itself by ("before the release"), for search to look up."""
    examined = examined_part(text)
    if _RELATIONS.keys().isdisjoint(examined.lower().split()):
        return ()
    # Only whether the words are a date matters here, not which one.
    reading = WordReader(tokens=tokens_of(examined), now=datetime(2000, 1, 1, tzinfo=UTC))
    anchors: list[TimeAnchor] = []
    for i in range(len(reading.tokens)):
        relation = _relation_at(reading, i)
        after = _event_end(reading, i + 1, relation) if relation else i + 1
        if relation and after > i + 1 and len(anchors) < _MOST_ANCHORS and not _is_date(reading, i, after):
            anchors.append(TimeAnchor(relation=relation, words=reading.slice(examined, i + 1, after)))
    return tuple(anchors)


def _relation_at(reading: WordReader, i: int) -> AnchorRelation | None:
    relation = _RELATIONS.get(reading.word(i))
    if relation is None or reading.word(i - 1) in _NO_RELATION_AFTER.get(reading.word(i), ()):
        return None
    return relation


def _event_end(reading: WordReader, i: int, relation: AnchorRelation) -> int:
    """Where the name of the event that begins at i ends; i itself if none does."""
    kind = _event_kind(reading, i, relation)
    if kind is None:
        return i
    after = i + 1
    while after - i < _MOST_ANCHOR_WORDS and _goes_on(reading, after, kind):
        after += 1
    while after > i and reading.word(after - 1) in ("of", "to", "the", "a", "an"):
        after -= 1
    if after - i < (2 if kind in ("thing", "clause") else 1):
        return i
    if kind == "thing" and after == i + 2 and reading.word(i + 1) in _NO_EVENTS:
        return i
    # "since the service is slow" gives a reason, not a time.
    is_reason = (
        relation is AnchorRelation.SINCE and kind in ("thing", "name") and reading.next(after) in _STATES
    )
    return i if is_reason else after


def _event_kind(reading: WordReader, i: int, relation: AnchorRelation) -> str | None:
    word = reading.next(i)
    if word in OWNERS:
        return "thing"
    if relation is AnchorRelation.AROUND or not word:
        return None
    if word in ("a", "an", "this", "that"):
        is_length = reading.next(i + 1) in UNITS or reading.next(i + 1) in _NO_EVENTS
        return None if is_length or relation is AnchorRelation.SINCE else "thing"
    if word in _PEOPLE:
        verb = reading.next(i + 1)
        is_past = verb.endswith("ed") or verb in _PAST_VERBS
        return "clause" if is_past or (relation is not AnchorRelation.SINCE and verb not in GO_ON) else None
    if re.fullmatch("[a-z]{2,}ing", word) and word not in _NO_GERUNDS:
        return "doing"
    is_name = reading.token(i).is_capital or re.fullmatch(r"v?\d+(\.\d+)+", word)
    return "name" if is_name or (relation is AnchorRelation.DURING and word not in GO_ON) else None


def _goes_on(reading: WordReader, i: int, kind: str) -> bool:
    word = reading.next(i)
    if not word or word in _BREAKS or word in _RELATIONS or word in DAY_WORDS or from_now(reading, i):
        return False
    if kind == "clause":
        return True
    if word in _PEOPLE or word in _STATES:
        return False
    if kind == "doing":
        return True
    if word == "to":
        return reading.token(i + 1).is_capital or reading.word(i + 1) in OWNERS
    return word not in _PREPOSITIONS


def _is_date(reading: WordReader, i: int, after: int) -> bool:
    """Whether the words after the relation at i name a time as far as `after`, and so no event."""
    starts = (i, i + 1, i + 2) if reading.word(i + 1) == "the" else (i, i + 1)
    return any(hit.after >= after for start in starts if (hit := period_at(reading, start)))
