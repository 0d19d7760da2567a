"""
The Claude Agent SDK: transcripts of sessions kept in memory's file and read by the observer, and hooks that tell.

>>> options = ClaudeAgentOptions(session_store=RecollectSessionStore(memory), hooks=memory_hooks(memory))
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

from recollect.adapters.turns import in_thread, needs_extra
from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.framework_state import LogKey, LogSummary

try:
    from claude_agent_sdk import HookMatcher, fold_session_summary
    from claude_agent_sdk.types import (
        HookContext,
        HookEvent,
        HookInput,
        HookJSONOutput,
        SessionKey,
        SessionListSubkeysKey,
        SessionStoreEntry,
        SessionStoreListEntry,
        SessionSummaryEntry,
    )
except ImportError as error:
    raise needs_extra("the Claude Agent SDK", "claude-agent-sdk") from error

FRAMEWORK = "claude-agent-sdk"
# What the SDK can be told at; all of it is recorded.
HOOK_EVENTS: tuple[HookEvent, ...] = (
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "Stop",
)
_HOOK_SECONDS = 10


class RecollectSessionStore:
    """
    The SDK's `SessionStore`: every line of a transcript, once, without secrets.

    With `observe`, what happened reaches the observer while the session goes on, as it would from hooks.
    """

    def __init__(self, memory: Recollect, *, observe: bool = True) -> None:
        """Transcripts in this memory's file."""
        self._memory = memory
        self._observe = observe

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Keep lines of a transcript."""
        if entries:
            await in_thread(self._memory, self._append, key, entries)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """All lines of a transcript; None if there is none."""
        lines = await in_thread(self._memory, self._memory.logs.read, _log_key(key))
        return None if lines is None else list(lines)

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """The sessions of a project, and when each was last written to."""
        logs = await in_thread(self._memory, self._memory.logs.list, FRAMEWORK, owner=project_key)
        return [{"session_id": log.name, "mtime": _milliseconds(log)} for log in logs]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """What the SDK says about the sessions of a project."""
        logs = await in_thread(self._memory, self._memory.logs.list, FRAMEWORK, owner=project_key)
        return [summary for log in logs if (summary := _to_summary(log)) is not None]

    async def delete(self, key: SessionKey) -> None:
        """Remove a session with its subagents, or one subagent's transcript."""
        await in_thread(self._memory, self._memory.logs.delete, _log_key(key))

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """The subagents of a session."""
        main = LogKey(framework=FRAMEWORK, owner=key["project_key"], name=key["session_id"])
        return list(await in_thread(self._memory, self._memory.logs.parts, main))

    def _append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        log = _log_key(key)

        def fold(before: LogSummary | None, fresh: Sequence[Any]) -> Mapping[str, Any]:
            folded = fold_session_summary(_to_summary(before), key, list(fresh))
            return dict(folded["data"])

        fresh = self._memory.logs.append(
            log, *cast("list[Any]", entries), id_field="uuid", fold=None if log.part else fold
        )
        if self._observe and fresh:
            self._memory.observer.follow(
                f"{log.owner}/{log.name}/{log.part}",
                fresh,
                earlier=lambda: list(self._memory.logs.read(log) or ())[: -len(fresh)],
            )


def memory_hooks(memory: Recollect) -> dict[HookEvent, list[HookMatcher]]:
    """
    Hooks for `ClaudeAgentOptions(hooks=…)`: what they hear is recorded, and the agent is told what fits the moment.

    Each is the very hook that Claude Code itself starts, a process of its own: nothing in it can stop the agent.
    """
    path = memory.admin.path()
    if path == ":memory:":
        raise BadInput(reason="hooks are processes of their own; they need a memory in a file")

    async def hear(payload: HookInput, tool_use_id: str | None, context: HookContext) -> HookJSONOutput:
        answer = await _run_hook(path, dict(payload))
        return cast(HookJSONOutput, answer)

    return {event: [HookMatcher(hooks=[hear])] for event in HOOK_EVENTS}


async def _run_hook(path: str, payload: dict[str, Any]) -> dict[str, Any]:
    """One hook process; {} where it has nothing to say, or failed."""
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "recollect.hooks", "claude-code", str(payload["hook_event_name"])),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "RECOLLECT_DB": path},
        )
    except OSError:
        return {}
    try:
        output, _ = await asyncio.wait_for(process.communicate(json.dumps(payload).encode()), _HOOK_SECONDS)
        answer = json.loads(output) if output.strip() else {}
    except (TimeoutError, ValueError, OSError):
        return {}
    finally:
        if process.returncode is None:
            process.kill()
    return answer if isinstance(answer, dict) else {}


def _log_key(key: SessionKey) -> LogKey:
    return LogKey(
        framework=FRAMEWORK, owner=key["project_key"], name=key["session_id"], part=key.get("subpath", "")
    )


def _milliseconds(log: LogSummary) -> int:
    return int(log.changed_at.timestamp() * 1000)


def _to_summary(log: LogSummary | None) -> SessionSummaryEntry | None:
    if log is None or log.summary is None:
        return None
    return {"session_id": log.name, "mtime": _milliseconds(log), "data": dict(log.summary)}
