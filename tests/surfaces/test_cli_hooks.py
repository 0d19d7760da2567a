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
