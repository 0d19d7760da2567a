"""
Layouts of the user's own, from the tables of a settings file. What is wrong in one is named by its key.

One that is called like a moment of a session takes the place of ours: hooks say what it holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from recollect.errors import BadSetting
from recollect.inject.injection import MAX_CHARACTERS
from recollect.inject.layout import BLOCK, MIN_ANSWER_PROBABILITY, MOMENTS, QUESTION, SECTIONS, Layout, Slot
from recollect.inject.named_layouts import BY_PHASE, LAYOUTS
from recollect.inject.sections import GROUPS
from recollect.inject.slot_candidates import SOURCES
from recollect.model.phase import Phase
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.model.trust import Moment
from recollect.model.value import dataclass

MAX_TOKENS = 100_000
# A hook cannot say more: clients put longer texts into a file.
MAX_HOOK_TOKENS = MAX_CHARACTERS // CHARACTERS_PER_TOKEN
MAX_MEMORIES = 200
MAX_SLOTS = 20
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


def parse_user_layouts(tables: Mapping[str, tuple[object, str]], kinds: Collection[str]) -> list[Layout]:
    """The layouts a person wrote, each with where it was written; `kinds` are all there are."""
    return [parse_user_layout(name, table, origin, kinds) for name, (table, origin) in tables.items()]


def parse_user_layout(name: str, value: object, origin: str, kinds: Collection[str]) -> Layout:
    """One of them."""
    ours = MOMENTS.get(name)
    table = _as_table(f"layouts.{name}", value, origin)
    if ours is None and (name in LAYOUTS or name == BY_PHASE):
        raise table.make_error(
            "", f"one of ours has this name; choose another, or one of {', '.join(MOMENTS)}"
        )
    table.check_keys(_LAYOUT_KEYS)
    slots = _parse_slots(name, table, kinds)
    return Layout(
        name=name,
        heading=table.text("heading", ours.heading if ours else name),
        moment=ours.moment if ours else Moment.PROMPT,
        tokens=table.whole("tokens", MAX_HOOK_TOKENS if ours else MAX_TOKENS),
        slots=slots,
        form=table.text("form", BLOCK, (BLOCK,) if ours else (BLOCK, SECTIONS)),
        tag=table.tag(),
        counted=table.flag("counted"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SettingsTable:
    """A table of a settings file, with its name, where it stands, and what it may hold."""

    name: str
    origin: str
    values: Mapping[str, object]

    def make_error(self, key: str, reason: str) -> BadSetting:
        name = f"{self.name}.{key}" if key else self.name
        return BadSetting(name=name, value=self.values.get(key), origin=self.origin, reason=reason)

    def check_keys(self, keys: Sequence[str]) -> None:
        for key in self.values:
            if key not in keys:
                near = get_close_matches(key, keys, n=1)
                meant = f" (did you mean {near[0]}?)" if near else ""
                raise self.make_error(key, f"there is no such key{meant}; the keys are {', '.join(keys)}")

    def text(self, key: str, otherwise: str = "", choices: Sequence[str] = ()) -> str:
        value = self.values.get(key, otherwise)
        if not isinstance(value, str) or not value.isprintable():
            raise self.make_error(key, "it is a text in one line")
        if choices and value not in choices:
            raise self.make_error(key, f"it is one of {', '.join(filter(None, choices))}")
        return value

    def tag(self) -> str:
        value = self.text("tag")
        if value and not (value.isascii() and value.replace("_", "").replace("-", "").isalnum()):
            raise self.make_error("tag", "it is a name of letters, digits, - and _, such as user_profile")
        return value

    def number(self, key: str, low: float, high: float, otherwise: float | None = None) -> float:
        value = self.values.get(key, otherwise)
        good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        if not good:
            raise self.make_error(key, f"it is a number from {low:g} to {high:g}")
        assert isinstance(value, int | float)
        return value

    def whole(self, key: str, high: int) -> int:
        value = self.number(key, 1, high)
        if value != int(value):
            raise self.make_error(key, "it is a whole number")
        return int(value)

    def flag(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.make_error(key, "it is true or false")
        return value

    def names(self, key: str, allowed: Collection[str]) -> tuple[str, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.make_error(key, 'it is a list, such as ["decision", "gotcha"]')
        for name in value:
            if name not in allowed:
                raise self.make_error(key, f"{name!r} is none of: {', '.join(allowed)}")
        return tuple(map(str, value))


def _parse_slots(name: str, table: _SettingsTable, kinds: Collection[str]) -> tuple[Slot, ...]:
    slots = table.values.get("slots")
    if not isinstance(slots, list) or not 1 <= len(slots) <= MAX_SLOTS:
        key = f'"{name}"' if " " in name else name
        raise table.make_error(
            "slots", f"it is 1 to {MAX_SLOTS} tables, each begun with [[layouts.{key}.slots]]"
        )
    parsed = tuple(
        _parse_slot(_as_table(f"{table.name}.slots[{number}]", slot_value, table.origin), kinds)
        for number, slot_value in enumerate(slots, 1)
    )
    names = [slot.name for slot in parsed]
    if len(set(names)) != len(names):
        raise table.make_error("slots", "two of them have one name")
    return parsed


def _parse_slot(table: _SettingsTable, kinds: Collection[str]) -> Slot:
    table.check_keys(_SLOT_KEYS)
    if not table.text("name"):
        raise table.make_error("name", "a slot needs one")
    return Slot(
        name=table.text("name"),
        source=table.text("source", QUESTION, SOURCES),
        kinds=table.names("kinds", kinds),
        besides=table.names("besides", kinds),
        most=table.whole("most", MAX_MEMORIES),
        tokens=table.whole("tokens", MAX_TOKENS),
        bar=table.number("bar", 0.0, 1.0, MIN_ANSWER_PROBABILITY),
        sure=table.number("sure", 0.0, 1.0, 0.0),
        stands_alone=table.flag("stands_alone"),
        phases=tuple(Phase(phase) for phase in table.names("phases", [str(phase) for phase in Phase])),
        gate=table.text("gate", "", ("", *_GATES)),
        heading=table.text("heading"),
        tag=table.tag(),
        groups=table.text("groups", "", ("", *GROUPS)),
        tells_confidence=table.flag("tells_confidence"),
    )


def _as_table(name: str, value: object, origin: str) -> _SettingsTable:
    if not isinstance(value, Mapping):
        raise BadSetting(name=name, value=value, origin=origin, reason="it is a table")
    return _SettingsTable(name=name, origin=origin, values=value)
