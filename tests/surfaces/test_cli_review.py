"""Reviewing at a terminal and elsewhere; who is taken for a person and who is not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel
from tests.builders import an_engine
from tests.capture.test_standing import derived, kept, read
from tests.surfaces.conftest import Run


def a_store(tmp_path: Path) -> Recollect:
    return an_engine(tmp_path / "home" / "data" / "memories.db", embedder=None)


def waiting(tmp_path: Path) -> list[str]:
    """Three memories that wait; their ids, newest first."""
    with a_store(tmp_path) as memory:
        read(memory, 1, "The mirror is fast")
        kept(memory, "The mirror is fast", channel=Channel.READ)
        kept(memory, "Files go together", channel=Channel.OBSERVED, session="s1")
        kept(memory, "Came by an import", channel=Channel.IMPORT)
        return [one.memory.id for one in memory.reviews.pending()]


def state_of(tmp_path: Path, memory_id: str) -> tuple[MemoryState, bool]:
    with a_store(tmp_path) as memory:
        found = memory.show(memory_id)
        return found.state, found.trust.verified


# -- who is a person -------------------------------------------------------------------------------------


def test_at_a_terminal_a_person_speaks(terminal: Run) -> None:
    made = json.loads(terminal("remember", "Typed by hand", "--pin", "--json").out)["memory"]
    assert (made["channel"], made["source"], made["pinned"]) == ("user", "user_taught", True)


def test_without_a_terminal_the_agent_speaks(process: Run) -> None:
    made = process("remember", "From a pipe", "--json").json["memory"]
    assert made["channel"] == "agent"
    said = process("pin", made["id"], "--json")
    assert (said.code, said.error["code"]) == (1, "only_a_person")
    assert said.error["fix"] == "recollect review"


@pytest.mark.parametrize("sign", config.AGENT_SIGNS)
def test_inside_an_agents_environment_the_agent_speaks_even_at_a_terminal(
    person: Run, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(config, "AGENT_PROGRAMS", frozenset())
    assert not config.is_agent_process()
    monkeypatch.setenv(sign, "1")
    assert config.is_agent_process()


def test_an_agent_at_a_terminal_of_its_own_is_still_an_agent(terminal: Run) -> None:
    made = json.loads(terminal("remember", "Noted", "--json", CLAUDECODE="1").out)["memory"]
    assert made["channel"] == "agent"


@pytest.mark.parametrize(
    "name", ["RECOLLECT_AGENT", "CLAUDECODE", "RECOLLECT_PERSON", "RECOLLECT_CHANNEL", "USER"]
)
@pytest.mark.parametrize("value", ["", "0", "false", "user"])
def test_no_variable_makes_a_person_of_an_agent(run: Run, name: str, value: str) -> None:
    made = run("remember", "Noted by whom?", "--json", **{name: value}).json["memory"]
    assert made["channel"] == "agent"


def test_a_program_of_an_agent_among_the_ancestors_is_recognised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("this system does not show its processes as files")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    above = Path(f"/proc/{os.getppid()}/stat").read_text().partition("(")[2].rpartition(")")[0]
    monkeypatch.setattr(config, "AGENT_PROGRAMS", frozenset({above.lower()}))
    assert config.is_agent_process()
    monkeypatch.setattr(config, "AGENT_PROGRAMS", frozenset({"no such program"}))
    assert not config.is_agent_process()


# -- deciding --------------------------------------------------------------------------------------------


def test_at_a_terminal_each_is_decided_by_a_key(terminal: Run, tmp_path: Path) -> None:
    imported, observed, was_read = waiting(tmp_path)
    said = terminal(
        "review",
        answers=[
            ("[q]uit", "x\nc"),
            ("2 of 3", "e"),
            ("New text", "Files always go together\n"),
            ("3 of 3", "r"),
        ],
    )
    assert said.code == 0, said.out
    assert "[read]" in said.out
    assert "from WebFetch: “The mirror is fast”" not in said.out  # its note names no event
    assert state_of(tmp_path, imported) == (MemoryState.ACTIVE, True)
    assert state_of(tmp_path, observed) == (MemoryState.ACTIVE, True)
    assert state_of(tmp_path, was_read) == (MemoryState.ARCHIVED, False)
    with a_store(tmp_path) as memory:
        assert memory.show(observed).text == "Files always go together"
        assert {change.actor for change in memory.history(observed)} == {"user"}
    assert "Nothing waits for you." in terminal("review").out


def test_a_person_who_named_an_editor_edits_there(terminal: Run, tmp_path: Path) -> None:
    first, second, _ = waiting(tmp_path)
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "place = pathlib.Path(sys.argv[-1])\n"
        "text = place.read_text('utf-8')\n"
        "if 'together' in text: place.write_text(text.strip() + '\\nand so do their tests', 'utf-8')\n",
        "utf-8",
    )
    said = terminal(
        "review",
        answers=[("1 of 3", "e"), ("1 of 3", "l"), ("2 of 3", "e"), ("3 of 3", "q")],
        VISUAL="",
        EDITOR=f"{sys.executable} {script}",
    )
    assert said.code == 0, said.out
    assert "New text" not in said.out
    assert "Nothing was changed." in said.out
    with a_store(tmp_path) as memory:
        assert memory.show(second).text.endswith("together\nand so do their tests")
        assert [change.actor for change in memory.history(first)] == ["user"]


def test_later_and_quit_leave_things_as_they_are(terminal: Run, tmp_path: Path) -> None:
    ids = waiting(tmp_path)
    said = terminal("review", answers=[("1 of 3", "l"), ("2 of 3", "q")])
    assert said.code == 0
    assert "3 of 3" not in said.out
    with a_store(tmp_path) as memory:
        assert [one.memory.id for one in memory.reviews.pending()] == ids


def test_a_decision_is_taken_back_and_made_again(terminal: Run, tmp_path: Path) -> None:
    first, second, third = waiting(tmp_path)
    said = terminal(
        "review",
        answers=[("[q]uit", key) for key in ("u", "r", "u", "c", "r", "u", "l", "u", "r", "u", "q")],
    )
    assert said.code == 0, said.out
    assert "There is nothing to take back yet." in said.out
    assert said.out.count("Took back: reject") == 3
    assert said.out.rindex("2 of 3") > said.out.rindex("3 of 3")
    assert "1 confirmed, 2 left for later." in said.out
    assert state_of(tmp_path, first) == (MemoryState.ACTIVE, True)
    assert state_of(tmp_path, second) == (MemoryState.ACTIVE, False)
    assert state_of(tmp_path, third) == (MemoryState.QUARANTINED, False)
    with a_store(tmp_path) as memory:
        assert [change.action for change in memory.history(first)][-3:] == ["reject", "undo", "confirm"]
        assert [one.memory.id for one in memory.reviews.pending()] == [second, third]


def test_an_enter_after_a_key_answers_nothing_else(terminal: Run, tmp_path: Path) -> None:
    first, second, _ = waiting(tmp_path)
    said = terminal(
        "review", answers=[("[q]uit", "e\n"), ("New text", "In other words\n"), ("[q]uit", "\n\nq")]
    )
    assert said.code == 0, said.out
    with a_store(tmp_path) as memory:
        assert memory.show(first).text == "In other words"
        assert memory.show(second).trust.verified is False


def test_the_end_of_input_ends_a_review_and_keeps_what_was_decided(terminal: Run, tmp_path: Path) -> None:
    first, second, _ = waiting(tmp_path)
    said = terminal("review", answers=[("[q]uit", "c"), ("[q]uit", "\x04")])
    assert (said.code, "Stopped." in said.out) == (130, True)
    assert state_of(tmp_path, first) == (MemoryState.ACTIVE, True)
    assert state_of(tmp_path, second)[1] is False


def test_the_end_of_a_session_is_reviewed_by_keys(terminal: Run, tmp_path: Path) -> None:
    with a_store(tmp_path) as memory:
        used = kept(memory, "WAL mode is needed", kind="gotcha")
        kept(memory, "Clicks fail while a modal moves", channel=Channel.OBSERVED, session="s1")
        kept(memory, "Commit a3f9: changed auth.ts", channel=Channel.COMMIT, session="s1")
        kept(memory, "Of another session", channel=Channel.OBSERVED, session="s0")
        memory.reviews.note_applied("s1", [used])
    said = terminal("review", "--session", "s1", answers=[("1 of 1", "c")])
    assert said.code == 0, said.out
    groups = ["APPLIED", "WAL mode", "AUTO-CONFIRMED", "[commit_auto] Commit a3f9", "NEW — REVIEW REQUIRED"]
    groups += ["1 of 1", "[observed]", "Clicks fail", "Confirmed", "1 confirmed."]
    places = [said.out.index(text) for text in groups]
    assert places == sorted(places)
    assert "Of another session" not in said.out
    with a_store(tmp_path) as memory:
        assert [one.memory.text for one in memory.reviews.pending()] == ["Of another session"]


def test_elsewhere_it_is_a_list_that_changes_nothing(process: Run, tmp_path: Path) -> None:
    ids = waiting(tmp_path)
    said = process("review")
    assert said.code == 0
    assert said.out.index("Came by an import") < said.out.index("The mirror is fast")
    assert "by the way read; not used before a yes" in said.out
    assert "session s1" in said.out
    found = process("review", "--json").json["waiting"]
    assert [one["memory"]["id"] for one in found] == ids
    assert [one["badge"] for one in found] == ["import", "observed", "read"]
    assert [one["origin"] for one in found] == ["brought", "observed", "read"]


def test_an_agent_may_flag_and_nothing_else(run: Run, tmp_path: Path) -> None:
    ids = waiting(tmp_path)
    for words in (("confirm", ids[0]), ("reject", ids[0]), ("correct", ids[0], "Other"), ("correct", ids[0])):
        said = run("review", *words, "--json")
        assert (said.code, said.error["code"]) == (1, "only_a_person"), words
    assert "Flagged" in run("review", "flag", ids[1], "--why", "wrong").out
    assert state_of(tmp_path, ids[1]) == (MemoryState.INACTIVE, False)


def test_a_person_decides_by_command(person: Run, tmp_path: Path) -> None:
    one, two, three = waiting(tmp_path)
    assert "Confirmed" in person("review", "confirm", one, two).out
    assert "Corrected (outdated)" in person("review", "correct", one).out
    assert "Corrected (duplicate)" in person("review", "correct", two, "--of", one).out
    assert "Corrected (inaccurate)" in person("review", "correct", three, "The mirror is slow").out
    assert "Rejected" in person("review", "reject", three).out
    assert person("review", "correct", three, "--as", "nonsense").code == 2
    assert person("review", "correct", three, "--as", "inaccurate").code == 2
    for _ in range(2):
        assert person("undo", three).code == 0
    assert state_of(tmp_path, three) == (MemoryState.QUARANTINED, False)


def test_a_session_is_shown_in_three_groups(run: Run, tmp_path: Path) -> None:
    waiting(tmp_path)
    with a_store(tmp_path) as memory:
        used = kept(memory, "WAL mode is needed", kind="gotcha")
        kept(memory, "Commit a3f9: changed auth.ts", channel=Channel.COMMIT, session="s1")
        memory.reviews.note_applied("s1", [used])
    said = run("review", "--session", "last").out
    groups = ["APPLIED", "[gotcha] [user_taught] WAL mode", "NEW — REVIEW REQUIRED", "[observed]"]
    groups += ["AUTO-CONFIRMED", "[commit_auto] Commit a3f9"]
    places = [said.index(text) for text in groups]
    assert places == sorted(places)
    found = run("review", "--session", "s1", "--json").json
    assert [len(found[name]) for name in ("applied", "waiting", "confirmed")] == [1, 1, 1]
    assert run("review", "--session", "s9", "--json").error["code"] == "not_found"


# -- forgetting a source ---------------------------------------------------------------------------------


def test_a_source_is_forgotten_with_a_report(run: Run, person: Run, tmp_path: Path) -> None:
    with a_store(tmp_path) as memory:
        bad = kept(memory, "Trust the mirror", channel=Channel.AGENT, session="bad")
        child = derived(memory, "Mirrors are trusted", bad)
        kept(memory, "Deploys run at night")
    rehearsed = run("forget", "--source", "session:bad", "--dry-run", "--json").json
    assert [item["id"] for item in rehearsed["own"]] == [bad.id]
    assert [(one["steps"], one["memory"]["id"]) for one in rehearsed["derived"]] == [(1, child.id)]
    assert run("list", "--json").json["total"] == 3
    assert run("forget", "--source", "session:bad").code == 2  # nobody can be asked
    said = run("forget", "--source", "session:bad", "--yes")
    assert "Forgot " in said.out
    assert "Forgot, 1 step away," in said.out
    assert [item["text"] for item in run("list", "--json").json["memories"]] == ["Deploys run at night"]
    run("undo")
    assert run("list", "--json").json["total"] == 3
    assert "Purged" in person("forget", "--source", "session:bad", "--purge", "--yes").out
    assert run("show", bad.id).code == 1


def test_a_source_is_forgotten_as_a_whole(run: Run, tmp_path: Path) -> None:
    waiting(tmp_path)
    assert run("forget", "--source", "read", "--kind", "fact", "--yes").code == 2
    assert run("forget", "01", "--source", "read", "--yes").code == 2
    assert run("forget", "--source", "nonsense", "--yes").code == 2
    assert "Nothing was changed" in run("forget", "--source", "plugin", "--yes").out


# -- imports ---------------------------------------------------------------------------------------------


def test_only_a_person_says_that_an_import_is_theirs(run: Run, person: Run) -> None:
    person("remember", "Tabs, please", "--kind", "preference", "--pin")
    run("export", "out.jsonl")
    assert (
        run("import", "memories", "out.jsonl", "--mine", "--db", "a.db", "--json").error["code"]
        == "only_a_person"
    )
    assert "wait for a yes" in run("import", "memories", "out.jsonl", "--db", "b.db").err
    person("import", "memories", "out.jsonl", "--mine", "--db", "c.db")
    found = {
        name: run("list", "--state", "active", "--state", "quarantined", "--db", name, "--json").json[
            "memories"
        ][0]
        for name in ("b.db", "c.db")
    }
    assert [found["b.db"][part] for part in ("state", "channel", "pinned")] == [
        "quarantined",
        "import",
        False,
    ]
    assert [found["c.db"][part] for part in ("state", "channel", "pinned")] == ["active", "user", True]
