"""Steps of a session in as few words as a test needs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.model.event import ToolAction
from recollect.model.step import Edit, Step

START = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
PASSED = "===== 3 passed in 0.10s ====="


def failed(line: str = "E   KeyError: 'rate'", test: str = "tests/test_price.py::test_rate") -> str:
    return f"{line}\nFAILED {test} - {line.removeprefix('E   ')}\n===== 1 failed in 0.10s ====="


def read(*files: str) -> dict[str, Any]:
    return {"tool": "Read", "action": ToolAction.READ, "files": files}


def edit(file: str, before: str = "", after: str = "") -> dict[str, Any]:
    edits = (Edit(file=file, before=before, after=after),)
    return {"tool": "Edit", "action": ToolAction.EDIT, "files": (file,), "edits": edits}


def run(command: str, output: str = "", *, ok: bool = True) -> dict[str, Any]:
    return {
        "tool": "Bash",
        "action": ToolAction.RUN,
        "command": command,
        "output": output,
        "ok": ok,
        "exit_code": 0 if ok else 1,
    }


def green(command: str = "pytest -q") -> dict[str, Any]:
    return run(command, PASSED)


def red(command: str = "pytest -q", **parts: str) -> dict[str, Any]:
    return run(command, failed(**parts), ok=False)


def steps(*acts: dict[str, Any], apart: float = 5) -> tuple[Step, ...]:
    """These acts as steps, numbered, a few seconds apart."""
    return tuple(
        Step(
            number=number,
            at=START + timedelta(seconds=apart * number),
            event_ids=(f"e{number}",),
            **({"ok": True} | act),
        )
        for number, act in enumerate(acts, start=1)
    )
