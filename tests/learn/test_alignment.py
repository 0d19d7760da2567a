"""Alignment: steps that runs share, in order, with slots for what differs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.learn.alignment import SLOT, align_steps, measure_step_likeness, merge_steps, tokenise


def test_steps_stand_in_their_order_and_what_differs_is_a_slot() -> None:
    runs = [
        [
            "read_file docs/release.md",
            "write_file billing/CHANGELOG.md",
            "shell npm version 1.4.0",
            "shell git tag v1.4.0",
        ],
        [
            "list_directory .",
            "write_file search/CHANGELOG.md",
            "shell npm version 2.0.1",
            "shell git tag v2.0.1",
        ],
        [
            "write_file login/CHANGELOG.md",
            "shell pytest -q",
            "shell npm version 0.3.0",
            "shell git tag v0.3.0",
        ],
    ]
    assert align_steps(runs) == ["write_file …/CHANGELOG.md", "shell npm version …", "shell git tag …"]


def test_a_step_that_one_run_left_out_is_common_and_one_that_one_run_added_is_not() -> None:
    runs = [["a one", "b two", "c three"], ["a one", "c three"], ["a one", "b two", "d four", "c three"]]
    assert align_steps(runs) == ["a one", "b two", "c three"]


def test_steps_of_other_tools_never_stand_in_one_column() -> None:
    assert align_steps([["read_file a.py"], ["write_file a.py"]], min_share=1.0) == []
    assert measure_step_likeness(tokenise("read_file a.py"), tokenise("write_file a.py")) == 0.0


def test_a_tool_alone_is_no_step() -> None:
    assert align_steps([["shell ls"], ["shell make"], ["shell pytest"]]) == []


def test_order_counts() -> None:
    assert align_steps([["a one", "b two"], ["b two", "a one"]], min_share=1.0) in (["a one"], ["b two"])


STEPS = st.lists(st.sampled_from(["a x/one.py", "a y/one.py", "b two", "c three", "d four five"]), max_size=8)


@given(STEPS)
def test_a_run_aligned_with_itself_is_itself(run: list[str]) -> None:
    assert align_steps([run, run, run]) == run


@given(st.lists(STEPS, min_size=1, max_size=4))
def test_common_steps_are_never_more_than_the_shortest_allows(runs: list[list[str]]) -> None:
    common = align_steps(runs, min_share=1.0)
    assert len(common) <= min(map(len, runs))
    for step in common:
        fixed = [token for token in tokenise(step) if token != SLOT]
        for run in runs:
            assert any(set(fixed) <= set(tokenise(own)) for own in run)


@given(st.text(alphabet="ab /.", max_size=12), st.text(alphabet="ab /.", max_size=12))
def test_merging_keeps_only_what_both_have(step: str, other: str) -> None:
    merged = merge_steps(tokenise(step), tokenise(other))
    assert [one for one in merged if one != SLOT] == [
        one for one in merged if one in tokenise(step) and one in tokenise(other)
    ]
