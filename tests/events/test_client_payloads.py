"""One payload of a hook in, events out: every client, and every trap that was seen."""

from __future__ import annotations

import pytest

from recollect.clients.registry import CLIENT_NAMES
from recollect.events.tool_actions import ACTIONS
from recollect.model.event import EventType, ToolAction
from tests.events.payload_events import one, payloads, told

EVERY = [(client, name) for client in CLIENT_NAMES for name in payloads(client)]


@pytest.mark.parametrize(("client", "name"), EVERY)
def test_every_event_is_of_a_known_type_and_names_its_session(client: str, name: str) -> None:
    for event in told(client, name):
        assert (event.type is EventType.UNKNOWN) == (name == "Tomorrow")
        assert event.session_id != "unknown"
        assert event.client == client
        assert event.folder == "/srv/shop"


@pytest.mark.parametrize("client", CLIENT_NAMES)
def test_an_event_of_a_later_version_is_kept_raw(client: str) -> None:
    event = one(client, "Tomorrow")
    assert event.type is EventType.UNKNOWN
    assert "omorrow" in event.data["event"]
    assert "omorrow" in event.data["raw"]


@pytest.mark.parametrize("client", CLIENT_NAMES)
@pytest.mark.parametrize(
    "payload", [{}, {"hook_event_name": 7}, {"hook_event_name": "PostToolUse"}, {"hook": []}]
)
def test_a_payload_that_makes_no_sense_breaks_nothing(client: str, payload: dict[str, object]) -> None:
    told_of = told(client, "Tomorrow", **(dict.fromkeys(payloads(client)["Tomorrow"]) | payload))
    assert all(event.id for event in told_of)


def test_actions_are_those_of_the_event_language() -> None:
    assert set(ACTIONS.values()) <= set(map(str, ToolAction))


# -- Claude Code -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "kept"), [("plan", "plan"), ("default", None)])
def test_that_the_agent_is_planning_is_kept(mode: str, kept: str | None) -> None:
    [event] = told("claude-code", "PostToolUse.Read", permission_mode=mode)
    assert event.data.get("mode") == kept


def test_a_read_names_the_file_and_lines_and_keeps_no_content() -> None:
    event = one("claude-code", "PostToolUse.Read")
    assert (event.type, event.action, event.files) == (
        EventType.TOOL_FINISHED,
        ToolAction.READ,
        ("src/price.py",),
    )
    assert event.ok is True
    assert event.data["lines"] == [11, 50]
    assert event.output == ""


def test_an_edit_and_its_reverse_meet_in_their_hashes() -> None:
    there = one("claude-code", "PostToolUse.Edit").data["edits"][0]
    back = one("claude-code", "PostToolUse.Edit.back").data["edits"][0]
    assert there["before"] == back["after"] != there["after"] == back["before"]
    assert (there["removed"], there["added"]) == (back["added"], back["removed"])
    assert there["lines"] == [2, 2]
    assert there["file"] == "src/price.py"
    assert "RATE" not in str(there)


def test_several_edits_in_one_call_follow_each_other() -> None:
    first, second = one("claude-code", "PostToolUse.MultiEdit").data["edits"]
    assert first["after"] == second["before"]
    assert second["lines"] == [2, 2]


def test_writing_is_creating_only_when_nothing_was_there() -> None:
    new, over = one("claude-code", "PostToolUse.Write"), one("claude-code", "PostToolUse.Write.over")
    assert (new.action, over.action) == (ToolAction.CREATE, ToolAction.EDIT)
    assert "before" not in new.data["edits"][0]
    assert over.data["edits"][0]["before"] == new.data["edits"][0]["after"]


def test_a_command_that_ended_well_has_exit_code_0() -> None:
    event = one("claude-code", "PostToolUse.Bash")
    assert (event.command, event.ok, event.exit_code, event.duration_ms) == ("pytest -q", True, 0, 900)
    assert event.output == "12 passed\nslow disk"


def test_a_failed_command_has_its_exit_code_and_output() -> None:
    event = one("claude-code", "PostToolUseFailure.Bash")
    assert (event.ok, event.exit_code, event.output) == (False, 2, "E   assert 3 == 4")


