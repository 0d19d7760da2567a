"""The shell for the reference agent: one command in the working folder, with a time and an output limit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments, number, text

DEFAULT_SECONDS = 120
_MAX_SECONDS = 3_600
_MAX_OUTPUT = 1_000_000
# Not a wall but a question: whoever wants a wall runs the agent in a container.
_DANGERS = {
    "it asks for another user's rights": r"\b(sudo|doas|su)\b",
    "it deletes": r"\brm\s+(-\w*\s+)*-\w*[rf]|\brmdir\b|\bshred\b|\bmkfs|\bdd\s+.*\bof=|\bdel\s+/",
    "it changes or publishes history": r"\bgit\s+(push|reset\s+--hard|clean\s+-\w*f|checkout\s+--|filter-branch)",
    "it reaches over the network": r"\b(curl|wget|scp|rsync|ssh|nc|ftp)\b",
    "it installs or publishes": r"\b(pip|npm|pnpm|yarn|cargo|gem|brew|apt|apt-get|dnf|winget)\s+"
    r"(install|add|publish|remove|uninstall)",
    "it changes the system": r"\b(chmod|chown|kill|killall|pkill|shutdown|reboot|crontab|systemctl)\b",
    "it names a place outside the working folder": r"(^|[\s=:'\"<>])(~|/(?!dev/null\b)\w|\.\./|[A-Za-z]:\\)|\$HOME\b",
}


def shell_tool(root: Path, *, environment: Mapping[str, str]) -> AgentTool:
    """The tool over this folder. Commands see this environment and no other."""

    def run(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        return run_command(
            arguments_sent["command"],
            root,
            seconds=arguments_sent.get("seconds", DEFAULT_SECONDS),
            environment=environment,
        )

    return AgentTool(
        name="run_shell_command",
        description="Run one command in the working folder and get its output and exit code.",
        parameters=arguments(
            "command",
            command=text("The command, as in a shell.", most=20_000),
            seconds=number(f"How long it may take; {DEFAULT_SECONDS} if left out.", low=1, high=_MAX_SECONDS),
        ),
        example={"command": "python -m pytest -q", "seconds": 300},
        reads_only=False,
        run=run,
        danger_of=lambda arguments_sent: find_danger(str(arguments_sent.get("command", ""))),
    )


def find_danger(command: str) -> str:
    """Why a person should agree to a command first; empty if nothing speaks against it."""
    return next((reason for reason, pattern in _DANGERS.items() if re.search(pattern, command)), "")


def run_command(command: str, root: Path, *, seconds: float, environment: Mapping[str, str]) -> ToolOutput:
    """Run a command; when its time is over, it and all it started are ended."""
    own_group: dict[str, Any] = (
        {"creationflags": 0x00000200} if sys.platform == "win32" else {"start_new_session": True}
    )
    # Into a file: a pipe that a child keeps open would hold us up after the command is over.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=root,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            **own_group,
        )
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            _end_group(process)
            shown = _shown(output)
            return ToolOutput(text=f"{shown}\n[ended after {seconds:g} s]".strip(), ok=False, exit_code=None)
        except BaseException:
            _end_group(process)
            raise
        shown = _shown(output)
    ending = "" if code == 0 else f"\n[exit code {code}]"
    return ToolOutput(text=(shown + ending).strip() or "(no output)", ok=code == 0, exit_code=code)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _shown(output: IO[bytes]) -> str:
    """What was written, of much of it the beginning and the end."""
    size = output.seek(0, os.SEEK_END)
    output.seek(0)
    if size <= _MAX_OUTPUT:
        return output.read().decode("utf-8", "replace")
    half = _MAX_OUTPUT // 2
    head = output.read(half).decode("utf-8", "replace")
    output.seek(size - half)
    tail = output.read().decode("utf-8", "replace")
    return f"{head}\n[… {size - _MAX_OUTPUT:,} bytes cut …]\n{tail}"
