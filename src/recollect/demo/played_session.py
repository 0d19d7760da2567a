"""Sessions of an agent for the story: each event is a real hook process, its answer shown as the agent reads it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from recollect.model.tokens import estimate_tokens
from recollect.model.value import dataclass, field

_CLIENT = "claude-code"
_WIDTH = 78
_LABEL = 9
_MOST_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedStep:
    """One thing that happens: a person's prompt, a file edited, or a command and what it printed."""

    prompt: str = ""
    edited: str = ""
    command: str = ""
    output: str = ""
    passed: bool = True


@dataclass(slots=True, kw_only=True)
class HookCosts:
    """What memory cost so far: the hooks that ran, their time, and the tokens that were told."""

    milliseconds: list[float] = field(default_factory=list)
    tokens: int = 0

    def describe(self) -> str:
        """All of it in a line."""
        middle = sorted(self.milliseconds)[len(self.milliseconds) // 2]
        return (
            f"{self.tokens} tokens told in all; {len(self.milliseconds)} hooks ran,"
            f" half of them in {middle:.0f} ms or less."
        )


class PlayedSession:
    """One session: sends its events to the hooks and shows both sides."""

    def __init__(
        self,
        session_id: str,
        folder: Path,
        environment: Mapping[str, str],
        say: Callable[[str], None],
        costs: HookCosts,
    ) -> None:
        self._id = session_id
        self._folder = folder
        self._environment = environment
        self._say = say
        self._costs = costs
        self._calls = 0

    def play(self, steps: tuple[PlayedStep, ...]) -> None:
        """The whole session, from its start to its end."""
        self._show_answer(self._send("SessionStart", source="startup"), is_noted=False)
        for step in steps:
            self._take(step)
        self._send("Stop", last_assistant_message="Done.")
        self._send("SessionEnd", reason="other")

    def _take(self, step: PlayedStep) -> None:
        if step.prompt:
            self._show("person", step.prompt)
            self._show_answer(self._send("UserPromptSubmit", prompt=step.prompt))
        if step.edited:
            self._show("agent", f"edits {step.edited}")
            self._show_answer(self._send("PostToolUse", **self._edit(step.edited)), is_noted=False)
        if step.command:
            self._show("agent", f"$ {step.command}", *step.output.splitlines())
            self._show_answer(self._run(step), is_noted=not step.passed)

    def _edit(self, file: str) -> dict[str, Any]:
        path = self._folder / file
        before = path.read_text("utf-8")
        after = f"{before}# changed in session {self._id}\n"
        path.write_text(after, "utf-8")
        change = {"old_string": before, "new_string": after}
        return {
            "tool_name": "Edit",
            "tool_use_id": self._call_id(),
            "tool_input": {"file_path": str(path), **change},
            "tool_response": {
                "filePath": str(path),
                "oldString": before,
                "newString": after,
                "originalFile": before,
            },
        }

    def _run(self, step: PlayedStep) -> str:
        call = {
            "tool_name": "Bash",
            "tool_use_id": self._call_id(),
            "tool_input": {"command": step.command},
        }
        if step.passed:
            answer = {"stdout": step.output, "stderr": "", "interrupted": False}
            return self._send("PostToolUse", tool_response=answer, **call)
        return self._send("PostToolUseFailure", error=f"Exit code 1\n{step.output}", **call)

    def _call_id(self) -> str:
        self._calls += 1
        return f"toolu_{self._id}_{self._calls:08}"

    def _send(self, event: str, **payload: object) -> str:
        """What the agent is told by one hook."""
        given = {"session_id": self._id, "cwd": str(self._folder), "hook_event_name": event, **payload}
        begun = time.perf_counter()
        ended = subprocess.run(
            [sys.executable, "-m", "recollect.hooks", _CLIENT, event],
            input=json.dumps(given).encode(),
            capture_output=True,
            cwd=self._folder,
            env=dict(self._environment),
            timeout=_MOST_SECONDS,
            check=False,
        )
        self._costs.milliseconds.append(1000 * (time.perf_counter() - begun))
        answer = json.loads(ended.stdout) if ended.stdout.strip() else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def _show(self, who: str, *lines: str) -> None:
        for line in lines:
            for part in textwrap.wrap(line, _WIDTH - _LABEL, break_on_hyphens=False) or [""]:
                self._say(f"{who:<{_LABEL}}{part}")
                who = ""

    def _show_answer(self, text: str, *, is_noted: bool = True) -> None:
        """What memory said at this moment; that it was still is worth a line where one could have expected a word."""
        if text:
            tokens = estimate_tokens(text)
            self._costs.tokens += tokens
            self._show("memory", *(line for line in text.splitlines() if line.strip()))
            self._show("", f"({tokens} tokens)")
        elif is_noted:
            self._show("memory", "(nothing to say)")


def wait_until_learned(folder: Path, environment: Mapping[str, str]) -> None:
    """A session's end starts learning beside it; here the next scene waits for it."""
    subprocess.run(
        [sys.executable, "-m", "recollect", "learn"],
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_MOST_SECONDS,
        check=False,
    )
