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

from recollect.clients.transcript_reader import Head, Reading, json_file, moment_by_number
from recollect.events.event_dict import derived_id, form, mapping, string, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form, Payload

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


def head(path: Path) -> Head | None:
    """Whose session a file is."""
    record = json_file(path, Reading()) or {}
    if not isinstance(record.get("trajectory"), list):
        return None
    return Head(
        session_id=path.stem, folder=_folder(record["trajectory"]), started_at=moment_by_number(path, 0)
    )


def read(path: Path, reading: Reading) -> Iterator[Form]:
    """The events of a file."""
    record = json_file(path, reading)
    steps = (record or {}).get("trajectory")
    if not isinstance(steps, list):
        reading.bad += record is not None
        return
    common = {"session_id": path.stem, "client": CLIENT, "folder": _folder(steps)}
    at = moment_by_number(path, 0)
    known = derived_id("session_started", CLIENT, path.stem)
    yield form("session_started", id=known, at=at, **common, data={"source": "transcript"})
    if task := _task(record or {}):
        yield form("prompt", id=derived_id("prompt", CLIENT, path.stem), at=at, **common, text=task)
    open_file = ""
    for number, step in enumerate(map(mapping, steps), start=1):
        made = list(_step(step, f"{path.stem}.{number}", moment_by_number(path, number), common, open_file))
        open_file = next((event["files"][0] for event in made if event.get("files")), open_file)
        yield from made


def _step(step: Payload, number: str, at: str, common: Form, open_file: str) -> Iterator[Form]:
    thought, command = string(step.get("thought")), string(step.get("action")).strip()
    if thought.strip():
        known = derived_id("assistant_text", CLIENT, number)
        yield form("assistant_text", id=known, at=at, **common, text=thought)
    if not command:
        return
    parts = _parts(command, open_file)
    known = derived_id("tool_called", CLIENT, number)
    yield form("tool_called", id=known, at=at, **common, call_id=number, **parts)
    output = string(step.get("observation"))
    failed = False if output.startswith(_FAILED) else None
    known = derived_id("tool_finished", CLIENT, number)
    seconds = step.get("execution_time")
    duration = int(seconds * 1000) if isinstance(seconds, int | float) else None
    yield form(
        "tool_finished",
        id=known,
        at=at,
        **common,
        call_id=number,
        **parts,
        ok=failed,
        output=output if parts["action"] in ("run", "search") or failed is False else "",
        duration_ms=duration,
    )


def _parts(command: str, open_file: str) -> Form:
    for pattern, action in _COMMANDS:
        if found := re.match(pattern, command):
            file = found[1] if found.groups() else open_file if action == "edit" else ""
            tool = command.split(None, 1)[0]
            return {"tool": tool, "action": action, "files": [file] if file else []}
    return {"tool": "bash", "action": "run", "command": command}


def _task(record: Payload) -> str:
    history = record.get("history")
    for entry in map(mapping, history if isinstance(history, list) else []):
        if entry.get("role") == "user":
            return text_of(entry.get("content"))
    return ""


def _folder(steps: list[object]) -> str:
    for step in map(mapping, steps):
        state = step.get("state")
        if isinstance(state, str):
            try:
                state = json.loads(state)
            except ValueError:
                continue
        if folder := string(mapping(state).get("working_dir")):
            return folder
    return ""
