"""Installing recollect into a coding agent: the commands it runs, where it keeps its settings, what goes into them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from recollect.clients.file_parts import HOOKS_MODULE, MCP_MODULE, FilePart, WantedFile
from recollect.model.value import dataclass, field

# How long an agent waits for a hook of ours, in seconds. It ends by itself in less than one; this bounds a machine
# that stands still, and leaves a cold start on a slow disk its time.
HOOK_SECONDS = 10


# What is done at every step of an agent (`clients/registry.py`): `hooks/gate.sh` knows them by these names.
BATCH_ACT = "batch"
GATED_ACTS = ("tool", BATCH_ACT, "submit")
_GATE = Path(__file__).parents[1] / "hooks" / "gate.sh"
# Folders of environments that are thrown away after a run: what starts from there is gone tomorrow.
_THROWN_AWAY = ("/archive-v0/", "/uv/builds", "/pipx/.cache/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The Python that recollect is installed in."""

    python: str
    windows: bool = False
    # The script that looks whether there may be something to say before Python starts; "" without a shell to run it.
    gate: str = ""

    @property
    def is_temporary(self) -> bool:
        """Whether it lives in an environment made for one run, as by `uvx`."""
        return any(folder in self.python.replace("\\", "/") for folder in _THROWN_AWAY)

    def hook_words(self, client: str, event: str) -> list[str]:
        """The words of a hook's command. With -P a module of the same name in the agent's folder is not run."""
        return [self.python, "-P", "-m", HOOKS_MODULE, client, event]

    def gated_words(self, client: str, event: str, act: str) -> list[str]:
        """The same behind the gate, for what is done at every step of an agent."""
        return [*self.gate_words(act), *self.hook_words(client, event)]

    def gate_words(self, act: str) -> list[str]:
        """What stands before a hook's command at such an act; nothing at others."""
        return ["sh", self.gate, act] if self.gate and act in GATED_ACTS else []

    def hook_command(self, client: str, event: str, act: str = "") -> str:
        """A hook's command as a line for a shell; `act` is what the registry says is done at the event."""
        return quote_words(self.gated_words(client, event, act), windows=self.windows)

    def mcp_words(self) -> list[str]:
        """The words that start the MCP server."""
        return [self.python, "-P", "-m", MCP_MODULE]


def this_program() -> Program:
    """The Python that runs now. A link in a virtual environment is not followed: it is the environment."""
    is_windows = sys.platform == "win32"
    return Program(python=sys.executable, windows=is_windows, gate="" if is_windows else str(_GATE))


def quote_words(words: list[str], *, windows: bool) -> str:
    """Words as one line: for sh, or so that both cmd and the bash of Windows read them alike."""
    if not windows:
        return shlex.join(words)
    return " ".join(f'"{word}"' if set(word) & set(" &()^;,'") else word for word in _with_slashes(words))


def _with_slashes(words: list[str]) -> list[str]:
    return [words[0].replace("\\", "/"), *words[1:]]


class InstallScope(StrEnum):
    """For whom it is installed: everything this user does, or one project."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFolders:
    """Where files of agents are: the home, the project, and folders that people named in the environment."""

    home: Path
    project: Path
    named: Mapping[str, str] = field(default_factory=dict)

    def folder(self, variable: str, *default: str) -> Path:
        """The folder that a variable names, else this one in the home."""
        return Path(self.named[variable]) if self.named.get(variable) else self.home.joinpath(*default)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientInstall:
    """How recollect is put into one agent: the `install.py` of its folder."""

    # The folder that is there when somebody uses it.
    settings: Callable[[ClientFolders], Path]
    # What goes into which file, for these hook events.
    files: Callable[[Program, ClientFolders, InstallScope, Mapping[str, str]], tuple[WantedFile, ...]]
    # What a person has to do themselves, once.
    afterwards: str = ""
    # Why nothing need be written, such as a plugin that does the same; "" if it must.
    instead: Callable[[ClientFolders], str] = lambda folders: ""
    # How that plugin starts a module of ours, before the module's name; empty if it cannot be told.
    instead_runs: Callable[[ClientFolders], tuple[str, ...]] = lambda folders: ()
    # The events whose hooks, in this file, the agent passes over because nobody trusted them.
    find_untrusted: Callable[[Path, ClientFolders], list[str]] = lambda hooks, folders: []
    # The words with which a text file of ours starts hooks, before the event.
    command_in: Callable[[str], tuple[str, ...]] = lambda text: ()


def hook_groups(
    client: str, program: Program, events: Mapping[str, str], *, timeout: int = HOOK_SECONDS, **more: str
) -> tuple[FilePart, ...]:
    """Hooks in the form that Claude Code, Codex and Gemini share: a list of groups for each event."""
    return tuple(
        FilePart(
            path=("hooks", event),
            value={"hooks": [hook_entry(program.hook_command(client, event, act), act, timeout, more)]},
            in_list=True,
        )
        for event, act in events.items()
    )


def hook_entry(
    command: str, act: str, timeout: int = HOOK_SECONDS, more: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """One hook. The agent need not wait for what tells of refusals: where one can be refused, the session goes on."""
    beside = {"async": True} if act == BATCH_ACT else {}
    return {**(more or {}), "type": "command", "command": command, "timeout": timeout, **beside}


def server_entry(program: Program) -> dict[str, Any]:
    """The MCP server in the form that most agents share."""
    command, *args = program.mcp_words()
    return {"command": command, "args": args}
