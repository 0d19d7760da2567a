"""`recollect learn`, `foresee`, `notes`, `validate`, `work`, `qa` and `bench replay`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.event import EventType
from tests.surfaces.conftest import Run


@pytest.fixture
def session(run: Run) -> str:
    """A session of the folder that was begun and noted something."""
    with Recollect() as memory:
        memory.observer.record(EventType.SESSION_STARTED, session="s1", data={"branch": "topic"})
        memory.observer.record(
            EventType.TOOL_FINISHED,
            session="s1",
            tool="Edit",
            action="edit",
            files=("src/price.py",),
            ok=True,
            call_id="c1",
        )
        memory.observer.note("Prices are kept in cents", session="s1", kind="gotcha")
    return "s1"


def test_a_verdict_makes_the_notes_of_a_session_memories(session: str, run: Run) -> None:
    assert "[open] gotcha: Prices are kept in cents" in run("notes").out
    assert "Prices are kept in cents" not in run("list").out
    assert run("validate", "pass").code == 0
    learned = run("learn", "--session", session, "--json").json["sessions"][0]
    assert learned["verdicts"][0]["verdict"] == "passed"
    assert [found["text"] for found in learned["memories"]] == ["Prices are kept in cents"]
    assert "[promoted] gotcha: Prices are kept in cents" in run("notes", "--session", session).out
    assert "Prices are kept in cents" in run("list").out


def test_a_failed_verdict_discards_them(session: str, run: Run) -> None:
    run("validate", "fail", "--why", "the sums are wrong")
    assert run("learn", "--session", session).out == "1 sessions, 0 memories.\n"
    notes = run("notes", "--json").json["notes"]
    assert {(note["state"], note["why"]) for note in notes} == {("discarded", "the sums are wrong")}


def test_units_of_work_are_begun_and_finished(session: str, run: Run) -> None:
    said = run("work", "start", "spec/1", "--planned", "3", "--complexity", "trivial")
    assert said.out == "native:spec/1 begins.\n"
    assert run("work", "finish", "spec/1", "--outcome", "failed", "--json").json["session"] == session
    found = run("learn", "--session", session, "--json").json["sessions"][0]["memories"]
    assert [one["kind"] for one in found] == ["work_unit_outcome"]


def test_a_dead_end_is_said_and_kept_once_the_work_passed(session: str, run: Run) -> None:
    said = run(
        "work", "dead-end", "rounding in SQL", "--why", "it has no decimals", "--about", "src/price.py"
    )
    assert said.out == "Noted for session s1; what worked instead will tell.\n"
    run("validate", "pass")
    found = run("learn", "--session", session, "--json").json["sessions"][0]["memories"]
    assert "Leads nowhere: rounding in SQL; because it has no decimals." in [one["text"] for one in found]


def test_upkeep_learns_from_sessions_that_are_over(session: str, run: Run) -> None:
    with Recollect() as memory:
        memory.observer.validate("pass", session=session)
        memory.observer.record(EventType.SESSION_ENDED, session=session)
    run("upkeep", "--dry-run")
    assert "Prices are kept in cents" not in run("list").out
    run("upkeep")
    assert "Prices are kept in cents" in run("list").out


def test_a_recipe_that_failed_is_stale(run: Run) -> None:
    recipe = run("remember", "Bump, tag, push", "--kind", "workflow_recipe", "--json").json
    fact = run("remember", "Tags are signed", "--json").json
    run("feedback", recipe["memory"]["id"], "failed", "--why", "the tag hook is gone")
    assert "[STALE — it was followed and failed: the tag hook is gone]" in run("recall", "bump tag push").out
    assert "only a workflow_recipe can fail" in run("feedback", fact["memory"]["id"], "failed").err


def test_without_a_session_there_is_nothing_to_judge(run: Run) -> None:
    run("remember", "Something else")
    assert run("validate", "pass", "--json").error["code"] == "not_found"


def test_a_qa_report_is_taken_in(run: Run) -> None:
    Path("report.json").write_text(
        json.dumps({"issues": [{"severity": "high", "description": "The export is empty"}]})
    )
    answer = run("qa", "report.json").out
    assert answer.startswith(
        "1 issue remembered; 1 of them quote the report's own words and wait for your yes"
    )
    assert "The export is empty" not in run("list").out
    assert "The export is empty" in run("list", "--state", "quarantined").out


def test_a_report_that_is_not_there_is_named(run: Run) -> None:
    assert "report.json cannot be read" in run("qa", "report.json", "--json").error["message"]


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        '{"issues": {}}',
        '{"issues": [3]}',
        '{"issues": [{"severity": "awful", "description": "x"}]}',
        '{"issues": [{"severity": "high", "description": " "}]}',
        '{"issues": [{"severity": "high", "description": "x", "file": 3}]}',
        '{"issues": [], "verdict": "perhaps"}',
    ],
)
def test_a_bad_report_is_refused_as_a_whole(run: Run, text: str) -> None:
    run("remember", "Something else")
    Path("report.json").write_text(text)
    assert run("qa", "report.json", "--json").error["code"] == "bad_input"
    assert run("list", "--json").json["total"] == 1


def test_a_note_is_written_into_the_scratchpad_and_rises_with_the_rest(session: str, run: Run) -> None:
    said = run("note", "Uploads need WAL mode", "--kind", "gotcha", "--about", "src/upload.py", "--json").json
    assert (said["session"], said["kind"], said["about"]) == (session, "gotcha", ["file:src/upload.py"])
    assert "[open] gotcha: Uploads need WAL mode" in run("notes").out
    assert "Uploads need WAL mode" not in run("list").out
    run("validate", "pass")
    run("learn", "--session", session)
    assert "Uploads need WAL mode" in run("list").out


def test_a_note_that_is_not_there_cannot_be_reworded(session: str, run: Run) -> None:
    assert run("reword", "ffff", "Better words", "--json").error["code"] == "not_found"
    own = run("notes", "--json").json["notes"][0]
    assert "keeps its words" in run("reword", own["id"], "Better words", "--json").error["message"]


def test_the_files_of_a_task_are_foreseen_with_reasons(session: str, run: Run) -> None:
    Path("src").mkdir()
    Path("src/price.py").write_text("x")
    nothing = run("foresee", "look at price.py")
    assert nothing.out.startswith("Nothing is foreseen: ")
    run("learn", "--session", session)
    said = run("foresee", "look at price.py", "--branch", "topic")
    assert "src/price.py  (named in the prompt; " in said.out
    (found,) = run("foresee", "look at price.py", "--branch", "topic", "--json").json["files"]
    assert found["path"] == "src/price.py"
    assert 0 < found["score"] <= 1
    assert "edited on this branch, in one session" in found["reasons"]
    assert run("foresee", "go on", "--file", "src/price.py", "--json").json["files"] == []


def test_inside_an_agents_session_that_one_is_meant_though_another_was_heard_of_later(
    session: str, run: Run
) -> None:
    with Recollect() as memory:
        memory.observer.record(EventType.SESSION_STARTED, session="s2")
    assert run("note", "Of the newest", "--json").json["session"] == "s2"
    assert run("note", "Of its own", "--json", CLAUDE_CODE_SESSION_ID=session).json["session"] == session
    assert (
        run("note", "Of another", "--session", "s2", "--json", CLAUDE_CODE_SESSION_ID=session).json["session"]
        == "s2"
    )