def test_a_command_in_the_background_has_not_ended() -> None:
    event = one("claude-code", "PostToolUse.Bash.background")
    assert (event.ok, event.exit_code, event.data["background"]) == (None, None, True)


def test_a_call_and_its_end_share_an_id_and_have_events_of_their_own() -> None:
    call, end = one("claude-code", "PreToolUse.Bash"), one("claude-code", "PostToolUse.Bash")
    assert call.call_id == end.call_id == "toolu_b1"
    assert call.id != end.id


def test_the_same_payload_twice_is_the_same_event() -> None:
    assert one("claude-code", "PostToolUse.Bash").id == one("claude-code", "PostToolUse.Bash").id


def test_a_prompt_that_a_program_wrote_is_marked() -> None:
    assert one("claude-code", "UserPromptSubmit.machine").data["machine"] is True
    assert "machine" not in one("claude-code", "UserPromptSubmit").data


def test_a_subagent_in_the_background_has_only_been_sent_off() -> None:
    sent, done = one("claude-code", "PostToolUse.Agent.launched"), one("claude-code", "SubagentStop")
    assert (sent.ok, sent.data["launched"], sent.data["agent"]) == (None, True, "a77")
    assert (done.type, done.agent, done.text) == (EventType.ASSISTANT_TEXT, "a77", "Two callers.")
    assert one("claude-code", "PostToolUse.Read.subagent").agent == "a77"


def test_the_end_of_a_subagent_of_no_type_is_a_compaction_and_says_nothing() -> None:
    assert told("claude-code", "SubagentStop.compaction") == []


def test_a_denied_call_ends_with_its_batch() -> None:
    event = one("claude-code", "PostToolBatch.denied")
    assert (event.type, event.ok, event.data["denied"]) == (EventType.TOOL_FINISHED, False, True)
    assert event.call_id == one("claude-code", "PreToolUse.denied").call_id
    assert event.id != one("claude-code", "PreToolUse.denied").id


def test_a_turn_with_tasks_in_the_background_has_not_ended() -> None:
    assert one("claude-code", "Stop").data["turn_ended"] is True
    assert one("claude-code", "Stop.waiting").data["turn_ended"] is False


def test_mcp_answers_come_as_text_in_json_or_as_blocks() -> None:
    assert one("claude-code", "PostToolUse.mcp.text").output == 'a "rate" of 3'
    assert one("claude-code", "PostToolUse.mcp.blocks").output == '{"ok": true}'
    assert one("claude-code", "PostToolUse.mcp.text").action is ToolAction.OTHER


def test_a_compaction_keeps_its_summary() -> None:
    event = one("claude-code", "PostCompact")
    assert (event.type, event.text, event.data["trigger"]) == (
        EventType.COMPACTED,
        "Prices were rounded.",
        "manual",
    )


@pytest.mark.parametrize(
    "name", ["MessageDisplay", "CwdChanged", "Setup", "InstructionsLoaded", "PermissionRequest"]
)
def test_what_says_nothing_new_is_left_out(name: str) -> None:
    assert told("claude-code", name) == []


# -- Codex -----------------------------------------------------------------------------------------------


def test_a_command_of_codex_says_nothing_about_how_it_ended() -> None:
    event = one("codex", "PostToolUse.Bash.failed")
    assert (event.ok, event.exit_code, event.output) == (None, None, "1 failed\n")


def test_a_patch_is_read_for_its_files() -> None:
    event = one("codex", "PostToolUse.apply_patch")
    assert (event.action, event.ok) == (ToolAction.EDIT, True)
    assert event.files == ("src/price.py", "docs/rates.md", "old.txt")
    updated, added, deleted = event.data["edits"]
    assert set(updated) == {"file", "removed", "added"}
    assert set(added) == {"file", "after"}
    assert set(deleted) == {"file"}


def test_a_patch_that_does_not_fit_failed() -> None:
    event = one("codex", "PostToolUse.apply_patch.failed")
    assert (event.ok, event.output) == (False, "Failed to find expected lines\n")


