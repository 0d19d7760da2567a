"""Sessions on the command line: past ones in, all of them out, and what the doctor says about recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.events import inbox as mail
from tests.events.test_transcripts import a_result, a_use, claude, jsonl
from tests.surfaces.conftest import Run

LINE = '{"id":"%s","type":"prompt","at":"2026-03-04T10:00:00+00:00","session_id":"s1","text":"go"}'


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    here = {"cwd": str(tmp_path / "work")}
    return jsonl(
        tmp_path / ".claude" / "projects" / "work" / "s1.jsonl",
        claude("user", 1, "Round prices") | here,
        claude("assistant", 2, [a_use("toolu_1", "Bash", command="pytest -q")]) | here,
        claude("user", 3, [a_result("toolu_1", "12 passed")]) | here,
        {"type": "tomorrow"},
    )


def test_past_sessions_are_found_and_summed_up(run: Run, transcript: Path) -> None:
    said = run("import", "sessions")
    assert said.code == 0
    assert said.out == "1 sessions, 4 events taken in, 1 lines not understood.\n"
    again = run("import", "sessions", "--json").json
    assert (again["events"], again["unchanged"]) == (0, 1)


def test_a_dry_run_makes_nothing(run: Run, transcript: Path, tmp_path: Path) -> None:
    assert "4 events could be read" in run("import", "sessions", "claude-code", "--dry-run").out
    assert not (tmp_path / "home" / "data").exists()


def test_a_file_can_be_named(run: Run, transcript: Path) -> None:
    found = run("import", "sessions", "claude-code", str(transcript), "--json").json
    assert (found["sessions"], found["events"], found["unknown"]) == (1, 4, {"tomorrow": 1})


def test_a_reader_that_was_never_tried_says_so(run: Run, tmp_path: Path) -> None:
    trajectory = tmp_path / "t.traj"
    trajectory.write_text(json.dumps({"trajectory": [{"action": "ls", "observation": "a"}]}))
    assert "never tried on a real file" in run("import", "sessions", "swe-agent", str(trajectory)).err


def test_an_unknown_client_is_refused_with_the_known_ones(run: Run) -> None:
    said = run("import", "sessions", "emacs", "--json")
    assert said.code == 1
    assert "claude-code" in said.error["message"]


def test_sessions_are_written_a_file_each(run: Run, transcript: Path, tmp_path: Path) -> None:
    run("import", "sessions")
    out = tmp_path / "out"
    assert run("export", "sessions", str(out), "--json").json["exported"] == 1
    (file,) = out.iterdir()
    assert json.loads(file.read_text())["schema_version"] == "ATIF-v1.4"


def test_export_without_a_second_word_is_still_memories(run: Run, tmp_path: Path) -> None:
    run("remember", "Prices are in cents")
    file = tmp_path / "m.jsonl"
    assert run("export", str(file)).code == 0
    assert len(file.read_text().splitlines()) == 2
    assert "Prices are in cents" in run("export").out
    assert "sessions" in run("export", "--help").out


def test_the_doctor_tells_what_the_inbox_lost(run: Run, tmp_path: Path) -> None:
    run("remember", "Prices are in cents")
    inbox = mail.inbox_path(str(tmp_path / "home" / "data" / "memories.db"))
    mail.append(inbox, [LINE % "a", "half a li"])
    mail.append(inbox, [LINE % "b"], most_bytes=1)
    found = [finding for finding in run("doctor", "--json").json["findings"] if finding["check"] == "inbox"]
    assert [finding["verdict"] for finding in found] == ["warn", "warn"]
    assert "1 events were dropped" in found[0]["detail"]
    assert "1 lines were left half" in found[1]["detail"]
    run("doctor", "--fix")
    found = [finding for finding in run("doctor", "--json").json["findings"] if finding["check"] == "inbox"]
    assert [finding["verdict"] for finding in found] == ["pass"]
    assert not mail.has_waiting(inbox)
