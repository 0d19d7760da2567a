"""What is said when: each moment, each client's own ways, and silence everywhere else."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.config import user_file
from recollect.inject.render import parse_blocks
from recollect.model.memory import Memory, Remembered
from recollect.model.provenance import Channel
from tests.git.repos import git
from tests.hooks.hooking import HOOK, Hooks

GOTCHA = "Tokens expire after five minutes, so refresh them before every call"
ASKED = "when do tokens expire, and who has to refresh them?"


def remembered(
    hooks: Hooks, text: str = GOTCHA, *, channel: Channel = Channel.USER, **details: Any
) -> Memory:
    with hooks.memory(channel) as memory:
        return _kept(memory, text, **({"kind": "gotcha", "about": ["src/auth.py"]} | details))


def _kept(memory: Recollect, text: str, **details: Any) -> Memory:
    answer = memory.remember(text, **details)
    assert isinstance(answer, Remembered)
    return answer.memory


def prompts(hooks: Hooks) -> list[str]:
    with hooks.memory() as memory:
        memory.observer.drain()
        return [event.text for event in memory.observer.events(hooks.session) if event.type == "prompt"]


# -- prompts ---------------------------------------------------------------------------------------------


def test_a_prompt_is_told_what_fits_with_a_chip_to_cite_and_the_person_what_it_cost(hooks: Hooks) -> None:
    known = remembered(hooks)
    answer = hooks.send("UserPromptSubmit", prompt=ASKED)
    (block,) = parse_blocks(answer["hookSpecificOutput"]["additionalContext"])
    (item,) = block.items
    assert (item.kind, item.name, item.about, item.text) == ("gotcha", known.id[:13], "src/auth.py", GOTCHA)
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert answer["systemMessage"].startswith("recollect: 1 memory, ")
    assert answer["systemMessage"].endswith(" tokens — recollect why")


def test_a_prompt_about_something_else_is_met_with_silence(hooks: Hooks) -> None:
    remembered(hooks)
    assert hooks.send("UserPromptSubmit", prompt="rename the heading of the imprint page") == {}


def test_later_prompts_are_told_only_what_is_new(hooks: Hooks) -> None:
    remembered(hooks)
    assert GOTCHA in hooks.ask(ASKED)
    assert hooks.ask(ASKED) == ""
    remembered(hooks, "Expired invoices are archived by the worker", about=["src/worker.py"])
    again = hooks.ask("who archives expired invoices, the worker?")
    assert "archived by the worker" in again
    assert GOTCHA not in again


def test_another_session_is_told_anew(hooks: Hooks) -> None:
    remembered(hooks)
    assert GOTCHA in hooks.ask(ASKED)
    hooks.session = "another"
    assert GOTCHA in hooks.ask(ASKED)


@pytest.mark.parametrize(
    "text",
    [
        f"<task-notification>\n<task-id>a1</task-id> {ASKED}\n</task-notification>",
        f"<system-reminder>{ASKED}</system-reminder>",
        f"[SYSTEM NOTIFICATION] {ASKED}",
    ],
)
def test_a_prompt_that_a_machine_wrote_is_recorded_and_not_answered(hooks: Hooks, text: str) -> None:
    remembered(hooks)
    assert hooks.send("UserPromptSubmit", prompt=text) == {}
    assert len(prompts(hooks)) == 1
    # It is no first prompt either: the person's own is.
    assert GOTCHA in hooks.ask(ASKED)


def test_however_much_is_known_it_stays_below_what_clients_take_whole(hooks: Hooks) -> None:
    with hooks.memory() as memory:
        memory.remember_many(
            [
                memory.draft(f"Tokens expire and refresh, case {n}: " + f"word{n} " * 400, kind="preference")
                for n in range(30)
            ]
        )
    told = hooks.told("SessionStart", source="startup")
    assert 0 < len(told) < 9_000
    assert len(parse_blocks(told)[0].items) >= 1


def test_recipes_and_files_to_open_come_with_the_first_prompt(hooks: Hooks) -> None:
    remembered(hooks, "Refresh of tokens: edit auth.py, then run make keys", kind="workflow_recipe", about=[])
    remembered(hooks, "Work on tokens that expire needs src/clock.py too", kind="causal_dependency")
    assert "make keys" in hooks.ask("refresh of tokens: edit auth.py and run what?")
    hooks.session = "another"
    assert "src/clock.py" in hooks.ask("work on tokens that expire")


# -- files -----------------------------------------------------------------------------------------------


def test_a_file_is_told_about_once_when_it_is_opened_or_edited(hooks: Hooks) -> None:
    remembered(hooks)
    assert hooks.read("src/other.py") == ""
    assert GOTCHA in hooks.read("src/auth.py")
    assert hooks.read("src/auth.py") == ""
    assert hooks.edit("src/auth.py", "300", "600") == ""
    hooks.session = "another"
    assert GOTCHA in hooks.edit("src/auth.py", "600", "700")


def test_a_project_reached_by_a_link_is_the_same_project(hooks: Hooks, tmp_path: Path) -> None:
    remembered(hooks)
    (tmp_path / "link").symlink_to(hooks.project)
    hooks.project = tmp_path / "link"
    assert GOTCHA in hooks.read("src/auth.py")


def test_a_word_about_a_symbol_in_the_file_is_a_word_about_the_file(hooks: Hooks) -> None:
    remembered(hooks, about=["symbol:src/auth.py::refresh"])
    assert GOTCHA in hooks.read("src/auth.py")


def test_an_interruption_must_be_stood_by_or_borne_out_in_two_sessions(hooks: Hooks) -> None:
    known = remembered(hooks, channel=Channel.OBSERVED, session="first")
    for _ in range(2):
        # To be among the hits of a question proves nothing.
        with hooks.memory(Channel.AGENT) as memory:
            assert memory.recall(GOTCHA).hits[0].memory.id == known.id
    assert hooks.read("src/auth.py") == ""
    with hooks.memory(Channel.OBSERVED) as memory:
        memory.remember(GOTCHA, kind="gotcha", about=["src/auth.py"], session="second")
    assert GOTCHA in hooks.read("src/auth.py")


def test_a_note_that_no_work_proved_never_interrupts(hooks: Hooks) -> None:
    known = remembered(hooks, channel=Channel.AGENT)
    for _ in range(3):
        with hooks.memory(Channel.AGENT) as memory:
            assert memory.recall("tokens").hits[0].memory.id == known.id
    assert hooks.read("src/auth.py") == ""


@pytest.mark.parametrize("kind", ["decision", "requirement", "preference", "correction", "fact"])
def test_whatever_a_person_said_of_a_file_is_told_when_it_is_opened_or_edited(
    hooks: Hooks, kind: str
) -> None:
    remembered(hooks, "Tokens are called tickets here", kind=kind)
    assert "called tickets" in hooks.read("src/auth.py")
    hooks.session = "another"
    assert "called tickets" in hooks.edit("src/auth.py", "300", "600")


def test_other_files_and_what_is_about_a_file_that_is_gone_do_not_interrupt(hooks: Hooks) -> None:
    remembered(hooks, "Tokens are called tickets here", kind="decision", about=["src/other.py"])
    remembered(hooks, "Two files must agree on the lifetime", about=["src/auth.py", "src/other.py"])
    git(hooks.project, "rm", "-q", "src/other.py")
    git(hooks.project, "commit", "-q", "-m", "Remove it")
    with hooks.memory() as memory:
        memory.staleness.sweep()
        assert len(memory.staleness.listed()) == 2
    assert hooks.read("src/auth.py") == ""


def test_at_most_four_and_no_flood_from_one_source(hooks: Hooks) -> None:
    for number in range(9):
        remembered(hooks, f"auth.py has trap number {number}: {'abcdefghi'[number] * 9}")
    assert len(parse_blocks(hooks.read("src/auth.py"))[0].items) == 4


def test_a_flood_of_notes_of_one_session_gets_one_place(hooks: Hooks) -> None:
    for number in range(6):
        text = f"trap {number}: {'abcdefghi'[number] * 9}"
        remembered(hooks, text, channel=Channel.OBSERVED, session="flood")
        with hooks.memory(Channel.OBSERVED) as memory:
            memory.remember(text, kind="gotcha", about=["src/auth.py"], session="again")
    assert len(parse_blocks(hooks.read("src/auth.py"))[0].items) == 1


def test_what_an_agent_noted_itself_comes_back_only_after_a_summary_took_it_away(hooks: Hooks) -> None:
    hooks.send("SessionStart", source="startup")
    with hooks.memory(Channel.AGENT) as memory:
        memory.observer.note(
            "auth.py is generated", session=hooks.session, kind="gotcha", about=["src/auth.py"]
        )
    assert hooks.read("src/auth.py") == ""
    hooks.send("PostCompact", trigger="auto", compact_summary="We worked on tokens.")
    hooks.told("SessionStart", source="compact")
    told = hooks.read("src/auth.py")
    assert "auth.py is generated" in told
    assert "noted in this session" in told
    assert hooks.read("src/auth.py") == ""
    hooks.session = "another"
    assert hooks.read("src/auth.py") == ""


def test_parallel_hooks_tell_a_thing_once(hooks: Hooks) -> None:
    remembered(hooks, about=["src/auth.py", "src/other.py"])
    running = []
    for number, file in enumerate(["src/auth.py", "src/other.py"] * 2):
        payload = hooks.payload("PostToolUse") | {
            "tool_name": "Read",
            "tool_use_id": f"toolu_{number}",
            "tool_input": {"file_path": str(hooks.project / file)},
            "tool_response": {},
        }
        process = subprocess.Popen(
            [*HOOK, "claude-code", "PostToolUse"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=hooks.surroundings(),
        )
        running.append((process, json.dumps(payload).encode()))
    said = [process.communicate(given)[0].decode() for process, given in running]
    assert sum(GOTCHA in answer for answer in said) == 1
    assert hooks.troubles() == []


# -- failures --------------------------------------------------------------------------------------------

FIX = "A missing refresh token is mended by `make keys`"


def test_a_failed_command_is_told_what_mended_the_same_error_before(hooks: Hooks) -> None:
    error = "KeyError: 'refresh_token' at 0x7f3a in /home/kim/shop/src/auth.py:12"
    remembered(hooks, FIX, kind="error_pattern", fields={"error": error}, about=[])
    output = "E   KeyError: 'refresh_token' at 0x11aa in /srv/shop/src/auth.py:99\n1 failed"
    assert FIX in hooks.fail("pytest -q", output)
    assert hooks.fail("pytest -q", output) == ""


def test_another_error_and_a_command_that_passed_are_met_with_silence(hooks: Hooks) -> None:
    remembered(hooks, FIX, kind="error_pattern", fields={"error": "KeyError: 'refresh_token'"}, about=[])
    assert hooks.fail("pytest -q", "E   KeyError: 'other'\n1 failed") == ""
    assert hooks.pass_("pytest -q", "12 passed") == ""


# -- sessions --------------------------------------------------------------------------------------------


def test_a_brief_has_preferences_and_open_work_of_this_branch_and_tells_the_person_what_waits(
    hooks: Hooks,
) -> None:
    remembered(hooks, "Answer in short sentences", kind="preference", about=[])
    remembered(
        hooks,
        "Open work on branch main. Asked for: rounding.",
        kind="work_state",
        fields={"branch": "main"},
        about=[],
    )
    remembered(
        hooks,
        "Open work on branch other. Asked for: taxes.",
        kind="work_state",
        fields={"branch": "other"},
        about=[],
    )
    remembered(hooks, "Always deploy on Fridays", kind="preference", about=[], channel=Channel.AGENT)
    answer = hooks.send("SessionStart", source="startup")
    told = answer["hookSpecificOutput"]["additionalContext"]
    assert "Answer in short sentences" in told
    assert "rounding" in told
    assert "taxes" not in told
    assert "Fridays" not in told
    assert "1 waits for review — recollect review" in answer["systemMessage"]
    assert "review" not in told


def test_a_session_with_nothing_to_be_told_hears_nothing(hooks: Hooks) -> None:
    assert hooks.send("SessionStart", source="startup") == {}


def test_after_a_compaction_the_task_and_what_was_told_come_again_once(hooks: Hooks) -> None:
    remembered(hooks)
    hooks.send("SessionStart", source="startup")
    assert GOTCHA in hooks.ask(ASKED)
    hooks.edit("src/auth.py", "300", "600")
    hooks.ask("now write a test for it")
    hooks.send("PostCompact", trigger="auto", compact_summary="We worked on tokens.")
    told = hooks.told("SessionStart", source="compact")
    assert f"“{ASKED}”" in told
    assert "“now write a test for it”" in told
    assert "src/auth.py" in told
    assert told.count(GOTCHA) == 1
    assert hooks.ask(ASKED) == ""
    assert hooks.read("src/auth.py") == ""


def test_a_subagent_gets_a_brief_of_its_own_and_sees_files_with_its_own_eyes(hooks: Hooks) -> None:
    remembered(hooks)
    assert GOTCHA in hooks.ask(ASKED)
    own = {"agent_id": "a1", "agent_type": "general-purpose"}
    assert GOTCHA in hooks.told("SubagentStart", **own)
    assert hooks.told("SubagentStart", **own) == ""
    assert hooks.read("src/auth.py", **own) == ""
    assert GOTCHA in hooks.read("src/auth.py", agent_id="a2", agent_type="Explore")


def test_a_subagent_that_ends_a_compaction_and_a_stop_are_never_answered(hooks: Hooks) -> None:
    remembered(hooks)
    assert hooks.send("SubagentStop", agent_type="", agent_id="x", last_assistant_message=ASKED) == {}
    assert hooks.send("SubagentStop", agent_type="Explore", agent_id="x", last_assistant_message=ASKED) == {}
    assert hooks.send("Stop", last_assistant_message=ASKED, stop_hook_active=False, background_tasks=[]) == {}


def test_a_call_that_was_denied_is_recorded_and_not_answered(hooks: Hooks) -> None:
    remembered(hooks)
    call = {
        "tool_name": "Read",
        "tool_use_id": "toolu_denied_0123456789",
        "tool_input": {"file_path": str(hooks.project / "src/auth.py")},
        "tool_response": "Claude requested permissions to read, but you haven't granted it yet.",
    }
    assert hooks.send("PostToolBatch", tool_calls=[call]) == {}
    with hooks.memory() as memory:
        memory.observer.drain()
        (event,) = memory.observer.events(hooks.session)
    assert event.data["denied"] is True


# -- other clients ---------------------------------------------------------------------------------------


def test_codex_has_no_exit_codes_and_reads_files_by_commands(hooks: Hooks) -> None:
    remembered(hooks)
    remembered(hooks, FIX, kind="error_pattern", fields={"error": "KeyError: 'refresh_token'"}, about=[])
    hooks.client = "codex"
    ran = {"tool_name": "Bash", "tool_use_id": "call_1", "turn_id": "1"}
    failed = hooks.told(
        "PostToolUse", **ran, tool_input={"command": "pytest"}, tool_response="KeyError: 'refresh_token'\n"
    )
    assert FIX in failed
    shown = {"command": "sed -n '1,40p' src/auth.py"}
    assert GOTCHA in hooks.told("PostToolUse", **ran, tool_input=shown, tool_response="LIFETIME = 300\n")
    patch = (
        "*** Begin Patch\n*** Update File: src/auth.py\n@@\n-LIFETIME = 300\n+LIFETIME = 600\n*** End Patch\n"
    )
    hooks.session = "another"
    edited = {"tool_name": "apply_patch", "tool_use_id": "call_2", "tool_input": {"command": patch}}
    assert GOTCHA in hooks.told("PostToolUse", **edited, tool_response="Exit code: 0\nSuccess.")


def test_gemini_sends_our_own_words_back_and_they_are_not_taken_for_a_persons(hooks: Hooks) -> None:
    remembered(hooks)
    hooks.client = "gemini"
    echo = f"<hook_context>{ASKED} {GOTCHA}</hook_context>\n\n"
    assert hooks.told("BeforeAgent", prompt=echo + "rename the heading of the imprint page") == ""
    assert prompts(hooks) == ["rename the heading of the imprint page"]
    assert GOTCHA in hooks.told("BeforeAgent", prompt=echo + ASKED)


def test_gemini_is_told_about_a_file_and_a_failure(hooks: Hooks) -> None:
    remembered(hooks)
    remembered(hooks, FIX, kind="error_pattern", fields={"error": "KeyError: 'refresh_token'"}, about=[])
    hooks.client = "gemini"
    read = {"tool_name": "read_file", "tool_input": {"file_path": str(hooks.project / "src/auth.py")}}
    assert GOTCHA in hooks.told("AfterTool", **read, tool_response={"llmContent": "LIFETIME = 300"})
    ran = {"tool_name": "run_shell_command", "tool_input": {"command": "pytest"}}
    output = {"llmContent": "KeyError: 'refresh_token'\nExit Code: 1"}
    assert FIX in hooks.told("AfterTool", **ran, tool_response=output)


def opencode(hooks: Hooks, event: str, given: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    hooks.client = "opencode"
    payload = {"hook": event, "directory": str(hooks.project), "input": given, "output": output}
    said = hooks.hear(event, json.dumps(payload).encode())
    return dict(json.loads(said)) if said else {}


def test_opencode_is_told_its_brief_with_the_first_prompt_in_our_own_form(hooks: Hooks) -> None:
    remembered(hooks)
    remembered(hooks, "Answer in short sentences", kind="preference", about=[])
    session = {"sessionID": "ses_1"}
    created = {"info": {"id": "ses_1", "directory": str(hooks.project)}} | session
    assert opencode(hooks, "event:session.created", created, {}) == {}
    said = {"message": {"id": "m"}, "parts": [{"type": "text", "text": ASKED}]}
    answer = opencode(hooks, "chat.message", session, said)
    assert set(answer) == {"context", "message"}
    assert GOTCHA in answer["context"]
    assert "short sentences" in answer["context"]
    done = {"tool": "read", "callID": "c", "args": {"filePath": str(hooks.project / "src/auth.py")}} | session
    assert opencode(hooks, "tool.execute.after", done, {"output": "…", "metadata": {}}) == {}


def test_opencode_tells_no_end_so_the_next_session_ends_the_one_before(hooks: Hooks) -> None:
    first = {"sessionID": "ses_1"}
    opencode(hooks, "event:session.created", first | {"info": {"directory": str(hooks.project)}}, {})
    opencode(hooks, "chat.message", first, {"parts": [{"type": "text", "text": ASKED}]})
    opencode(hooks, "experimental.text.complete", first, {"text": "Done."})
    second = {"sessionID": "ses_2", "info": {"directory": str(hooks.project)}}
    opencode(hooks, "event:session.created", second | {"info": {"parentID": "ses_1"}}, {})
    with hooks.memory() as memory:
        assert memory.observer.session("ses_1").ended_at is None
    opencode(hooks, "event:session.created", second | {"sessionID": "ses_3"}, {})
    with hooks.memory() as memory:
        assert memory.observer.session("ses_1").ended_at is not None
        assert memory.observer.session("ses_3").ended_at is None


def test_what_opencode_compacted_may_be_told_again(hooks: Hooks) -> None:
    remembered(hooks)
    session = {"sessionID": "ses_1"}
    asked = {"parts": [{"type": "text", "text": ASKED}]}
    assert GOTCHA in opencode(hooks, "chat.message", session, asked)["context"]
    assert opencode(hooks, "chat.message", session, asked) == {}
    assert opencode(hooks, "event:session.compacted", session, {}) == {}
    assert GOTCHA in opencode(hooks, "chat.message", session, asked)["context"]
    assert opencode(hooks, "chat.message", session, asked) == {}


def test_opencode_learns_from_the_session_before_at_the_first_prompt_whatever_comes_first(
    hooks: Hooks,
) -> None:
    def prompt(session: str, text: str) -> dict[str, Any]:
        return opencode(
            hooks, "chat.message", {"sessionID": session}, {"parts": [{"type": "text", "text": text}]}
        )

    def done(tool: str, args: dict[str, str], **metadata: object) -> None:
        given = {"tool": tool, "callID": tool, "args": args, "sessionID": "ses_1"}
        opencode(hooks, "tool.execute.after", given, {"output": "12 passed", "metadata": metadata})

    prompt("ses_1", "make tokens live longer")
    with hooks.memory(Channel.AGENT) as memory:
        memory.observer.note(GOTCHA, session="ses_1", kind="gotcha", about=["src/auth.py"])
    done("edit", {"filePath": str(hooks.project / "src/auth.py")}, diff="-300\n+600\n")
    done("bash", {"command": "pytest -q"}, exit=0)
    opencode(hooks, "experimental.text.complete", {"sessionID": "ses_1"}, {"text": "Done."})
    assert GOTCHA in prompt("ses_2", ASKED)["context"]


def test_cursor_is_answered_in_the_form_of_its_documentation(hooks: Hooks) -> None:
    remembered(hooks, "Answer in short sentences", kind="preference", about=[])
    hooks.client = "cursor"
    answer = hooks.send("sessionStart", conversation_id="c1", workspace_roots=[str(hooks.project)])
    assert set(answer) == {"additional_context"}
    assert "short sentences" in answer["additional_context"]


# -- the ledger ------------------------------------------------------------------------------------------


def why(hooks: Hooks) -> list[tuple[str, str, str]]:
    with hooks.memory() as memory:
        told = memory.injections.of_session(hooks.session)
    return [(one.injection.moment, one.text, str(one.injection.used)) for one in told]


def test_a_citation_counts_as_an_access_and_as_useful_once_a_session(hooks: Hooks) -> None:
    known = remembered(hooks)
    hooks.ask(ASKED)
    assert why(hooks) == [("first prompt", GOTCHA, "")]
    for _ in range(2):
        hooks.send(
            "Stop", last_assistant_message=f"They expire soon [↗ gotcha {known.id[:13]}: src/auth.py]."
        )
    assert why(hooks) == [("first prompt", GOTCHA, "cited")]
    with hooks.memory() as memory:
        now = memory.show(known.id)
    assert (now.access_count, now.useful, now.noise) == (1, 1, 0)


def test_a_correction_right_after_a_citation_makes_it_noise(hooks: Hooks) -> None:
    known = remembered(hooks)
    hooks.ask(ASKED)
    hooks.send("Stop", last_assistant_message=f"Done as in [↗ gotcha {known.id[:13]}].")
    hooks.ask("No, that's wrong. Tokens never expire.")
    assert why(hooks)[0][2] == "corrected"
    with hooks.memory() as memory:
        assert memory.show(known.id).noise == 1


def test_a_correction_later_on_blames_nothing(hooks: Hooks) -> None:
    known = remembered(hooks)
    hooks.ask(ASKED)
    hooks.send("Stop", last_assistant_message=f"Done as in [↗ gotcha {known.id[:13]}].")
    hooks.ask("thanks, now rename the imprint page")
    hooks.send("Stop", last_assistant_message="Renamed.")
    hooks.ask("No, that's wrong. Rename it back.")
    assert why(hooks)[0][2] == "cited"


def test_a_correction_blames_nothing_that_was_cited_the_moment_before_another_prompt(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = remembered(hooks)
    hooks.ask(ASKED)
    with monkeypatch.context() as standing:
        moment = time.time_ns()
        standing.setattr("time.time_ns", lambda: moment)
        hooks.send("Stop", last_assistant_message=f"Done as in [↗ gotcha {known.id[:13]}].")
        hooks.ask("thanks, now rename the imprint page")
    hooks.ask("No, that's wrong. Rename it back.")
    assert why(hooks)[0][2] == "cited"


def test_a_clock_that_stands_still_blames_nothing_that_another_prompt_followed(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = remembered(hooks)
    hooks.ask(ASKED)
    moment = time.time_ns()
    monkeypatch.setattr("time.time_ns", lambda: moment)
    hooks.send("Stop", last_assistant_message=f"Done as in [↗ gotcha {known.id[:13]}].")
    hooks.ask("thanks, now rename the imprint page")
    hooks.ask("No, that's wrong. Rename it back.")
    assert why(hooks)[0][2] == "cited"


def test_a_name_that_was_not_told_is_no_citation(hooks: Hooks) -> None:
    known = remembered(hooks)
    hooks.send("Stop", last_assistant_message=f"As in [↗ gotcha {known.id[:13]}].")
    with hooks.memory() as memory:
        memory.observer.drain()
        assert memory.show(known.id).access_count == 0


def test_a_file_that_is_opened_after_it_was_told_about_counts_as_read(hooks: Hooks) -> None:
    remembered(hooks)
    hooks.ask(ASKED)
    hooks.read("src/auth.py")
    assert why(hooks) == [("first prompt", GOTCHA, "read")]


# -- files to have at hand -------------------------------------------------------------------------------


def worked_before(hooks: Hooks) -> None:
    """Many sessions that each opened a file of their own, and one that was about retries."""
    for number in range(12):
        hooks.session = f"earlier-{number}"
        file = "src/retry.py" if number == 11 else f"src/part_{number}.py"
        (hooks.project / file).parent.mkdir(exist_ok=True)
        (hooks.project / file).write_text("x")
        hooks.send("SessionStart", source="startup")
        hooks.ask(f"please look at {file}")
        hooks.read(file)
        hooks.send("SessionEnd", reason="exit")
    with hooks.memory() as memory:
        memory.observer.drain()
        memory.observer.learn_due()
    hooks.session = "now"


def test_a_likely_file_is_named_with_a_reason_once_and_the_ledger_sees_it_opened(hooks: Hooks) -> None:
    worked_before(hooks)
    (block,) = parse_blocks(hooks.ask("retry.py must stop after three attempts"))
    (item,) = block.items
    assert (item.kind, item.name) == ("file", "src/retry.py")
    assert item.text.startswith("named in the prompt")
    assert "src/retry.py" not in hooks.ask("and retry.py should log each of them")
    hooks.read("src/retry.py")
    with hooks.memory() as memory:
        (told,) = memory.injections.of_session("now")
    assert (told.kind, told.text, str(told.injection.used)) == ("file", "src/retry.py", "read")


def test_a_prompt_that_tells_nothing_names_no_file(hooks: Hooks) -> None:
    worked_before(hooks)
    assert hooks.ask("hello, how are you today?") == ""


def test_a_file_that_is_gone_is_not_named(hooks: Hooks) -> None:
    worked_before(hooks)
    (hooks.project / "src/retry.py").unlink()
    assert "retry.py" not in hooks.ask("retry.py must stop after three attempts")


def test_a_file_that_the_prompt_spells_out_is_not_named_again(hooks: Hooks) -> None:
    worked_before(hooks)
    assert hooks.ask("src/retry.py must stop after three attempts") == ""


# -- what is known of files that will be opened ----------------------------------------------------------

WARNED = "The breaker stays open for a minute"
WANTED = "retry.py must stop after three attempts"


def test_what_was_observed_of_a_file_is_told_where_the_file_will_be_opened(hooks: Hooks) -> None:
    worked_before(hooks)
    known = remembered(hooks, WARNED, channel=Channel.OBSERVED, about=["src/retry.py"])
    remembered(hooks, "The first part is slow", channel=Channel.OBSERVED, about=["src/part_1.py"])
    (block,) = parse_blocks(hooks.ask(WANTED))
    assert [(item.kind, item.name) for item in block.items] == [
        ("gotcha", known.id[:13]),
        ("file", "src/retry.py"),
    ]
    assert block.items[0].mark == "observed"
    hooks.read("src/retry.py")
    with hooks.memory() as memory:
        told = {one.injection.memory_id: one for one in memory.injections.of_session("now")}
    assert "about src/retry.py" in told[known.id].injection.why


def test_words_alone_do_not_make_what_was_observed_of_a_file_speak_before_a_yes(hooks: Hooks) -> None:
    known = remembered(hooks, channel=Channel.OBSERVED)
    assert hooks.ask(ASKED) == ""
    with hooks.memory() as memory:
        memory.reviews.confirm(known.id)
    hooks.session = "another"
    assert GOTCHA in hooks.ask(ASKED)


# -- layouts of the user's own ---------------------------------------------------------------------------

OWN = """
[layouts."first prompt"]
heading = "as I want it"
tokens = 300
[[layouts."first prompt".slots]]
name = "decisions"
source = "kinds"
kinds = ["decision"]
most = 2
tokens = 200
bar = 0.5
"""


def test_the_users_own_layout_takes_the_place_of_ours(hooks: Hooks) -> None:
    remembered(hooks)
    remembered(hooks, "Prices are whole cents", kind="decision")
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(OWN)
    (block,) = parse_blocks(hooks.ask(ASKED))
    assert block.heading.startswith("as I want it")
    assert [item.text for item in block.items] == ["Prices are whole cents"]
    # Other moments are still ours.
    user_file().write_text(OWN.replace("first prompt", "brief"))
    hooks.session = "another"
    assert "as I want it" not in hooks.ask(ASKED)


def test_a_repository_has_no_say_in_what_hooks_tell(hooks: Hooks) -> None:
    remembered(hooks)
    (hooks.project / ".recollect").mkdir()
    (hooks.project / ".recollect/config.toml").write_text(OWN)
    assert GOTCHA in hooks.ask(ASKED)
    with hooks.memory() as memory:
        assert memory.context(ASKED, layout="first prompt").text.count(GOTCHA) == 1


def test_a_layout_that_cannot_be_read_is_named_in_the_log_and_the_agent_goes_on(hooks: Hooks) -> None:
    remembered(hooks)
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(OWN.replace("most = 2", "most = 0"))
    assert (
        hooks.run(
            "UserPromptSubmit", json.dumps(hooks.payload("UserPromptSubmit") | {"prompt": ASKED}).encode()
        )
        == ""
    )
    (trouble,) = hooks.troubles()
    assert "slots[1].most" in trouble