def test_an_mcp_answer_of_codex_says_whether_it_is_an_error() -> None:
    event = one("codex", "PostToolUse.mcp")
    assert (event.ok, event.output) == (True, "a rate of 3")


# -- Gemini ----------------------------------------------------------------------------------------------


def test_what_we_put_into_a_prompt_does_not_come_back_as_one() -> None:
    assert one("gemini", "BeforeAgent").text == "Round prices"


def test_the_exit_code_stands_in_the_text() -> None:
    event = one("gemini", "AfterTool.run.failed")
    assert (event.ok, event.exit_code) == (False, 1)
    assert event.output.startswith("Output: 1 failed")
    assert "untrusted_context" not in event.output


def test_an_edit_of_gemini_shows_the_file_before_and_after() -> None:
    edit = one("gemini", "AfterTool.replace").data["edits"][0]
    assert {"before", "after", "removed", "added", "lines"} <= set(edit)


def test_a_time_that_the_client_tells_is_believed() -> None:
    assert one("gemini", "BeforeTool.run").at.microsecond == 250_000


def test_gemini_calls_have_no_id_so_two_alike_are_two() -> None:
    assert one("gemini", "BeforeTool.run").call_id == ""
    assert one("gemini", "BeforeTool.run").id == "new-1"


# -- OpenCode --------------------------------------------------------------------------------------------


def test_the_exit_code_stands_in_the_metadata() -> None:
    event = one("opencode", "after.bash.failed")
    assert (event.ok, event.exit_code, event.output) == (False, 1, "1 failed\n")


def test_an_edit_of_opencode_shows_its_lines() -> None:
    event = one("opencode", "after.edit")
    assert event.data["edits"][0]["lines"] == [2, 2]
    assert event.files == ("src/price.py",)


def test_a_prompt_is_what_was_typed_not_what_plugins_add() -> None:
    assert one("opencode", "chat.message").text == "Round prices"


def test_a_session_knows_the_one_it_came_from() -> None:
    assert one("opencode", "session.created").data["parent"] == "ses_parent0000000000"


# -- Cursor ----------------------------------------------------------------------------------------------


def test_cursor_tells_edits_and_commands_by_themselves() -> None:
    assert one("cursor", "afterFileEdit").files == ("src/price.py",)
    ran = one("cursor", "afterShellExecution")
    assert (ran.command, ran.output, ran.duration_ms, ran.ok) == ("pytest -q", "1 failed", 12, None)
    assert one("cursor", "postToolUseFailure").ok is False
    assert "kim@example.org" not in str(told("cursor", "sessionStart"))


def test_qwen_code_tells_a_prompt_only_where_a_person_typed_one() -> None:
    assert one("qwen-code", "UserPromptSubmit").text == "Look at shop/prices.py please"
    assert told("qwen-code", "UserPromptSubmit.continuing") == []


def test_a_failed_command_of_qwen_code_is_what_it_printed_and_its_exit_code() -> None:
    event = one("qwen-code", "PostToolUseFailure.run")
    assert (event.ok, event.exit_code, event.command) == (False, 1, "pytest -q")
    assert event.output.rstrip().endswith("1 failed, 2 passed in 0.21s")
    assert "Command:" not in event.output
    passed = one("qwen-code", "PostToolUse.run")
    assert (passed.ok, passed.exit_code, passed.output) == (True, 0, "")


def test_an_edit_of_qwen_code_names_its_file_and_what_changed() -> None:
    event = one("qwen-code", "PostToolUse.edit")
    assert (event.action, event.ok, list(event.files)) == ("edit", True, ["shop/prices.py"])
    assert event.data["edits"][0]["file"] == "shop/prices.py"
    assert one("qwen-code", "PostToolUse.write").action == "create"
    assert list(one("qwen-code", "PostToolUse.read").files) == ["shop/prices.py"]


def test_of_a_batch_qwen_code_tells_only_calls_that_never_began() -> None:
    (event,) = told("qwen-code", "PostToolBatch.nosuch")
    assert (event.tool, event.ok) == ("nosuch", False)
    assert told("qwen-code", "PostToolBatch.read") == []
