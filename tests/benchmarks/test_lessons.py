"""The lessons benchmark: which labelled lessons the observer learns, from which half, and what it learns besides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.lessons import half_of, is_same_session
from tests.benchmarks.test_commands import run
from tests.benchmarks.test_replay import ran, write, written

PROMPT = "Never use mocks in the tests, write fakes."


def label(number: int, *terms: str, grade: str = "A") -> dict[str, Any]:
    return {
        "id": f"lesson-{number}",
        "class": grade,
        "kind": "preference",
        "said_by": ["person"],
        "recurs": [],
        "terms": [list(terms)],
    }


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    write(tmp_path / "sessions", "one-session", PROMPT, written("tests/test_tax.py"), ran("1 passed"))
    lessons = [label(1, "fakes"), label(2, "flaky network"), label(3, "mocks", grade="B")]
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"sessions": {"one-session": {"lessons": lessons}}}))
    return path


def test_a_lesson_is_caught_by_its_terms(tmp_path: Path, labels: Path) -> None:
    result = run("lessons", str(tmp_path / "sessions"), str(labels), "--json")
    scores = json.loads(result.stdout)
    assert scores["all"]["A"] == {"caught": 1, "of": 2, "percent": 50.0}
    assert scores["all"]["A+B"] == {"caught": 2, "of": 3, "percent": 66.7}
    assert scores["voices"]["agent"]["A"]["of"] == 0
    assert scores["given"]["all"]["a_session"] == 1.0
    half = scores[half_of("one-session")]
    assert half == scores["all"]


def test_what_matches_no_label_can_be_looked_at(tmp_path: Path, labels: Path) -> None:
    labels.write_text(json.dumps({"sessions": {"one-session": {"lessons": [label(2, "flaky network")]}}}))
    others = tmp_path / "others.jsonl"
    result = run("lessons", str(tmp_path / "sessions"), str(labels), "--unmatched", str(others))
    assert "0/1" in result.stdout
    [row] = [json.loads(line) for line in others.read_text(encoding="utf-8").splitlines()]
    assert (row["session"], "fakes" in row["text"]) == (["one-session"], True)


def test_a_file_without_labels_is_refused(tmp_path: Path, labels: Path) -> None:
    labels.write_text("{}")
    result = run("lessons", str(tmp_path / "sessions"), str(labels))
    assert (result.exit_code, "no labelled sessions" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("0123abcd", "0123abcd-ffff", True), ("0123", "0123abcd", False), ("0123abcd", "0123abce", False)],
)
def test_a_session_is_known_by_a_long_enough_beginning(one: str, other: str, same: bool) -> None:
    assert is_same_session(one, other) is same
