"""Files that an agent looks at with the shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.hooks.shell_reads import find_shown_files
from tests.hooks.hooking import Hooks


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for file in ("src/auth.py", "src/billing/cart.py", "README.md", "notes/été.md", "Makefile"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x\n")
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat src/auth.py", ["src/auth.py"]),
        ("cat src/auth.py | head -20", ["src/auth.py"]),
        ("cd src && cat auth.py", ["src/auth.py"]),
        ("cd src/billing; sed -n '1,40p' cart.py", ["src/billing/cart.py"]),
        ("cat src/auth.py src/billing/cart.py", ["src/auth.py", "src/billing/cart.py"]),
        ("head -n 5 < src/auth.py", ["src/auth.py"]),
        ("bash -lc 'sed -n 1,9p src/auth.py'", ["src/auth.py"]),
        ('bash -lc "cd src && cat auth.py | nl"', ["src/auth.py"]),
        ("grep -n token src/auth.py", ["src/auth.py"]),
        ("rg -n 'def ' src/auth.py src/billing/cart.py", ["src/auth.py", "src/billing/cart.py"]),
        ("git -C src diff | cat; /usr/bin/cat ./src/../src/auth.py", ["src/auth.py"]),
        ("pushd src && tail -5 auth.py && popd && cat README.md", ["src/auth.py", "README.md"]),
        ("cat notes/été.md", ["notes/été.md"]),
        ("cat src/auth.py 2>/dev/null || true", ["src/auth.py"]),
        ("awk 'NR<5' src/auth.py > /tmp/x", ["src/auth.py"]),
        ("wc -l $(git ls-files) README.md", ["README.md"]),
        # Nothing of the project is shown.
        ("ls src", []),
        ("cat src", []),
        ("cat missing.py", []),
        ("cat /etc/hostname", []),
        ("rm src/auth.py", []),
        ("echo hello", []),
        ("", []),
        ("cat '", []),
    ],
)
def test_files_that_a_command_shows_are_heard(project: Path, command: str, files: list[str]) -> None:
    assert find_shown_files(command, str(project)) == files


def test_what_is_known_about_a_file_is_told_when_the_shell_shows_it(hooks: Hooks) -> None:
    with hooks.memory() as memory:
        memory.remember("Tokens live five minutes", kind="gotcha", about=["src/auth.py"])
    assert "five minutes" in hooks.pass_("cd src && cat other.py auth.py | head -50", "LIFETIME = 300")


def test_a_known_error_behind_a_pipe_is_met_though_the_command_passed(hooks: Hooks) -> None:
    with hooks.memory() as memory:
        memory.remember(
            "A missing refresh token is mended by logging in again",
            kind="error_pattern",
            fields={"error": "KeyError: 'refresh_token'"},
        )
    output = "Traceback (most recent call last):\n  File \"src/auth.py\", line 1\nKeyError: 'refresh_token'"
    assert hooks.pass_("pytest -q", output) == ""
    assert "logging in again" in hooks.pass_("pytest -q 2>&1 | tail -5", output)
