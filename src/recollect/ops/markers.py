"""
Marker grammar: `[MEMORY:timing:jellyfin] Takes 60 s to start`, read from an agent's own words in linear time.

Every quantifier is bounded, and a marker's text ends at the next marker or at the end of its line. What looks like a
marker and is none is handed back with the reason; what stands in a quotation is only counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

from recollect.model.value import dataclass
from recollect.ops.quoting import find_quotations

MAX_TEXT = 2_000
MAX_SHOWN = 160
# So many that cannot be used are handed back from one text; the others are counted.
MAX_MALFORMED = 100
GENERAL = "general"


class MarkerWord(StrEnum):
    """What a marker begins with."""

    MEMORY = "MEMORY"
    EVENT = "EVENT"
    COOLDOWN = "COOLDOWN"
    HANDOFF = "HANDOFF"


class EventLevel(StrEnum):
    """How much an event matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


LEVEL_NAMES = {
    **{level.value: level for level in EventLevel},
    "notice": EventLevel.INFO,
    "warn": EventLevel.WARNING,
    "err": EventLevel.ERROR,
    "crit": EventLevel.CRITICAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """
    One marker. `name` is the category, the level, the action, or the tier it hands over to; `service` may be empty.

    `succeeded` is told by a cooldown alone, and `written` is the marker as it stood there.
    """

    word: MarkerWord
    name: str
    service: str
    text: str
    written: str
    succeeded: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedMarker:
    """Something that begins like a marker and is none."""

    written: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerReading:
    """What a text holds: its markers in order, what was meant for one, and how many stood in quotations."""

    markers: tuple[Marker, ...] = ()
    malformed: tuple[MalformedMarker, ...] = ()
    malformed_count: int = 0
    quoted: int = 0


class _Malformed(Exception):
    """Why a marker cannot be used."""


_NOTHING = MarkerReading()
_HEAD = re.compile(r"\[(MEMORY|EVENT|COOLDOWN|HANDOFF)(?![A-Za-z0-9_])([^\[\]\n]{0,200})(\](?!\())?")
_LINE_OF_MARKERS = re.compile(r"[ \t]*\[(?:MEMORY|EVENT|COOLDOWN|HANDOFF):[^\]\n]*\].*", re.IGNORECASE)
_SERVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
_ACTION = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_OUTCOME = re.compile(r"(success|succeeded|failure|failed)\b[\s:—–-]*(.*)", re.IGNORECASE | re.DOTALL)
_AROUND = " \t\r*_—–-:"


def strip_markers(text: str) -> str:
    """A text without its lines of markers: what is left is for people."""
    return _LINE_OF_MARKERS.sub("", text).strip()


def parse_markers(text: str, categories: Collection[str]) -> MarkerReading:
    """Read the markers of a text. `categories` are the kinds that a memory may have."""
    heads = list(_HEAD.finditer(text))
    if not heads:
        return _NOTHING
    quotations = find_quotations(text, [head.start() for head in heads])
    markers: list[Marker] = []
    malformed: list[MalformedMarker] = []
    malformed_count = quoted = 0
    for place, head in enumerate(heads):
        following = heads[place + 1].start() if place + 1 < len(heads) else len(text)
        if quotations.hold(head.start()):
            quoted += 1
            continue
        says_nothing = head[3] is None or following - head.end() < 2
        if says_nothing and malformed_count >= MAX_MALFORMED:
            malformed_count += 1
            continue
        written = text[head.start() : _end_of(text, head, following)].strip()
        try:
            markers.append(_read_marker(head, written, categories))
        except _Malformed as problem:
            malformed_count += 1
            if malformed_count <= MAX_MALFORMED:
                malformed.append(MalformedMarker(written=_shown(written), reason=str(problem)))
    return MarkerReading(
        markers=tuple(markers),
        malformed=tuple(malformed),
        malformed_count=malformed_count,
        quoted=quoted,
    )


def _end_of(text: str, head: re.Match[str], following: int) -> int:
    """Where a marker's text ends: at the next marker, at the end of the line, or when it grows too long."""
    newline = text.find("\n", head.end(), following)
    return min(newline if newline >= 0 else following, head.end() + MAX_TEXT)


def _read_marker(head: re.Match[str], written: str, categories: Collection[str]) -> Marker:
    if head[3] is None:
        raise _Malformed("its bracket is not closed, or it is a link")
    if head[2] and not head[2].startswith(":"):
        raise _Malformed("after the word comes a colon")
    parts = [part.strip() for part in head[2].split(":")[1:]]
    text = written[len(head[0]) :].strip(_AROUND)
    word = MarkerWord(head[1])
    if not text:
        raise _Malformed("it says nothing after the bracket")
    if word is MarkerWord.COOLDOWN:
        return _read_cooldown(parts, text, written)
    if word is MarkerWord.HANDOFF:
        return _read_handoff(parts, text, written)
    name, service = _name_and_service(parts)
    known = categories if word is MarkerWord.MEMORY else LEVEL_NAMES
    if name.lower() not in known:
        what = "category" if word is MarkerWord.MEMORY else "level"
        raise _Malformed(f"{name[:40]!r} is no {what}")
    name = name.lower() if word is MarkerWord.MEMORY else LEVEL_NAMES[name.lower()]
    return Marker(word=word, name=name, service=service, text=text, written=written)


def _read_cooldown(parts: list[str], text: str, written: str) -> Marker:
    action, service = _name_and_service(parts)
    outcome = _OUTCOME.match(text)
    if not service:
        raise _Malformed("it names no service")
    if not _ACTION.fullmatch(action.lower()):
        raise _Malformed(f"{action[:40]!r} is no action")
    if outcome is None:
        raise _Malformed("it says neither success nor failure")
    return Marker(
        word=MarkerWord.COOLDOWN,
        name=action.lower(),
        service=service,
        text=outcome[2].strip(),
        written=written,
        succeeded=outcome[1].lower().startswith("success") or outcome[1].lower() == "succeeded",
    )


def _read_handoff(parts: list[str], text: str, written: str) -> Marker:
    tier = parts[0] if parts and parts[0].isdigit() else ""
    services = parts[1:] if tier else parts
    if len(services) > 1 or (tier and not 1 <= int(tier[:3]) <= 9):
        raise _Malformed("it is written [HANDOFF], [HANDOFF:tier] or [HANDOFF:tier:service]")
    service = _checked_service(services[0]) if services else ""
    return Marker(word=MarkerWord.HANDOFF, name=tier, service=service, text=text, written=written)


def _name_and_service(parts: list[str]) -> tuple[str, str]:
    if not parts or not parts[0]:
        raise _Malformed("it names nothing after its word")
    if len(parts) > 2:
        raise _Malformed("it has more than two names")
    return parts[0], _checked_service(parts[1]) if len(parts) == 2 else ""


def _checked_service(name: str) -> str:
    if not _SERVICE.fullmatch(name):
        raise _Malformed(f"{name[:40]!r} is no name of a service")
    return "" if name.lower() == GENERAL else name


def _shown(written: str) -> str:
    return written if len(written) <= MAX_SHOWN else written[: MAX_SHOWN - 1] + "…"
