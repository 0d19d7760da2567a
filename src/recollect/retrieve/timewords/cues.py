"""The words around a time that tell whether, and which way, a time is meant."""

from __future__ import annotations

from recollect.model.period import AnchorRelation
from recollect.retrieve.timewords.tables import word_set

_LAST = word_set("last past previous")
THIS = word_set("this current")
_NEXT = word_set("next coming")
DEICTICS = _LAST | THIS | _NEXT
OPENINGS = {
    "since": AnchorRelation.SINCE,
    "before": AnchorRelation.BEFORE,
    "after": AnchorRelation.AFTER,
    "until": AnchorRelation.UNTIL,
    "till": AnchorRelation.UNTIL,
    "by": AnchorRelation.UNTIL,
    "through": AnchorRelation.UNTIL,
}
CUES = (
    DEICTICS
    | frozenset(OPENINGS)
    | word_set("in during over for at early mid late of around throughout between from earlier")
)
YEAR_CUES = word_set("in during since until till by before after early mid late from around between year")
OWNERS = word_set("the my our your his her their its")
COUNTED = word_set(
    "ms seconds minutes hours days weeks months years lines files rows bytes kb mb gb items tests tokens "
    "steps requests users people times words pixels px dollars euros percent records events retries error "
    "errors code port status line exception issue ticket connections calls messages entries games points"
)
# Words that go on after a time without being named by it, as a noun would be: "the Monday standup".
GO_ON = word_set(
    "and or when did was were is are do does that which who what how with on at by to for from i we you he "
    "she they it my our his her their the if but so because in about"
)


def direction_of(word: str) -> int:
    """Last, this or next, as -1, 0 or 1."""
    return -1 if word in _LAST else 1 if word in _NEXT else 0
