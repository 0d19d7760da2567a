"""Past sessions of an agent for the story, made on the spot as Claude Code keeps them: an error, met and mended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_PROMPTS = ("Retry payments less often", "Wait longer after a refused card", "Stop retrying at night")
_FIRST_DAY = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_FAILED = "E   ClockError: the retry clock must be monotonic\n==== 1 failed, 11 passed in 0.31s ===="
_PASSED = "==== 12 passed in 0.30s ===="
_CALLS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("Edit", {"file_path": "src/backoff.py"}, ""),
    ("Bash", {"command": "pytest -q"}, _FAILED),
    ("Edit", {"file_path": "src/clock.py"}, ""),
    ("Bash", {"command": "pytest -q"}, _PASSED),
)


def write_past_sessions(folder: Path, project: Path) -> None:
    """Three sessions of three days, a file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, prompt in enumerate(_PROMPTS):
        begun = _FIRST_DAY + timedelta(days=number)
        lines = _session_lines(f"demo-{number}", prompt, project, begun)
        (folder / f"demo-{number}.jsonl").write_text("".join(map(_json_line, lines)), "utf-8")


def _session_lines(session: str, prompt: str, project: Path, begun: datetime) -> Iterator[dict[str, Any]]:
    messages: list[tuple[str, Any, dict[str, Any]]] = [("user", prompt, {})]
    for number, (tool, arguments, answer) in enumerate(_CALLS):
        call = f"{session}-call-{number}"
        full = {
            name: str(project / text) if name == "file_path" else text for name, text in arguments.items()
        }
        messages.append(("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": full}], {}))
        messages.append(
            ("user", [_result(call, answer)], {"toolUseResult": _tool_result_of(tool, full, answer)})
        )
    for number, (who, content, parts) in enumerate(messages):
        yield {
            "type": who,
            "uuid": f"{session}-{number}",
            "sessionId": session,
            "cwd": str(project),
            "gitBranch": "main",
            "timestamp": (begun + timedelta(seconds=20 * number)).isoformat(),
            "message": {"role": who, "content": content},
            **parts,
        }


def _result(call: str, answer: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": answer, "is_error": answer == _FAILED}


def _tool_result_of(tool: str, arguments: dict[str, str], answer: str) -> object:
    if tool == "Edit":
        return {"filePath": arguments["file_path"], "oldString": "a", "newString": "b"}
    return f"Error: Exit code 1\n{answer}" if answer == _FAILED else {"stdout": answer, "stderr": ""}


def _json_line(form: dict[str, Any]) -> str:
    return json.dumps(form) + "\n"
