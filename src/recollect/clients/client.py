"""What is known of a coding agent: where it keeps its settings, and what goes into them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from recollect.clients.file_parts import Part, Wanted
from recollect.clients.program import Program
from recollect.model.value import dataclass, field

# How long an agent waits for a hook of ours, in seconds. It ends by itself in less than one; this bounds a machine
# that stands still, and leaves a cold start on a slow disk its time.
SECONDS = 10


class Reach(StrEnum):
    """For whom it is installed: everything this user does, or one project."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where files of agents are: the home, the project, and folders that people named in the environment."""

    home: Path
    project: Path
    named: Mapping[str, str] = field(default_factory=dict)

    def folder(self, variable: str, *default: str) -> Path:
        """The folder that a variable names, else this one in the home."""
        return Path(self.named[variable]) if self.named.get(variable) else self.home.joinpath(*default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A coding agent."""

    name: str
    title: str
    # Its program on the path, and the version that all this was tried with ("": never tried).
    program: str
    tried: str
    # The folder that is there when somebody uses it.
    settings: Callable[[Place], Path]
    files: Callable[[Program, Place, Reach], tuple[Wanted, ...]]
    # What a person has to do themselves, once.
    afterwards: str = ""
    # Why nothing need be written, such as a plugin that does the same; "" if it must.
    instead: Callable[[Place], str] = lambda place: ""
    # How that plugin starts a module of ours, before the module's name; empty if it cannot be told.
    instead_runs: Callable[[Place], tuple[str, ...]] = lambda place: ()


def hook_groups(
    client: str, program: Program, events: Iterable[str], *, timeout: int = SECONDS, **more: str
) -> tuple[Part, ...]:
    """Hooks in the form that Claude Code, Codex and Gemini share: a list of groups for each event."""
    return tuple(
        Part(
            path=("hooks", event),
            value={"hooks": [_hook(program.hook_command(client, event), timeout, more)]},
            in_list=True,
        )
        for event in events
    )


def _hook(command: str, timeout: int, more: Mapping[str, str]) -> dict[str, Any]:
    return {**more, "type": "command", "command": command, "timeout": timeout}


def server(program: Program) -> dict[str, Any]:
    """The MCP server in the form that most agents share."""
    command, *args = program.mcp_words()
    return {"command": command, "args": args}
