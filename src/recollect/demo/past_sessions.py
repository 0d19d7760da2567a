"""Past sessions of an agent for the story, made on the spot as Claude Code keeps them: an error, met and mended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_ASKED = ("Retry payments less often", "Wait longer after a refused card", "Stop retrying at night")
_BEGUN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_FAILED = "E   ClockError: the retry clock must be monotonic\n==== 1 failed, 11 passed in 0.31s ===="
_PASSED = "==== 12 passed in 0.30s ===="
_CALLS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("Edit", {"file_path": "src/backoff.py"}, ""),
    ("Bash", {"command": "pytest -q"}, _FAILED),
    ("Edit", {"file_path": "src/clock.py"}, ""),
    ("Bash", {"command": "pytest -q"}, _PASSED),
)


def write(folder: Path, project: Path) -> None:
    """Three sessions of three days, a file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, asked in enumerate(_ASKED):
        begun = _BEGUN + timedelta(days=number)
        lines = _lines(f"demo-{number}", asked, project, begun)
        (folder / f"demo-{number}.jsonl").write_text("".join(map(_line, lines)), "utf-8")


def _lines(session: str, asked: str, project: Path, begun: datetime) -> Iterator[dict[str, Any]]:
    said: list[tuple[str, Any, dict[str, Any]]] = [("user", asked, {})]
    for number, (tool, given, answer) in enumerate(_CALLS):
        call = f"{session}-call-{number}"
        full = {name: str(project / text) if name == "file_path" else text for name, text in given.items()}
        said.append(("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": full}], {}))
        said.append(("user", [_result(call, answer)], {"toolUseResult": _told(tool, full, answer)}))
    for number, (who, content, parts) in enumerate(said):
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


def _told(tool: str, given: dict[str, str], answer: str) -> object:
    if tool == "Edit":
        return {"filePath": given["file_path"], "oldString": "a", "newString": "b"}
    return f"Error: Exit code 1\n{answer}" if answer == _FAILED else {"stdout": answer, "stderr": ""}


def _line(form: dict[str, Any]) -> str:
    return json.dumps(form) + "\n"
