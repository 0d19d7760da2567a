"""Vocabulary of times: months, days, seasons, holidays, numbers, units, and the words that introduce a time."""

from __future__ import annotations

from recollect.model.period import AnchorRelation, Yearly


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _numbered(text: str, first: int = 1) -> dict[str, int]:
    return {word: number for number, word in enumerate(text.split(), first)}


MONTHS = _numbered("january february march april may june july august september october november december")
SHORT_MONTHS = {name[:3]: number for name, number in MONTHS.items() if name != "may"} | {"sept": 9}
WEEKDAYS = _numbered("monday tuesday wednesday thursday friday saturday sunday", 0)
SHORT_WEEKDAYS = _numbered("mon tue wed thu fri sat sun", 0) | {"tues": 1, "thurs": 3}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
HOLIDAYS = {
    "christmas": Yearly(month=12, day=25),
    "christmas day": Yearly(month=12, day=25),
    "christmas eve": Yearly(month=12, day=24),
    "xmas": Yearly(month=12, day=25),
    "boxing day": Yearly(month=12, day=26),
    "new year eve": Yearly(month=12, day=31),
    "new years eve": Yearly(month=12, day=31),
    "new year day": Yearly(month=1),
    "new years day": Yearly(month=1),
    "halloween": Yearly(month=10, day=31),
    "valentine day": Yearly(month=2, day=14),
    "valentines day": Yearly(month=2, day=14),
    "patrick day": Yearly(month=3, day=17),
    "independence day": Yearly(month=7, day=4),
    "thanksgiving": Yearly(month=11, day=22, weekday=3),
    "thanksgiving day": Yearly(month=11, day=22, weekday=3),
    "black friday": Yearly(month=11, day=23, weekday=4),
    "cyber monday": Yearly(month=11, day=26, weekday=0),
    "labor day": Yearly(month=9, day=1, weekday=0),
    "memorial day": Yearly(month=5, day=25, weekday=0),
    "mother day": Yearly(month=5, day=8, weekday=6),
    "mothers day": Yearly(month=5, day=8, weekday=6),
    "father day": Yearly(month=6, day=15, weekday=6),
    "fathers day": Yearly(month=6, day=15, weekday=6),
    "easter": Yearly(easter_days=0),
    "easter sunday": Yearly(easter_days=0),
    "easter monday": Yearly(easter_days=1),
    "good friday": Yearly(easter_days=-2),
}
NUMBERS = _numbered("one two three four five six seven eight nine ten eleven twelve") | {
    "a": 1,
    "an": 1,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
}
ORDINALS = _numbered("first second third fourth fifth")
UNITS = {
    unit + plural: unit
    for unit in word_set("second minute hour day week month quarter year decade")
    for plural in ("", "s")
}
THIRDS_OF = {"beginning": 0, "start": 0, "middle": 1, "end": 2}
THIRDS = {"early": 0, "mid": 1, "late": 2} | THIRDS_OF


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
