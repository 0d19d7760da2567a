"""The command that tells how well contradictions are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.commands import benchmarks_cli

PAIRS = (
    ("contradiction", "The API listens on port 80.", "The API listens on port 8080."),
    ("contradiction", "Soft deletes are used.", "Rows vanish for real."),
    ("paraphrase", "Tokens expire after an hour.", "Tokens expire after 60 minutes."),
)


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    path = tmp_path / "pairs.jsonl"
    lines = [json.dumps({"label": label, "a": a, "b": b, "half": "one"}) for label, a, b in PAIRS]
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def test_it_counts_what_was_found_missed_and_imagined(pairs: str) -> None:
    said = json.loads(CliRunner().invoke(benchmarks_cli, ["contradictions", pairs, "--json"]).stdout)
    assert said["pairs"] == 3
    assert set(said["systems"]) == {"recollect", "likeness"}
    expected = {"pairs": 3, "found": 1, "missed": 1, "imagined": 0, "precision": 100.0, "recall": 50.0}
    assert said["systems"]["recollect"] == {"all": expected, "one": expected}


def test_it_prints_a_line_for_each_part(pairs: str) -> None:
    said = CliRunner().invoke(benchmarks_cli, ["contradictions", pairs]).stdout
    assert "recollect, all" in said and "likeness, one" in said


@pytest.mark.parametrize(
    ("text", "says"),
    [("{}", "line 1"), ("", "contradiction"), ('{"a": "x", "b": "y", "label": "same"}', "contradiction")],
)
def test_a_file_without_pairs_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(text, "utf-8")
    said = CliRunner().invoke(benchmarks_cli, ["contradictions", str(path)])
    assert (said.exit_code, says in said.stderr) == (2, True)


def test_without_a_file_it_says_what_it_wants() -> None:
    assert "one per line" in CliRunner().invoke(benchmarks_cli, ["contradictions"]).stderr
