"""`context`: the text an agent would get, with its cost and why."""

from __future__ import annotations

import pytest

from recollect.config import user_file
from tests.surfaces.conftest import Run


@pytest.fixture
def known(person: Run) -> str:
    made = person("remember", "Retries are capped at three", "--kind", "decision", "--json").json
    return str(made["memory"]["id"])


def test_it_prints_exactly_what_an_agent_would_get(run: Run, known: str) -> None:
    said = run("context", "--task", "how often are retries capped")
    form = run("context", "--task", "how often are retries capped", "--json").json
    assert said.out == form["text"] + "\n"
    assert f"1 memory, {form['tokens']} of 1,300 tokens (opening, standard work)." in said.err
    assert sum(slot["tokens"] for slot in form["slots"]) + form["borders"] == form["tokens"]
    assert [one["memory_id"] for slot in form["slots"] for one in slot["said"]] == [known]


def test_explain_tells_costs_reasons_and_what_was_left_out(run: Run, known: str) -> None:
    said = run("context", "--task", "are the retries capped at three", "--budget", "1", "--explain").out
    assert f"{known[:13]}  left out of preferences: the budget has no room for it" in said
    said = run("context", "--task", "are the retries capped at three", "--explain").out
    assert "preferences  1" in said
    assert f"{known[:13]}  " in said


def test_nothing_to_say_is_said(run: Run, known: str) -> None:
    said = run("context", "--task", "paint the fence", "--layout", "prompt")
    assert said.out == ""
    assert "Nothing is worth saying here (prompt, standard work)." in said.err


def test_layouts_lists_ours_and_ones_own(run: Run, known: str) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(
        '[layouts.mine]\ntokens = 9\n[[layouts.mine.slots]]\nname = "a"\nmost = 1\ntokens = 9\n'
    )
    assert "loop          1,200   core 500, relevant 500, history 200" in run("context", "--layouts").out
    names = [one["name"] for one in run("context", "--layouts", "--json").json["layouts"]]
    assert (names[0], names[-1]) == ("desktop", "mine")


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--layout", "moon", "--task", "x"), "not_found"), ((), "bad_input")],
)
def test_what_cannot_be_printed(run: Run, known: str, words: tuple[str, ...], code: str) -> None:
    assert run("context", *words, "--json").error["code"] == code


def test_a_broken_layout_names_its_key(run: Run, known: str) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text("[layouts.mine]\ntokens = 'lots'\nslots = [{}]\n")
    error = run("context", "--layouts", "--json").error
    assert error["code"] == "bad_setting"
    assert "layouts.mine.slots[1].name" in error["message"]
