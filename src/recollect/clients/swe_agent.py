"""
SWE-agent's trajectories: `….traj`, one object with thoughts, actions and observations in turn.

Written from public descriptions; no real file was at hand. Steps carry no time: the file's time and the
step's number stand in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from recollect.clients.transcript_reader import TranscriptHead, TranscriptPass, json_file, moment_by_number
from recollect.events.event_dict import as_mapping, as_text, derive_id, extract_text, make_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict, Payload

NAME = "swe-agent"
CLIENT = NAME
ENDINGS = (".traj",)
# Its own commands and what they do; everything else is a shell's.
_COMMANDS = (
    (r"str_replace_editor view (\S+)", "read"),
    (r"str_replace_editor create (\S+)", "create"),
    (r"str_replace_editor (?:str_replace|insert|undo_edit) (\S+)", "edit"),
    (r"open (\S+)", "read"),
    (r"create (\S+)", "create"),
    (r"(?:search_dir|search_file|find_file)\b", "search"),
    (r"edit\b", "edit"),
)
_FAILED = ("EXECUTION TIMED OUT", "COMMAND TIMED OUT")


def find(home: Path) -> Iterator[Path]:
    """It keeps them wherever it was started, so they have to be named."""
    yield from ()


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is."""
    record = json_file(path, TranscriptPass()) or {}
    if not isinstance(record.get("trajectory"), list):
        return None
    return TranscriptHead(
        session_id=path.stem, folder=_folder(record["trajectory"]), started_at=moment_by_number(path, 0)
    )


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a file."""
    record = json_file(path, reading)
    steps = (record or {}).get("trajectory")
    if not isinstance(steps, list):
        reading.bad += record is not None
        return
    common = {"session_id": path.stem, "client": CLIENT, "folder": _folder(steps)}
    at = moment_by_number(path, 0)
    event_id = derive_id("session_started", CLIENT, path.stem)
    yield make_event("session_started", id=event_id, at=at, **common, data={"source": "transcript"})
    if task := _task(record or {}):
        yield make_event("prompt", id=derive_id("prompt", CLIENT, path.stem), at=at, **common, text=task)
    open_file = ""
    for number, step in enumerate(map(as_mapping, steps), start=1):
        events = list(_step(step, f"{path.stem}.{number}", moment_by_number(path, number), common, open_file))
        open_file = next((event["files"][0] for event in events if event.get("files")), open_file)
        yield from events


def _step(step: Payload, number: str, at: str, common: EventDict, open_file: str) -> Iterator[EventDict]:
    thought, command = as_text(step.get("thought")), as_text(step.get("action")).strip()
    if thought.strip():
        event_id = derive_id("assistant_text", CLIENT, number)
        yield make_event("assistant_text", id=event_id, at=at, **common, text=thought)
    if not command:
        return
    parts = _parts(command, open_file)
    event_id = derive_id("tool_called", CLIENT, number)
    yield make_event("tool_called", id=event_id, at=at, **common, call_id=number, **parts)
    output = as_text(step.get("observation"))
    failed = False if output.startswith(_FAILED) else None
    event_id = derive_id("tool_finished", CLIENT, number)
    seconds = step.get("execution_time")
    duration = int(seconds * 1000) if isinstance(seconds, int | float) else None
    yield make_event(
        "tool_finished",
        id=event_id,
        at=at,
        **common,
        call_id=number,
        **parts,
        ok=failed,
        output=output if parts["action"] in ("run", "search") or failed is False else "",
        duration_ms=duration,
    )


def _parts(command: str, open_file: str) -> EventDict:
    for pattern, action in _COMMANDS:
        if match := re.match(pattern, command):
            file = match[1] if match.groups() else open_file if action == "edit" else ""
            tool = command.split(None, 1)[0]
            return {"tool": tool, "action": action, "files": [file] if file else []}
    return {"tool": "bash", "action": "run", "command": command}


def _task(record: Payload) -> str:
    history = record.get("history")
    for entry in map(as_mapping, history if isinstance(history, list) else []):
        if entry.get("role") == "user":
            return extract_text(entry.get("content"))
    return ""


def _folder(steps: list[object]) -> str:
    for step in map(as_mapping, steps):
        state = step.get("state")
        if isinstance(state, str):
            try:
                state = json.loads(state)
            except ValueError:
                continue
        if folder := as_text(as_mapping(state).get("working_dir")):
            return folder
    return ""
