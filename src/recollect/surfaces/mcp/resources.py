"""What a client can read without a tool: one memory by its id, and the brief of the project."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from recollect.errors import NotFound
from recollect.model.value import asdict
from recollect.surfaces.mcp.protocol import Json
from recollect.surfaces.tool_calls import Caller, find_visible_memory

BRIEF = "recollect://project/brief"
_MEMORY = re.compile(r"recollect://memory/([0-9A-Za-z]{1,26})\Z")

RESOURCES: list[Json] = [
    {
        "uri": BRIEF,
        "name": "brief",
        "title": "What to know about this project",
        "description": "Preferences, the surest knowledge about this project and the last outcomes, on a few lines.",
        "mimeType": "text/plain",
    }
]
TEMPLATES: list[Json] = [
    {
        "uriTemplate": "recollect://memory/{id}",
        "name": "memory",
        "title": "One memory",
        "description": "What a memory says and where it comes from; its id is in every citation.",
        "mimeType": "text/plain",
    }
]


def read_resource(uri: str, caller: Callable[[], Caller]) -> list[Json]:
    """The contents behind an address; the memory is opened only for one that can be ours."""
    if uri == BRIEF:
        return [_plain(uri, caller().memory.rendering.brief() or "Nothing is told unasked here yet.")]
    if match := _MEMORY.match(uri):
        return _memory(uri, caller(), match[1])
    raise NotFound(f"There is no resource {uri!r}. There is {BRIEF} and recollect://memory/ID.")


def _memory(uri: str, caller: Caller, memory_id: str) -> list[Json]:
    memory = find_visible_memory(caller.memory, memory_id)
    card = json.dumps(asdict(caller.memory.rendering.card(memory)), ensure_ascii=False)
    return [
        _plain(uri, caller.memory.rendering.block("One memory", [memory])),
        {"uri": uri, "mimeType": "application/json", "text": card},
    ]


def _plain(uri: str, text: str) -> Json:
    return {"uri": uri, "mimeType": "text/plain", "text": text}
