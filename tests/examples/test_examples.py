"""Every program in `examples/` runs in a fresh home and says what its first line promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SAYS = {
    "remember_and_recall.py": ["said twice: already known", "decision: Payment retries are capped at 3"],
    "context_for_a_task.py": ["never unittest", "tokens"],
    "record_a_session.py": ["passed", "src/price.py"],
}


@pytest.mark.parametrize("program", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_an_example_runs_and_says_what_it_shows(program: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / program)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    for words in SAYS[program]:
        assert words in ended.stdout


def test_examples_pass_a_strict_type_check_as_a_user_would_run_it(tmp_path: Path) -> None:
    programs = [str(path) for path in sorted(EXAMPLES.glob("*.py"))]
    settings = ["--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache")]
    # The package is looked at as an installed one, with the types it ships.
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", *settings, "--follow-imports=silent", *programs],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_every_example_is_listed() -> None:
    page = (EXAMPLES / "README.md").read_text("utf-8")
    assert [path.name for path in EXAMPLES.glob("*.py") if f"`{path.name}`" not in page] == []
