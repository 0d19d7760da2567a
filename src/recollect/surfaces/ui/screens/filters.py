"""Which memories a page is about, read from its address; the same names as the options of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.memory import MemoryState
from recollect.model.provenance import Source
from recollect.model.query import Filters
from recollect.surfaces.ui.call import WebCall

ALL = "all"
NAMES = (
    "kind",
    "group",
    "source",
    "state",
    "about",
    "module",
    "service",
    "tag",
    "session",
    "methodology",
    "min_confidence",
    "since",
    "until",
    "projects",
)


def read_filters(memory: Recollect, call: WebCall) -> Filters:
    """The filter that the address names."""
    about = [
        *call.texts("about"),
        *(f"module:{name}" for name in call.texts("module")),
        *(f"service:{name}" for name in call.texts("service")),
    ]
    since, until = call.text("since").strip(), call.text("until").strip()
    return memory.filters(
        about=about,
        kinds=[memory.kinds.get(name).name for name in call.texts("kind")],
        groups=call.texts("group"),
        tags=call.texts("tag"),
        states=_read_states(call),
        sources=[_member(Source, name, "source") for name in call.texts("source")],
        sessions=call.texts("session"),
        methodology=call.text("methodology").strip() or None,
        min_confidence=call.share("min_confidence") or 0.0,
        since=memory.period(since)[0] if since else None,
        until=memory.period(until)[1] if until else None,
        every_project=call.text("projects") == ALL,
    )


def read_chosen(call: WebCall) -> Mapping[str, Any]:
    """What is chosen in the fields of the filter, by name."""
    return {name: (list(call.texts(name)) or [""])[0] for name in NAMES}


def build_address(path: str, call: WebCall, **changes: object) -> str:
    """The same page with other values; an empty one leaves its name out."""
    values: dict[str, object] = {name: list(call.texts(name)) for name in (*NAMES, "q", "view", "limit")}
    values.update(changes)
    query = urlencode(
        {name: value for name, value in values.items() if value not in ("", [], None)}, doseq=True
    )
    return f"{path}?{query}" if query else path


def _read_states(call: WebCall) -> tuple[MemoryState, ...]:
    names = call.texts("state")
    if ALL in names:
        return tuple(MemoryState)
    return tuple(_member(MemoryState, name, "state") for name in names) or (MemoryState.ACTIVE,)


def _member(options: Any, name: str, what: str) -> Any:
    try:
        return options(name)
    except ValueError:
        raise BadInput(reason=f"{what} is one of {', '.join(options)}, not {name[:40]!r}") from None
