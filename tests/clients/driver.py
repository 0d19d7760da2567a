"""What the stories need to know of a client: how it is installed, started, and what it calls its tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.clients.api.script import Call
from tests.clients.packages import Package


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where a client stands: a home and a repository of its own, a few programs, and the scripted model."""

    home: Path
    project: Path
    programs: Path
    url: str

    @property
    def environment(self) -> dict[str, str]:
        """All the environment there is."""
        return {
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "HOME": str(self.home),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            # The shop's tests need none of what this checkout's own tests load.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            # A hook says nothing rather than make an agent wait; on a busy machine that would be always.
            "RECOLLECT_HOOKS_MOST_MS": "20000",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """One client. `name` is what `recollect init --agent` calls it; a place is a path in the project."""

    name: str
    packages: Sequence[Package]
    settle_in: Callable[[Stage], None]
    command: Callable[[str], Sequence[str]]
    environment: Callable[[Stage], Mapping[str, str]]
    read: Callable[[Stage, str], Call]
    edit: Callable[[Stage, str, str, str], Call]
    shell: Callable[[str], Call]
    tool: Callable[[str, Mapping[str, object]], Call]
    needs_node: bool = False
    # Whether it shows a hook's line to the person where there is no terminal.
    shows_messages: bool = False
