"""
The hook that keeps cooldowns: a command that acts on a service is let through only within its limit.

It fails closed: whatever goes wrong inside, the command is not run.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api import Recollect
from recollect.model.operations import OpsEvent, OpsEventType
from recollect.model.value import dataclass
from recollect.ops.actions import MAX_COMMAND, GuardedAct, find_acts
from recollect.ops.jobs import OpsFile
from recollect.ops.markers import EventLevel

# A hook's exit code that makes Claude Code refuse the call and show the reason to the agent.
REFUSED = 2
# Tools that can run a command.
MATCHER = "Bash|PowerShell|Monitor|mcp__.*"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardVerdict:
    """Whether a tool may be used, and why not."""

    allowed: bool
    reason: str = ""

    def to_hook_output(self) -> str:
        """The answer in the form that Claude Code reads; nothing when it is allowed."""
        if self.allowed:
            return ""
        decision = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": self.reason,
        }
        return json.dumps({"hookSpecificOutput": decision})


def judge_call(
    open_memory: Callable[[], Recollect], file: OpsFile, payload: Mapping[str, Any], run_id: str | None
) -> GuardVerdict:
    """Whether the tool call of a hook's payload may go on; an action that may is counted."""
    command = _command_of(payload)
    if len(command) > MAX_COMMAND:
        return GuardVerdict(allowed=False, reason="The command is too long to be looked through.")
    acts = [act for act in find_acts(command, file.patterns) if act.action in file.limits]
    if not acts:  # most commands act on no service, and need no database
        return GuardVerdict(allowed=True)
    with open_memory() as memory:
        return _judge_acts(memory, file, acts, run_id)


def _judge_acts(
    memory: Recollect, file: OpsFile, acts: Sequence[GuardedAct], run_id: str | None
) -> GuardVerdict:
    for act in acts:
        if act.is_hidden:
            reason = (
                f"Write the name of the service: {act.service!r} hides which one this would {act.action}."
            )
            return GuardVerdict(allowed=False, reason=reason)
        answer = memory.operations.try_action(file.limits[act.action], act.service, run_id=run_id, spend=True)
        if not answer.allowed:
            _tell(memory, answer.to_sentence(), act.service, run_id)
            reason = f"{answer.to_sentence()}. Do not do it in another way; report it."
            return GuardVerdict(allowed=False, reason=reason)
    return GuardVerdict(allowed=True)


def make_settings(run_id: str, db: str, jobs_file: Path) -> dict[str, Any]:
    """Settings for Claude Code with the hook in them, passed by `--settings` to this run alone."""
    command = [sys.executable, "-m", "recollect", "ops", "hook", "--run", run_id, "--db", db]
    command += ["--file", str(jobs_file)] if jobs_file.exists() else []
    line = subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)
    hook = {"type": "command", "command": line, "timeout": 60}
    return {"hooks": {"PreToolUse": [{"matcher": MATCHER, "hooks": [hook]}]}}


def _command_of(payload: Mapping[str, Any]) -> str:
    """What a tool would run, whatever the tool is called."""
    tool_input = payload.get("tool_input")
    if not isinstance(tool_input, Mapping):
        return ""
    words = tool_input.get("command") or tool_input.get("cmd") or tool_input.get("script") or ""
    return " ".join(map(str, words)) if isinstance(words, list) else str(words)


def _tell(memory: Recollect, message: str, service: str, run_id: str | None) -> None:
    operations = memory.operations
    operations.put_event(
        OpsEvent(
            at=operations.now(),
            type=OpsEventType.COOLDOWN,
            level=EventLevel.WARNING,
            message=f"Blocked: {message}",
            service=service,
            run_id=run_id,
        )
    )
