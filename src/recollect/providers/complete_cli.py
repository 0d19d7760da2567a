"""
The user's own `claude -p` as the model that writes: one process per answer, seconds each. For work done now
and then, such as the end of a session; never once per event.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from recollect.errors import ProviderAnswer, ProviderError, ProviderUnreachable
from recollect.providers.http import scrub

# Set in every agent we start; with it our hooks do nothing and no further agent is started.
OFF_SWITCH = "RECOLLECT_OFF"

# They tell of the session we may have been called from; the first makes claude refuse to start inside it.
_OUTER_SESSION = (
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
)
# No hook, tool or MCP server: a prompt holds text that others wrote, and it must find nothing to act with.
_ISOLATED = (
    "--settings",
    '{"disableAllHooks": true}',
    "--tools",
    "",
    "--strict-mcp-config",
    "--no-session-persistence",
)


class ClaudeCompleter:
    """Claude Code in print mode, without hooks, tools or a project."""

    def __init__(self, *, command: str = "claude", model: str = "", timeout_s: float = 120.0) -> None:
        self.name = f"claude -p ({model})" if model else "claude -p"
        self._command = command
        self._model = model
        self._timeout_s = timeout_s

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str:
        """The agent's answer to the prompt. Its length cannot be limited, so `max_tokens` is not used."""
        if os.environ.get(OFF_SWITCH):
            reason = f"{OFF_SWITCH} is set, so this runs inside an agent that recollect started"
            raise ProviderError(model=self.name, reason=reason)
        program = shutil.which(self._command)
        if program is None:
            raise ProviderError(model=self.name, reason=f"there is no program {self._command!r} on the PATH")
        # An empty directory, so that no project's instructions, settings or servers are read.
        with tempfile.TemporaryDirectory(prefix="recollect-", ignore_cleanup_errors=True) as directory:
            code, out, err = self._run([program, *self._arguments(system)], prompt, directory)
        return self._text(code, out, err)

    def _arguments(self, system: str) -> list[str]:
        arguments = ["-p", "--output-format", "json", *_ISOLATED]
        if self._model:
            arguments += ["--model", self._model]
        if system:
            arguments += ["--system-prompt", system.replace("\0", "")]
        return arguments

    def _run(self, command: list[str], prompt: str, directory: str) -> tuple[int, bytes, bytes]:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=directory,
                env=_environment(os.environ),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ProviderError(model=self.name, reason=f"{command[0]} cannot be started") from error
        with process:
            try:
                out, err = process.communicate(prompt.encode("utf-8", "replace"), timeout=self._timeout_s)
            except subprocess.TimeoutExpired as error:
                _kill_process_tree(process)
                raise ProviderUnreachable(
                    f"{self.name} gave no answer within {self._timeout_s:g} s and was ended.",
                    url=command[0],
                    reason="timeout",
                ) from error
            except BaseException:
                _kill_process_tree(process)
                raise
        return process.returncode, out, err

    def _text(self, code: int, out: bytes, err: bytes) -> str:
        result = _parse_result(out)
        text = result.get("result")
        if code != 0 or result.get("is_error"):
            message = text if isinstance(text, str) and text.strip() else err.decode("utf-8", "replace")
            raise ProviderError(model=self.name, reason=f"it ended with code {code}: {scrub(message)}")
        if not isinstance(text, str) or not text.strip():
            raise ProviderAnswer(model=self.name, reason="it holds no result")
        return text


def _environment(outer: Mapping[str, str]) -> dict[str, str]:
    environment = {name: value for name, value in outer.items() if name not in _OUTER_SESSION}
    return {**environment, OFF_SWITCH: "1", "DISABLE_AUTOUPDATER": "1"}


def _parse_result(out: bytes) -> dict[str, Any]:
    try:
        result = json.loads(out)
    except (ValueError, RecursionError):
        return {}
    # With "verbose" in the user's settings the result is the last of a list of events.
    last = result[-1] if isinstance(result, list) and result else result
    return last if isinstance(last, dict) else {}


def _kill_process_tree(process: subprocess.Popen[bytes]) -> None:
    """End the agent and everything it started; it may hold children that would keep our pipes open."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.kill()
    try:
        process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        # A child in a session of its own still holds them; closing ours lets us go on.
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
