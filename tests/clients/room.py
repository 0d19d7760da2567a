"""
A room to run clients in: nothing but loopback, nothing of this machine's home, temporary files or sockets, no disk
that can be written but one folder, and no process that outlives it. Where there is no such room, no client is run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.api.script import Turn, as_json

CHECKOUT = Path(__file__).parents[2]
_NAMESPACES = ("--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child")


class NoRoom(Exception):
    """This machine gives no room of its own to run clients in."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what it said."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Heard:
    """One request that reached the scripted model: how far its conversation had come, and all that was sent."""

    path: str
    aside: bool
    place: int
    body: dict[str, Any]
    # On the clock of the machine.
    at: float


@dataclass(frozen=True, slots=True)
class Room:
    """The room, from outside. `url` is where the scripted model listens, inside."""

    process: subprocess.Popen[str]
    url: str

    def run(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float = 120
    ) -> Ran:
        """Run a program with this environment and no other, and no terminal."""
        return Ran(
            **self._order("run", command=command, folder=folder, environment=environment, seconds=seconds)
        )

    def type(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float = 60
    ) -> Ran:
        """Run a program as a person does who sits at a terminal."""
        return Ran(
            **self._order("type", command=command, folder=folder, environment=environment, seconds=seconds)
        )

    def settle(self, seconds: float = 60) -> list[str]:
        """Wait for what still runs; what would not end, by name."""
        return list(self._order("settle", seconds=seconds))

    def play(self, script: Sequence[Turn]) -> None:
        self._order("play", script=as_json(script))

    def heard(self) -> list[Heard]:
        return [Heard(**request) for request in self._order("heard")]

    def _order(self, what: str, **details: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": what, "with": details}, default=str) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise AssertionError(f"the room fell in while asked to {what}: {self.process.wait()}")
        return json.loads(answer)


@contextmanager
def a_room(stage: Path) -> Iterator[Room]:
    """A room in which only `stage` can be written."""
    with tempfile.TemporaryFile("w+") as complaints, _start(stage, complaints) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        said = process.stdout.readline()
        if not said:
            complaints.seek(0)
            why = complaints.read().strip().splitlines() or ["it ended"]
            raise NoRoom(f"no network namespace to be had, so no client was run: {why[-1]}")
        yield Room(process, json.loads(said))


def _start(stage: Path, complaints: Any) -> subprocess.Popen[str]:
    unshare = shutil.which("unshare")
    if unshare is None:
        raise NoRoom("no network namespace to be had, so no client was run: the program unshare is not here")
    import pwd  # is not on Windows, where there is no unshare either

    as_root = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    walls = {
        "hide": [home, Path(tempfile.gettempdir()), Path("/tmp"), Path("/run")],
        "keep": [CHECKOUT, Path(sys.prefix), Path(sys.base_prefix)],
        "write": [stage],
    }
    return subprocess.Popen(
        [
            unshare,
            *_NAMESPACES,
            *as_root,
            sys.executable,
            "-m",
            "tests.clients.inside",
            json.dumps(walls, default=str),
        ],
        cwd=CHECKOUT,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        text=True,
    )
