"""
Layouts of the user's own, from the tables of a settings file. What is wrong in one is named by its key.

One that is called like a moment of a session takes the place of ours: hooks say what it holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from recollect.errors import BadSetting
from recollect.inject.grouping import GROUPS
from recollect.inject.injection import MOST_CHARACTERS
from recollect.inject.layout import BLOCK, FITS, MOMENTS, QUESTION, SECTIONS, Layout, Slot
from recollect.inject.layouts import BY_PHASE, LAYOUTS
from recollect.inject.moments import SOURCES
from recollect.model.phase import Phase
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.model.trust import Moment
from recollect.model.value import dataclass

MOST_TOKENS = 100_000
# A hook cannot say more: clients put longer texts into a file.
MOST_OF_A_HOOK = MOST_CHARACTERS // CHARACTERS_PER_TOKEN
MOST_MEMORIES = 200
MOST_SLOTS = 20
_LAYOUT_KEYS = ("heading", "tokens", "form", "tag", "counted", "slots")
_SLOT_KEYS = (
    "name",
    "source",
    "kinds",
    "besides",
    "most",
    "tokens",
    "bar",
    "sure",
    "stands_alone",
    "phases",
    "gate",
    "heading",
    "tag",
    "groups",
    "tells_confidence",
)
# Columns of the gates of complexity.
_GATES = ("recipes", "e2e")


def own_layouts(given: Mapping[str, tuple[object, str]], kinds: Collection[str]) -> list[Layout]:
    """The layouts a person wrote, each with where it was written; `kinds` are all there are."""
    return [own_layout(name, table, origin, kinds) for name, (table, origin) in given.items()]


def own_layout(name: str, given: object, origin: str, kinds: Collection[str]) -> Layout:
    """One of them."""
    ours = MOMENTS.get(name)
    table = _table(f"layouts.{name}", given, origin)
    if ours is None and (name in LAYOUTS or name == BY_PHASE):
        raise table.bad("", f"one of ours has this name; choose another, or one of {', '.join(MOMENTS)}")
    table.knows_only(_LAYOUT_KEYS)
    slots = _slots(name, table, kinds)
    return Layout(
        name=name,
        heading=table.text("heading", ours.heading if ours else name),
        moment=ours.moment if ours else Moment.PROMPT,
        tokens=table.whole("tokens", MOST_OF_A_HOOK if ours else MOST_TOKENS),
        slots=slots,
        form=table.text("form", BLOCK, (BLOCK,) if ours else (BLOCK, SECTIONS)),
        tag=table.tag(),
        counted=table.flag("counted"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A table of a settings file, with its name, where it stands, and what it may hold."""

    name: str
    origin: str
    values: Mapping[str, object]

    def bad(self, key: str, reason: str) -> BadSetting:
        name = f"{self.name}.{key}" if key else self.name
        return BadSetting(name=name, value=self.values.get(key), origin=self.origin, reason=reason)

    def knows_only(self, keys: Sequence[str]) -> None:
        for key in self.values:
            if key not in keys:
                near = get_close_matches(key, keys, n=1)
                meant = f" (did you mean {near[0]}?)" if near else ""
                raise self.bad(key, f"there is no such key{meant}; the keys are {', '.join(keys)}")

    def text(self, key: str, otherwise: str = "", choices: Sequence[str] = ()) -> str:
        value = self.values.get(key, otherwise)
        if not isinstance(value, str) or not value.isprintable():
            raise self.bad(key, "it is a text in one line")
        if choices and value not in choices:
            raise self.bad(key, f"it is one of {', '.join(filter(None, choices))}")
        return value

    def tag(self) -> str:
        value = self.text("tag")
        if value and not (value.isascii() and value.replace("_", "").replace("-", "").isalnum()):
            raise self.bad("tag", "it is a name of letters, digits, - and _, such as user_profile")
        return value

    def number(self, key: str, low: float, high: float, otherwise: float | None = None) -> float:
        value = self.values.get(key, otherwise)
        good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        if not good:
            raise self.bad(key, f"it is a number from {low:g} to {high:g}")
        assert isinstance(value, int | float)
        return value

    def whole(self, key: str, high: int) -> int:
        value = self.number(key, 1, high)
        if value != int(value):
            raise self.bad(key, "it is a whole number")
        return int(value)

    def flag(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.bad(key, "it is true or false")
        return value

    def names(self, key: str, known: Collection[str]) -> tuple[str, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.bad(key, 'it is a list, such as ["decision", "gotcha"]')
        for one in value:
            if one not in known:
                raise self.bad(key, f"{one!r} is none of: {', '.join(known)}")
        return tuple(map(str, value))


def _slots(name: str, table: _Table, kinds: Collection[str]) -> tuple[Slot, ...]:
    slots = table.values.get("slots")
    if not isinstance(slots, list) or not 1 <= len(slots) <= MOST_SLOTS:
        key = f'"{name}"' if " " in name else name
        raise table.bad("slots", f"it is 1 to {MOST_SLOTS} tables, each begun with [[layouts.{key}.slots]]")
    read = tuple(
        _slot(_table(f"{table.name}.slots[{number}]", one, table.origin), kinds)
        for number, one in enumerate(slots, 1)
    )
    names = [slot.name for slot in read]
    if len(set(names)) != len(names):
        raise table.bad("slots", "two of them have one name")
    return read


def _slot(table: _Table, kinds: Collection[str]) -> Slot:
    table.knows_only(_SLOT_KEYS)
    if not table.text("name"):
        raise table.bad("name", "a slot needs one")
    return Slot(
        name=table.text("name"),
        source=table.text("source", QUESTION, SOURCES),
        kinds=table.names("kinds", kinds),
        besides=table.names("besides", kinds),
        most=table.whole("most", MOST_MEMORIES),
        tokens=table.whole("tokens", MOST_TOKENS),
        bar=table.number("bar", 0.0, 1.0, FITS),
        sure=table.number("sure", 0.0, 1.0, 0.0),
        stands_alone=table.flag("stands_alone"),
        phases=tuple(Phase(one) for one in table.names("phases", [str(one) for one in Phase])),
        gate=table.text("gate", "", ("", *_GATES)),
        heading=table.text("heading"),
        tag=table.tag(),
        groups=table.text("groups", "", ("", *GROUPS)),
        tells_confidence=table.flag("tells_confidence"),
    )


def _table(name: str, given: object, origin: str) -> _Table:
    if not isinstance(given, Mapping):
        raise BadSetting(name=name, value=given, origin=origin, reason="it is a table")
    return _Table(name=name, origin=origin, values=given)
