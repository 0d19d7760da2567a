"""The commands `methods` and `context`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.surfaces.conftest import Run


def test_methods_shows_which_is_active_and_why(run: Run) -> None:
    Path("CLAUDE.md").write_text("We work by TDD.", encoding="utf-8")
    said = run("methods").out
    assert "* tdd        TDD (red, green, refactor)  built in\n" in said
    assert "active: CLAUDE.md asks for it" in said
    assert {one["id"]: one["active"] for one in run("methods", "--json").json["methods"]} == {
        "native": False,
        "bmad": False,
        "tdd": True,
        "agile": False,
    }


def test_methods_use_switches_here_and_auto_goes_by_the_files_again(run: Run) -> None:
    assert "Active: agile" in run("methods", "use", "agile").out
    assert 'methodology = "agile"' in Path(".recollect/config.toml").read_text("utf-8")
    assert [one["id"] for one in run("methods", "--json").json["methods"] if one["active"]] == ["agile"]
    assert "Active: native" in run("methods", "use", "auto").out


def test_a_methodology_nobody_knows_changes_nothing(run: Run) -> None:
    said = run("methods", "use", "kanban", "--json")
    assert said.code == 1
    assert said.error["code"] == "not_found"
    assert not Path(".recollect").exists()


def test_the_environment_has_a_say_and_it_is_told(run: Run) -> None:
    said = run("methods", RECOLLECT_METHODOLOGY="bmad").out
    assert "active: set by the environment RECOLLECT_METHODOLOGY" in said


def test_one_that_is_set_and_not_installed_is_said_and_native_stands_in(run: Run) -> None:
    said = run("methods", RECOLLECT_METHODOLOGY="kanban").out
    assert "active: the environment RECOLLECT_METHODOLOGY asks for kanban, which is not installed" in said


def test_state_shows_unit_phase_and_open_work(run: Run) -> None:
    subprocess.run(["git", "init", "-q", "-b", "spec/042"], check=True)
    assert "unit: Spec 042 (native:spec_042)\nphase: no session yet\n" in run("methods", "state").out
    said = run("methods", "state", "--json").json
    assert (said["unit"], said["label"], said["phase"], said["states"]) == (
        "native:spec_042",
        "Spec 042",
        None,
        [],
    )


def test_context_hands_over_from_one_stage_to_the_next(person: Run) -> None:
    subprocess.run(["git", "init", "-q", "-b", "spec/042"], check=True)
    person("remember", "We cap retries at three", "--kind", "decision", "--work", "native:spec_042")
    said = person("context", "--relay", "planner:coder")
    assert "We cap retries at three" in said.out
    assert "1 memory, about" in said.err
    form = person("context", "--relay", "planner:coder", "--json").json
    assert len(form["memories"]) == 1
    assert "We cap retries at three" in form["text"]


def test_nothing_to_hand_over_is_said(person: Run) -> None:
    person("remember", "Of no unit")
    said = person("context", "--relay", "planner:coder")
    assert (said.code, said.out) == (0, "")
    assert "Nothing goes from planner to coder just now." in said.err


def test_a_relay_is_written_with_a_colon(person: Run) -> None:
    person("remember", "Something")
    assert person("context", "--relay", "planner", "--json").error["code"] == "bad_input"


def test_recall_takes_a_phase_of_the_way_of_working(run: Run, person: Run) -> None:
    person("remember", "The price is rounded", "--kind", "gotcha")
    hits = run("recall", "price", "--phase", "green", "--json", RECOLLECT_METHODOLOGY="tdd").json["hits"]
    assert any(part["words"] == "implement" for part in hits[0]["why"] if part["part"] == "phase")
    assert run("recall", "price", "--phase", "juggling", "--json").error["code"] == "not_found"
