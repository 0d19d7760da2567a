"""The command line in this process and in others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

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
def run() -> Run:
    """A command in this process; an exception of another kind than ours fails the test with its traceback."""

    def run_(*words: str, text: str | bytes | None = None, **environment: str) -> Said:
        done = CliRunner().invoke(cli, list(words), input=text, env=environment, prog_name="recollect")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Said(done.exit_code, done.stdout, done.stderr)

    return run_


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
