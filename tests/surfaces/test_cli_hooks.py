"""`why`, `pause` and `unpause`: what an agent was told, and how to make hooks keep still."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect import config
from recollect.events.inbox import append, inbox_path
from tests.events.test_injected import told
from tests.surfaces.conftest import Run


@pytest.fixture
def known(run: Run) -> str:
    """A memory that was told to a session, as hooks write it down."""
    made = run("remember", "Tokens expire after five minutes", "--kind", "gotcha", "--json").json
    memory_id = str(made["memory"]["id"])
    append(inbox_path(config.load_settings().db), [told(memory_id)])
    return memory_id


def test_why_says_what_was_told_when_and_at_what_cost(run: Run, known: str) -> None:
    said = run("why", "--session", "s").out
    assert f"{known[:13]}  gotcha: Tokens expire after five minutes" in said
    assert "because; score 0.50, bar 0.30; 10 tokens; not seen in use" in said
    assert "1 told, 10 tokens, 0 used." in said


def test_why_in_json_has_every_field(run: Run, known: str) -> None:
    said = run("why", "--session", "s", "--json").json
    (one,) = said["told"]
    assert (said["session"], said["tokens"]) == ("s", 10)
    assert (one["memory_id"], one["moment"], one["used"], one["position"]) == (known, "prompt", "", 1)


def test_why_tells_of_a_memory_that_is_gone(run: Run, person: Run, known: str) -> None:
    assert person("forget", known, "--purge", "--yes").code == 0
    assert "gone" in run("why", "--session", "s").out


def test_a_session_that_was_told_nothing(run: Run, known: str) -> None:
    assert run("why", "--session", "other").out == "Nothing was told in session other.\n"


def test_pause_and_unpause_say_whether_they_changed_anything(run: Run) -> None:
    assert run("pause").out == "Paused here.\n"
    assert run("pause").out == "It was paused here already.\n"
    assert run("unpause").out == "Hooks work here again.\n"
    assert run("unpause").out == "It was not paused here.\n"
    assert json.loads(run("pause", "--json").out) == {
        "schema": 1,
        "paused": True,
        "changed": True,
        "folder": str(Path.cwd()),
    }


def test_hooks_beside_no_file_cannot_be_paused(run: Run) -> None:
    said = run("pause", "--db", ":memory:")
    assert said.code != 0
    assert "database that is a file" in said.err


def test_why_not_names_the_reason_and_the_remedy(run: Run, person: Run) -> None:
    made = person("remember", "Tokens expire", "--kind", "gotcha", "--about", "src/other.py", "--json").json
    known = made["memory"]["id"]
    answer = run("why", "--not", known, "--file", "src/auth.py").out
    assert "Nothing would be told at src/auth.py" in answer
    assert "it is not about src/auth.py" in answer
    assert f"recollect edit {known} --about src/auth.py" in answer


def test_why_not_says_first_that_hooks_are_paused(run: Run, known: str) -> None:
    run("pause")
    assert run("why", "--not", "--file", "src/auth.py").out.startswith("Hooks are paused here")
    assert run("why", "--not", "--file", "src/auth.py", "--json").json["paused"] is True


def test_why_not_takes_a_path_from_where_one_stands(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = run("remember", "Tokens expire", "--kind", "gotcha", "--about", "src/auth.py", "--json").json
    Path("src").mkdir()
    Path("src/auth.py").write_text("", encoding="utf-8")
    absolute = str(Path("src/auth.py").absolute())
    answer = run("why", "--not", "--file", absolute, "--json").json
    assert answer["place"] == "src/auth.py"
    assert memory_id["memory"]["id"] in [*answer["told"], *(one["memory_id"] for one in answer["silent"])]


@pytest.mark.parametrize("words", [("--prompt", "x"), ("--file", "x"), ("01KA3",)])
def test_what_goes_with_not_alone_is_refused_without_it(run: Run, known: str, words: tuple[str, ...]) -> None:
    assert run("why", *words).code == 2


def test_two_moments_at_once_are_refused(run: Run, known: str) -> None:
    assert "two moments" in run("why", "--not", "--prompt", "x", "--file", "y").err
