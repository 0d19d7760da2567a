"""What is said on a command line is heeded, or refused with a word on what to say instead; never passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.config import SESSION_VARIABLES
from recollect.model.provenance import Channel
from tests.builders import an_engine
from tests.capture.test_standing import kept
from tests.git.repos import a_repository, isolate
from tests.surfaces.conftest import Run
from tests.surfaces.test_cli_commands import a_store

# A call, and what its refusal has to name: the option passed over, and the way out.
PASSED_OVER = [
    (("mcp", "--port", "7733"), "--port", "--http"),
    (("learn", "--history", "--session", "s1"), "--session", "--history"),
    (("settle", "--both"), "--both", "two memories"),
    (("settle", "--why", "newer"), "--why", "two memories"),
    (("context", "--layouts", "--task", "fix it"), "--task", "lists"),
    (("context", "--layouts", "--relay", "planner:coder"), "--relay", "lists"),
    (("context", "--relay", "planner:coder", "--budget", "100"), "--budget", "--work"),
    (("recall", "x", "--as", "task", "--phase", "implement"), "--phase", "--as"),
    (("recall", "x", "--as", "error", "--wide"), "--wide", "--as"),
    (("recall", "x", "--as", "error", "--around", "monday"), "--around", "--as"),
    (("recall", "x", "--as", "task", "--kind", "gotcha"), "--kind", "recipes"),
    (("forget", "ID", "--about", "src/other.py"), "--about", "filters"),
    (("forget", "ID", "--all-projects"), "--all-projects", "filters"),
    (("forget", "--source", "read", "--state", "quarantined"), "filters", "source"),
    (("forget", "ID", "--purge", "--why", "a secret"), "--why", "no history"),
    (("review", "--kind", "gotcha", "confirm", "ID"), "--kind", "review confirm"),
    (("review", "--session", "last", "reject", "ID"), "--session", "review reject"),
    (("review", "--list", "flag", "ID"), "--list", "review flag"),
    (("scan", "--proposals", "--module", "auth"), "--module", "whole project"),
    (("init", "--db", "x.db", "--yes"), "--db", "config set db"),
]


@pytest.mark.parametrize(
    ("words", "option", "instead"), PASSED_OVER, ids=[" ".join(words) for words, _, _ in PASSED_OVER]
)
def test_an_option_that_would_do_nothing_is_refused(
    person: Run, words: tuple[str, ...], option: str, instead: str
) -> None:
    memory_id = a_store(person)
    before = person("list", "--json").json
    said = person(*(memory_id if word == "ID" else word for word in words), "--json")
    assert said.code == 2, said
    assert option in said.error["message"]
    assert instead in said.error["message"]
    assert person("list", "--json").json == before


@pytest.mark.parametrize(
    "words",
    [
        ("demo",),
        ("completion", "bash"),
        ("config", "set", "recall.limit", "3"),
    ],
    ids=" ".join,
)
def test_what_opens_no_memory_lets_nobody_name_one(run: Run, words: tuple[str, ...]) -> None:
    said = run(*words, "--db", "x.db", "--json")
    assert said.code == 2
    assert "--db" in said.error["message"]


def test_what_was_said_before_a_command_of_a_group_holds_inside_it(person: Run) -> None:
    a_store(person)
    person("remember", "Elsewhere", "--db", "other.db")
    other = person("list", "--db", "other.db", "--json").json["memories"][0]["id"]
    assert "Flagged" in person("review", "--db", "other.db", "flag", other).out
    assert person("show", other, "--db", "other.db", "--json").json["memory"]["state"] == "inactive"


def test_a_project_said_before_a_command_of_a_group_holds_inside_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, tmp_path / "git-home")
    a_repository(tmp_path / "site")
    run("methods", "--project", str(tmp_path / "site"), "use", "tdd")
    assert (tmp_path / "site" / ".recollect" / "config.toml").exists()
    assert not Path(".recollect").exists()


def test_a_session_is_reviewed_in_the_state_asked_for(run: Run, tmp_path: Path) -> None:
    with an_engine(tmp_path / "home" / "data" / "memories.db", embedder=None) as memory:
        kept(memory, "Clicks fail while a modal moves", channel=Channel.OBSERVED, session="s1")
        kept(memory, "The mirror is fast", channel=Channel.READ, session="s1")
    shown = run("review", "--session", "s1", "--state", "quarantined", "--json").json["waiting"]
    assert [one["memory"]["text"] for one in shown] == ["The mirror is fast"]
    assert len(run("review", "--session", "s1", "--json").json["waiting"]) == 2


def test_more_recipes_are_shown_when_more_are_asked_for(run: Run) -> None:
    for number in range(4):
        run(
            "remember",
            f"Way {number}: register the payment provider in part {number}, then run check {number * 7}",
            "--kind",
            "workflow_recipe",
            "--field",
            "task_pattern=add a payment provider",
        )
    asked = ("recall", "add a payment provider", "--as", "task", "--json")
    assert len(run(*asked).json["hits"]) == 2
    assert len(run(*asked, "--limit", "3").json["hits"]) == 3
    assert len(run(*asked, "--limit", "1").json["hits"]) == 1


def test_a_dead_end_belongs_to_the_session_it_is_run_in(run: Run) -> None:
    run("work", "start", "spec_1", "--session", "newest")
    said = run("work", "dead-end", "caching the token", "--json", **{SESSION_VARIABLES[0]: "mine"})
    assert said.json["session"] == "mine"
