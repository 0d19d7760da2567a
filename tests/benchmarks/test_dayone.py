"""The benchmark of the first day: what is known before a commit, and nothing after it."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.changelogs import parse_changelog
from benchmarks.dayone import BM25, OURS, run, walk_cases

GNU = """2025-04-08  Kim  <kim@example.org>

\tls: show capabilities of device 0
\tThe cache took it for none.
\t* src/ls.c (has_capability): Do not assume that.
\t* NEWS: Say so.

\tReported by Alex.

\ttail: do not sleep less than asked for
\t* src/tail.c, src/sleep.c (main):
\tRound up.
"""
LISTED = """2023-01-19 16:01:21 +0200  Sebastian <s@example.org>

\t* gst/query.c:
\t* gst/query.h:
\t  query: Mark caps as nullable
\t  They may be missing.
\t  Part-of: <https://example.org/3752>
"""


def test_commits_of_one_day_are_told_apart_and_lines_that_name_files_are_cut_off() -> None:
    later, earlier = parse_changelog(GNU)
    assert (later.subject, later.body) == ("ls: show capabilities of device 0", "The cache took it for none.")
    assert later.files == ("src/ls.c", "NEWS")
    assert earlier.subject == "tail: do not sleep less than asked for"
    assert earlier.files == ("src/tail.c", "src/sleep.c")


def test_a_list_of_all_files_comes_with_the_whole_message() -> None:
    [commit] = parse_changelog(LISTED)
    assert commit.files == ("gst/query.c", "gst/query.h")
    assert (commit.subject, commit.body) == ("query: Mark caps as nullable", "They may be missing.")
    assert commit.at.hour == 14


def a_history(folder: Path) -> Path:
    day = 86_400
    start = 1_700_000_000
    commits = [
        ("Begin", [["A", "src/retry.py"], ["A", "src/price.py"], ["A", "docs/guide.md"]]),
        ("Stop retrying after three attempts", [["M", "src/retry.py"]]),
        ("Attempts are counted", [["M", "src/retry.py"], ["A", "src/new.py"]]),
        ("Move prices", [["R100", "src/price.py", "src/cost.py"]]),
    ]
    lines = [
        json.dumps({"time": start + number * 10 * day, "subject": subject, "files": files})
        for number, (subject, files) in enumerate(commits)
    ]
    release = folder / "trees" / "2023-11-16"
    (release / "src").mkdir(parents=True)
    (release / "src" / "retry.py").write_text("def again():\n    return 3\n")
    (release / "src" / "price.py").write_text("def cost():\n    return 3\n")
    (folder / "log.jsonl").write_text("\n".join(lines))
    return folder


def test_a_commit_is_asked_with_what_came_before_it_alone(tmp_path: Path) -> None:
    first, second, third = walk_cases(a_history(tmp_path / "shop"))
    assert [commit.subject for commit in first.view.commits] == ["Begin"]
    assert (first.targets, second.targets) == ({"src/retry.py"}, {"src/retry.py"}), "a new file was not there"
    assert third.targets == {"src/cost.py"}
    assert "src/price.py" not in third.view.paths


def test_both_systems_are_scored_on_the_same_commits(tmp_path: Path) -> None:
    outcome = run(a_history(tmp_path / "shop"))
    assert outcome["scored"] == 3
    assert outcome["systems"][OURS]["Acc@5"] >= outcome["systems"][BM25]["Acc@5"]
