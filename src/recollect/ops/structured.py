"""Structured output of a run: the JSON schema a client is given, and the answer that follows it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from recollect.model.value import dataclass
from recollect.ops.markers import (
    GENERAL,
    LEVEL_NAMES,
    MAX_SHOWN,
    MAX_TEXT,
    EventLevel,
    MalformedMarker,
    Marker,
    MarkerWord,
)

# So many of each are taken from one answer.
MAX_ITEMS = 500
_SERVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
_HEALTHY_WORDS = {
    **dict.fromkeys(("healthy", "ok", "up", "running", "pass", "passed", "true"), True),
    **dict.fromkeys(("unhealthy", "degraded", "down", "failed", "failing", "error", "false"), False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """A run hands over to a higher tier: to which (0: the next), why, and about which services."""

    reason: str
    tier: int = 0
    services: tuple[str, ...] = ()
    # What asked for it: output, marker, file, failure.
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSighting:
    """A service as a run found it."""

    service: str
    healthy: bool
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredOutput:
    """What a run says in the form of the schema."""

    summary: str = ""
    markers: tuple[Marker, ...] = ()
    handoff: Handoff | None = None
    checked: tuple[ServiceSighting, ...] = ()
    malformed: tuple[MalformedMarker, ...] = ()


def make_schema(categories: Collection[str]) -> dict[str, Any]:
    """The schema for clients that can be held to one."""
    text, service = {"type": "string"}, {"type": "string", "description": "empty when it is general"}
    return {
        "type": "object",
        "properties": {
            "summary": {
                "type": "string",
                "description": "what was found and done, in two or three sentences",
            },
            "events": _list_of(
                {"level": {"type": "string", "enum": list(EventLevel)}, "service": service, "message": text},
                ("level", "message"),
            ),
            "memories": _list_of(
                {
                    "category": {"type": "string", "enum": sorted(categories)},
                    "service": service,
                    "observation": text,
                },
                ("category", "observation"),
            ),
            "escalation": {
                "type": "object",
                "properties": {
                    "needed": {"type": "boolean"},
                    "tier": {"type": "integer"},
                    "reason": text,
                    "services": {"type": "array", "items": text},
                },
                "required": ["needed"],
            },
            "services_checked": _list_of(
                {"service": text, "healthy": {"type": "boolean"}, "message": text}, ("service", "healthy")
            ),
        },
        "required": ["summary"],
    }


def read_structured(value: Mapping[str, Any], categories: Collection[str]) -> StructuredOutput:
    """Read an answer; what does not fit the schema is handed back with the reason."""
    markers: list[Marker] = []
    malformed: list[MalformedMarker] = []
    for word, key, name_key, text_key, names in (
        (MarkerWord.EVENT, "events", "level", "message", LEVEL_NAMES),
        (MarkerWord.MEMORY, "memories", "category", "observation", {name: name for name in categories}),
    ):
        for item in _items(value.get(key)):
            name = names.get(str(item.get(name_key, "")).lower())
            text = _one_line(item.get(text_key))
            if name is None or not text:
                malformed.append(_malformed(item, f"its {name_key} or its {text_key} is missing or unknown"))
                continue
            service = _service(item.get("service"))
            written = f"[{word}:{name}{':' + service if service else ''}] {text}"
            markers.append(Marker(word=word, name=name, service=service, text=text, written=written))
    return StructuredOutput(
        summary=_one_line(value.get("summary"), 4_000),
        markers=tuple(markers),
        handoff=read_handoff(value.get("escalation"), "output"),
        checked=tuple(_checked(value.get("services_checked"))),
        malformed=tuple(malformed),
    )


def read_handoff(value: object, origin: str) -> Handoff | None:
    """An escalation as a JSON object tells it; None when none is needed."""
    if not isinstance(value, Mapping) or value.get("needed") is False:
        return None
    reason = _one_line(value.get("reason") or value.get("summary") or value.get("message"), 4_000)
    tier = value.get("tier", value.get("recommended_tier"))
    services = value.get("services") or value.get("services_affected") or ()
    if not reason and tier is None and not value.get("needed"):
        return None
    return Handoff(
        reason=reason or "no reason was given",
        tier=tier if isinstance(tier, int) and not isinstance(tier, bool) and 1 <= tier <= 9 else 0,
        services=tuple(filter(None, map(_service, services))) if isinstance(services, list) else (),
        origin=origin,
    )


def _checked(value: object) -> Iterator[ServiceSighting]:
    if isinstance(value, list):
        # A bare name says that somebody looked, not what they saw.
        value = [item for item in value if isinstance(item, dict)]
    for item in _items(value):
        service = _service(item.get("service") or item.get("name"))
        healthy = item.get("healthy", item.get("status"))
        if isinstance(healthy, str):
            healthy = _HEALTHY_WORDS.get(healthy.lower())
        if service and isinstance(healthy, bool):
            yield ServiceSighting(service=service, healthy=healthy, message=_one_line(item.get("message")))


def _items(value: object) -> list[Mapping[str, Any]]:
    return (
        [item for item in value if isinstance(item, Mapping)][:MAX_ITEMS] if isinstance(value, list) else []
    )


def _list_of(properties: Mapping[str, Any], required: Collection[str]) -> dict[str, Any]:
    item = {"type": "object", "properties": dict(properties), "required": list(required)}
    return {"type": "array", "items": item}


def _service(value: object) -> str:
    name = value.strip() if isinstance(value, str) else ""
    return name if _SERVICE.fullmatch(name) and name.lower() != GENERAL else ""


def _one_line(value: object, most: int = MAX_TEXT) -> str:
    return " ".join(value.split())[:most] if isinstance(value, str) else ""


def _malformed(item: object, reason: str) -> MalformedMarker:
    written = json.dumps(item, ensure_ascii=False, default=str)
    return MalformedMarker(written=written[:MAX_SHOWN], reason=reason)
