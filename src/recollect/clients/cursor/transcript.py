"""
Cursor's transcripts: `~/.cursor/projects/FOLDER/agent-transcripts/…jsonl`, lines of `{role, message}`.

Written from public descriptions; no real file was at hand. Lines carry no time and no id: the file's time and
the line's number stand in. Chats that only Cursor's own database holds are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from recollect.clients.cursor.payload import CLIENT
from recollect.clients.transcript_reader import (
    TranscriptHead,
    TranscriptPass,
    below,
    json_lines,
    moment_by_number,
)
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    derive_id,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.tool_actions import describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict, Payload

NAME = "cursor"
ENDINGS = (".jsonl",)
_QUERY = r"<user_query>\s*(.*?)\s*</user_query>"


def find(home: Path) -> Iterator[Path]:
    """Where Cursor keeps them."""
    yield from below(home / ".cursor" / "projects", "*/agent-transcripts/**/*.jsonl")


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is. The folder is told by its parent's name alone, which cannot be read back for sure."""
    for line in json_lines(path, TranscriptPass()):
        if line.get("role") in ("user", "assistant"):
            return TranscriptHead(session_id=path.stem, folder="", started_at=moment_by_number(path, 0))
    return None


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a file."""
    for number, line in enumerate(json_lines(path, reading)):
        if not reading.is_new:
            continue
        if line.get("role") not in ("user", "assistant"):
            reading.unknown[str(line.get("role") or line.get("type"))[:40]] += 1
            continue
        content = as_mapping(line.get("message")).get("content", line.get("content"))
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for place, block in enumerate(map(as_mapping, blocks)):
            yield from _block(path, line["role"], block, f"{number}.{place}", moment_by_number(path, number))


def _block(path: Path, role: str, block: Payload, number: str, at: str) -> Iterator[EventDict]:
    session_id = path.stem
    common = {"at": at, "session_id": session_id, "client": CLIENT}
    if block.get("type") == "text" and as_text(block.get("text")).strip():
        kind = "prompt" if role == "user" else "assistant_text"
        query = re.search(_QUERY, block["text"], re.DOTALL)
        event_id = derive_id(kind, CLIENT, session_id, number)
        yield make_event(kind, id=event_id, **common, text=query[1] if query else block["text"])
    elif block.get("type") == "tool_use":
        call_id = as_text(block.get("id")) or number
        parts = describe_call(as_text(block.get("name")), as_mapping(block.get("input")))
        event_id = tool_event_id("tool_called", CLIENT, session_id, call_id)
        yield make_event("tool_called", id=event_id, **common, call_id=call_id, **parts)
    elif block.get("type") == "tool_result":
        call_id = as_text(block.get("tool_use_id")) or number
        event_id = tool_event_id("tool_finished", CLIENT, session_id, call_id)
        failed = False if block.get("is_error") else None
        output = extract_text(block.get("content"))
        yield make_event("tool_finished", id=event_id, **common, call_id=call_id, ok=failed, output=output)
