"""`python -m benchmarks` as somebody calls it: which options a command takes, and how it says no."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.commands import benchmarks_cli
from tests.benchmarks.test_replay import read, write


def run(*words: str) -> Result:
    return CliRunner().invoke(benchmarks_cli, words)


@pytest.mark.parametrize(
    "words",
    [
        ("speed",),
        ("hooks",),
        ("observe",),
        ("context",),
        ("replay", "."),
        ("cochange", "x"),
        ("graph", "."),
    ],
    ids=" ".join,
)
def test_a_benchmark_opens_no_memory_of_the_user(words: tuple[str, ...]) -> None:
    result = run(*words, "--db", "x.db", "--json")
    assert result.exit_code == 2
    assert "--db" in json.loads(result.stderr)["error"]["message"]


def test_an_option_that_would_have_no_effect_is_refused() -> None:
    result = run("relevance", "x.json", "--warm-up", "3")
    assert result.exit_code == 2
    assert "--warm-up" in result.stderr
    assert "--sessions" in result.stderr


def test_past_sessions_are_replayed(tmp_path: Path) -> None:
    write(tmp_path / "s", "one", "vat is wrong", read("tax.py"))
    write(tmp_path / "s", "two", "tax.py again", read("tax.py"), start=10)
    scores = json.loads(run("replay", str(tmp_path / "s"), "--warm-up", "1", "--json").stdout)
    assert scores["from_prompt"]["recollect"]["hit@5"] == 100.0
    table = run("replay", str(tmp_path / "s"), "--warm-up", "1").stdout
    assert "combination + branch" in table
    assert "Errors, checks: 0 met, 0 of them again, for 0 a remedy was known." in table
    refused = run("replay", str(tmp_path / "s"))
    assert (refused.exit_code, "no session to score" in refused.stderr) == (2, True)
