"""The whole way through real processes: an agent's hooks record a session, the next one's brief says where it stood."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.methods.projects import RULES, SPRINT, SPRINT_STATUS, STORY, checkout
from tests.observe.acts import failed

# No model to load, and patience: a test's machine may be busy.
ENVIRONMENT = {"RECOLLECT_EMBEDDING_TIER": "none", "RECOLLECT_HOOKS_MOST_MS": "30000"}


def fire(folder: Path, event: str, session: str, **payload: Any) -> str:
    """What a hook says; it never fails."""
    told = {"hook_event_name": event, "session_id": session, "cwd": str(folder), **payload}
    done = subprocess.run(
        [sys.executable, "-m", "recollect.hooks", "claude-code", event],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=folder,
        env=os.environ | ENVIRONMENT,
    )
    return done.stdout


def edit(folder: Path, session: str, file: str, number: int) -> None:
    given = {"file_path": str(folder / file), "old_string": "a", "new_string": "b"}
    fire(
        folder,
        "PostToolUse",
        session,
        tool_name="Edit",
        tool_use_id=f"t{number}",
        tool_input=given,
        tool_response={"filePath": str(folder / file), "originalFile": "a"},
    )


def red_test(folder: Path, session: str, number: int) -> None:
    fire(
        folder,
        "PostToolUseFailure",
        session,
        tool_name="Bash",
        tool_use_id=f"t{number}",
        tool_input={"command": "pytest -q"},
        error=f"Exit code 1\n{failed()}",
    )


CASES = {
    "bmad": (
        {
            "docs/sprint-status.yaml": SPRINT_STATUS.format(status="in-progress"),
            "docs/stories/3-2-token-refresh.md": STORY.format(status="in-progress", second=" "),
        },
        "main",
        "1 of 3 acceptance criteria are met",
    ),
    "tdd": ({"CLAUDE.md": RULES}, "feature/price", "Red: tests/test_price.py::test_rate"),
    "agile": ({"sprints/sprint-12.md": SPRINT}, "feature/US47-out", "Story US47 “Sign out” of sprint 12"),
    "native": (
        {"specs/042-retry/tasks.md": "- [x] T001 Cap\n- [ ] T002 Log\n"},
        "042-retry",
        "Next: subtask T002 “Log”",
    ),
}


@pytest.mark.parametrize("method", CASES)
def test_the_next_session_s_brief_says_where_the_work_stands(tmp_path: Path, method: str) -> None:
    files, branch, said = CASES[method]
    folder = checkout(tmp_path / "shop", files, branch)
    fire(folder, "SessionStart", "s1", source="startup")
    edit(folder, "s1", "tests/test_price.py", 1)
    if method == "tdd":
        red_test(folder, "s1", 2)
    learn = [sys.executable, "-m", "recollect", "learn", "--session", "s1"]
    subprocess.run(
        learn, check=True, capture_output=True, timeout=60, cwd=folder, env=os.environ | ENVIRONMENT
    )
    brief = fire(folder, "SessionStart", "s2", source="startup")
    assert said in json.loads(brief)["hookSpecificOutput"]["additionalContext"]
