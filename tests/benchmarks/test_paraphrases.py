"""The command that tells how well a model separates pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.commands import benchmarks_cli

PAIRS = (
    ("same", "Retries are capped at three.", "We retry at most three times."),
    ("same", "The cache is kept for a day.", "Cached for one day."),
    ("different", "Retries are capped at three.", "The cache is kept for a day."),
)


def test_pairs_are_separated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    path = tmp_path / "pairs.jsonl"
    lines = [json.dumps({"label": label, "a": a, "b": b}) for label, a, b in PAIRS]
    path.write_text("\n".join(lines), "utf-8")
    result = CliRunner().invoke(benchmarks_cli, ["paraphrases", str(path), "--json"])
    said = json.loads(result.stdout)

    assert said["pairs"] == 3
    assert set(said["systems"]) == {"recollect", "words"}
    assert said["systems"]["recollect"]["average_precision"] == 100.0


def test_without_a_file_it_says_what_it_wants() -> None:
    result = CliRunner().invoke(benchmarks_cli, ["paraphrases"])

    assert result.exit_code == 2
    assert "one per line" in result.stderr


def test_bench_alone_shows_what_can_be_measured() -> None:
    result = CliRunner().invoke(benchmarks_cli, [])

    assert result.exit_code == 0
    assert "python -m benchmarks locomo locomo10.json" in result.stdout
