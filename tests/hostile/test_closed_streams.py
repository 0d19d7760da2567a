"""Standard streams that are closed or full: a sentence and an exit code, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import doctor
from recollect.model.health import FindingLevel

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells close streams so only there")


def run_in_shell(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "RECOLLECT_HOME": str(home), "HOME": str(home)}
    words = command.replace("recollect", f"'{sys.executable}' -m recollect", 1)
    return subprocess.run(
        ["sh", "-c", words],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("recollect remember 'a fact' <&-", 0),
        ("recollect remember - <&-", 2),
        ("recollect mcp <&-", 0),
        ("recollect list >&-", 3),
        ("recollect --version <&-", 0),
        ("recollect --version >&-", 1),
    ],
)
def test_a_closed_stream_is_as_good_as_an_empty_one(tmp_path: Path, command: str, code: int) -> None:
    ended = run_in_shell(command, tmp_path)
    assert "Traceback" not in ended.stderr
    assert ended.returncode == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", ["--help", "--version", "methods", "remember 'a fact' --json"])
def test_an_answer_that_cannot_be_written_is_an_error_in_one_sentence(tmp_path: Path, arguments: str) -> None:
    ended = run_in_shell(f"recollect {arguments} >/dev/full", tmp_path)
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert "No space left" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert ended.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_errors_that_cannot_be_written_keep_their_exit_code(tmp_path: Path) -> None:
    assert run_in_shell("recollect nonsense 2>/dev/full", tmp_path).returncode == 2


def test_a_check_that_meets_a_full_disk_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "/tmp/trial")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    [finding] = doctor._run_check("round trip", doctor._check_round_trip)
    assert finding.verdict is FindingLevel.FAIL
    assert "No space left on device" in finding.detail
