"""The co-change benchmark scores before it learns, follows renames, and refuses what is no log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import cochange
from recollect.errors import BadInput, NotFound


def a_log(tmp_path: Path, *commits: list[list[str]]) -> Path:
    file = tmp_path / "log.jsonl"
    lines = [
        json.dumps({"sha": f"{n}", "time": n, "subject": "", "files": files})
        for n, files in enumerate(commits)
    ]
    file.write_text("\n".join(lines))
    return file


def changed(*paths: str) -> list[list[str]]:
    return [["M", path] for path in paths]


def test_a_pair_known_from_before_is_found_and_a_new_pair_is_not(tmp_path: Path) -> None:
    before = [changed("a.py", "b.py"), changed("c.py", "d.py"), *([changed("x.py")] * 6)]
    again = a_log(tmp_path, *before, changed("a.py", "b.py"), changed("x.py"))
    assert cochange.run(again)["systems"]["counts"] == {"hit@5": 100.0, "r@10": 100.0}
    never = a_log(tmp_path, *before, changed("a.py", "c.py"), changed("x.py"))
    assert cochange.run(never)["systems"]["counts"] == {"hit@5": 0.0, "r@10": 0.0}


def test_a_commit_is_scored_before_it_is_learned(tmp_path: Path) -> None:
    once = [
        changed("a.py"),
        changed("b.py"),
        *([changed("x.py")] * 6),
        changed("a.py", "b.py"),
        changed("x.py"),
    ]
    assert cochange.run(a_log(tmp_path, *once))["systems"]["counts"]["hit@5"] == 0.0


def test_renames_are_followed(tmp_path: Path) -> None:
    log = a_log(
        tmp_path,
        changed("a.py", "b.py"),
        [["R100", "a.py", "z.py"]],
        *([changed("x.py")] * 6),
        changed("z.py", "b.py"),
        changed("x.py"),
    )
    for scores in (cochange.run(log)["systems"][name] for name in ("recollect", "counts", "decay")):
        assert scores["hit@5"] == 100.0


def test_only_code_counts(tmp_path: Path) -> None:
    log = a_log(tmp_path, *([changed("a.py", "b.py", "CHANGES.md")] * 10))
    assert cochange.run(log)["counts"] == {"commits": 10, "scored": 2}
    with pytest.raises(BadInput, match="no commit to score"):
        cochange.run(a_log(tmp_path, *([changed("a.md", "b.md")] * 10)))


def test_what_is_no_log_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text('{"time": 1, "files": []}\n{"time": 2}\n')
    with pytest.raises(BadInput, match="line 2"):
        cochange.run(file)
    with pytest.raises(NotFound):
        cochange.run(tmp_path / "none.jsonl")
