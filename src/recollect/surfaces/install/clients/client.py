"""What is known of a coding agent: where it keeps its settings, and what goes into them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from recollect.surfaces.install.parts import Part, Wanted
from recollect.surfaces.install.program import Program


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
    # Its program on the path, and the version that all this was tried with ("" is: never).
    program: str
    tried: str
    # The folder that is there when somebody uses it.
    settings: Callable[[Place], Path]
    # The events whose hooks are set, with the seconds each may take.
    events: Mapping[str, int]
    files: Callable[[Program, Place, Reach], tuple[Wanted, ...]]
    reaches: tuple[Reach, ...] = (Reach.USER, Reach.PROJECT)
    # What a person has to do themselves, once.
    afterwards: str = ""


def hook_parts(
    client: str, program: Program, events: Mapping[str, int], *, unit: int = 1
) -> tuple[Part, ...]:
    """Hooks in the form that Claude Code, Codex and Gemini share: a list of groups for each event."""
    return tuple(
        Part(
            path=("hooks", event),
            value=_group(program.hook_command(client, event), seconds * unit),
            in_list=True,
        )
        for event, seconds in events.items()
    )


def _group(command: str, timeout: int) -> dict[str, object]:
    return {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}
