"""The command line in this process and in others."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect import config
from recollect.surfaces.cli import cli

RECOLLECT = [sys.executable, "-m", "recollect"]


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def error(self) -> dict[str, str]:
        """The error as JSON on standard error; nothing on standard output."""
        assert self.out == ""
        found = json.loads(self.err)
        assert found["schema"] == 1
        said = found["error"]
        assert set(said) == {"code", "message", "hint", "fix"}
        assert isinstance(said, dict)
        return said


Run = Callable[..., Said]


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own to stand in, and no model, which would cost every command its loading."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at the terminal."""
    monkeypatch.setattr("recollect.config.is_agent_process", lambda: False)


@pytest.fixture
def run() -> Run:
    """A command in this process; an exception of another kind than ours fails the test with its traceback."""

    def run_(*words: str, text: str | bytes | None = None, **environment: str) -> Said:
        done = CliRunner().invoke(cli, list(words), input=text, env=environment, prog_name="recollect")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Said(done.exit_code, done.stdout, done.stderr)

    return run_


@pytest.fixture
def person(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A command in this process as if a person had typed it; `terminal` starts one that really is at a terminal."""

    def person_(*words: str, **how: Any) -> Said:
        with monkeypatch.context() as at_a_terminal:
            at_a_terminal.setattr(config, "is_agent_process", lambda: False)
            return run(*words, **how)

    return person_


@pytest.fixture
def terminal(tmp_path: Path) -> Run:
    """A command in a process of its own at a pseudo-terminal, with what a person types after each thing it shows."""

    def terminal_(*words: str, answers: Sequence[tuple[str, str]] = (), **environment: str) -> Said:
        return at_a_terminal([*RECOLLECT, *words], answers, tmp_path / "ended", os.environ | environment)

    return terminal_


@pytest.fixture
def process() -> Run:
    """A command in a process of its own, without a terminal."""

    def process_(*words: str, text: str | bytes = b"", **environment: str) -> Said:
        done = subprocess.run(
            [*RECOLLECT, *words],
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            env=os.environ | environment,
            timeout=60,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    return process_


# An orphan: whatever program runs the tests, even an agent's, is not among the ancestors of what it starts.
_ORPHAN = """
import os, subprocess, sys, time
above = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == above:
    time.sleep(0.001)
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as ended:
    ended.write(str(code))
"""


def at_a_terminal(
    command: Sequence[str], answers: Sequence[tuple[str, str]], ended: Path, environment: Mapping[str, str]
) -> Said:
    """Run a command at a pseudo-terminal. Each answer is given once what it answers has been shown."""
    import pty

    parent, child = pty.openpty()
    subprocess.run(
        [sys.executable, "-c", _ORPHAN, str(ended), *command],
        stdin=child,
        stdout=child,
        stderr=child,
        env=dict(environment),
        check=True,
        timeout=60,
    )
    os.close(child)
    shown, waiting = b"", list(answers)
    while True:
        if not select.select([parent], [], [], 30)[0]:
            os.close(parent)
            raise AssertionError(f"nothing more was shown: {shown!r}")
        try:
            said = os.read(parent, 4096)
        except OSError:  # the last process has let go of the terminal
            break
        if not said:
            break
        shown += said
        if waiting and waiting[0][0].encode() in shown.split(b"\0")[-1]:
            os.write(parent, waiting.pop(0)[1].encode())
            shown += b"\0"
    os.close(parent)
    return Said(int(ended.read_text()), shown.replace(b"\0", b"").decode().replace("\r\n", "\n"), "")
