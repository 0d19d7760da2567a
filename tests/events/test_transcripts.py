"""Past sessions as agents keep them, read into the same events that hooks write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.clients.registry import load_transcript_formats
from recollect.clients.transcript_reader import TranscriptFormat, TranscriptPass
from recollect.events.places import paths_of_folder
from recollect.events.sanitize import sanitize_event
from recollect.model.event import Event, EventType, ToolAction, event_from_json
from tests.events.payload_events import one, payloads, told

FORMATS = {known.name: known for known in load_transcript_formats()}
SESSION = "5b0c9a52-7d0e-4f0a-9a53-1f3a60f2c001"


def read(name: str, path: Path, reading: TranscriptPass | None = None) -> list[Event]:
    known: TranscriptFormat = FORMATS[name]
    forms = known.read(path, reading or TranscriptPass())
    return [event_from_json(sanitize_event(form, paths_of_folder("/srv/shop"))) for form in forms]


def jsonl(path: Path, *lines: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines), "utf-8"
    )
    return path


def claude(kind: str, second: int, content: Any, **parts: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content, **parts.pop("message", {})}
    return {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/srv/shop",
        "sessionId": SESSION,
        "version": "2.1.30",
        "gitBranch": "rounding",
        "type": kind,
        "message": message,
        "uuid": f"uuid-{second:04}",
        "timestamp": f"2026-03-04T10:00:{second:02}.000Z",
        **parts,
    }


def a_use(call_id: str, name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def a_result(call_id: str, content: Any, **parts: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **parts}


@pytest.fixture
def session(tmp_path: Path) -> Path:
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 90, "cache_read_input_tokens": 5000}
    first = {"id": "msg_1", "usage": usage | {"output_tokens": 1}}
    last = {"id": "msg_1", "usage": usage | {"output_tokens": 40}}
    return jsonl(
        tmp_path / "claude.jsonl",
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        '{"type":"file-history-snapshot","messageId":"m","snapshot":{}}',
        claude("user", 1, "Round prices"),
        claude("assistant", 2, [{"type": "thinking", "thinking": "hm"}], message=first),
        claude("assistant", 3, [{"type": "text", "text": "Let me look."}], message=first),
        claude("assistant", 4, [a_use("toolu_b1", "Bash", command="pytest -q")], message=last),
        claude("assistant", 5, [a_use("toolu_r1", "Read", file_path="/srv/shop/src/price.py")]),
        claude("user", 6, [a_result("toolu_r1", "1\tRATE")], toolUseResult={"type": "text", "file": {}}),
        claude(
            "user", 7, [a_result("toolu_b1", "Exit code 2\nE assert", is_error=True)], toolUseResult="Error"
        ),
        claude("user", 8, [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
        claude("user", 9, "<command-name>/tidy</command-name>\n<command-args>src</command-args>"),
        claude("user", 10, "<local-command-stdout>done</local-command-stdout>"),
        claude("user", 11, "Base directory for this skill", isMeta=True),
        {"type": "tomorrow", "news": 1},
        "{half a line",
    )


def test_a_session_of_claude_code_is_told_in_full(session: Path) -> None:
    reading = TranscriptPass()
    events = read("claude-code", session, reading)
    assert [str(event.type) for event in events] == [
        "session_started",
        "prompt",
        "assistant_text",
        "tool_called",
        "tool_called",
        "tool_finished",
        "tool_finished",
        *["prompt"] * 4,
    ]
    assert (reading.bad, reading.unknown, reading.not_understood) == (1, {"tomorrow": 1}, 2)
    ran = events[6]
    assert (ran.tool, ran.command, ran.ok, ran.exit_code, ran.output) == (
        "Bash",
        "pytest -q",
        False,
        2,
        "E assert",
    )
    assert events[0].data["branch"] == "rounding"


def test_prompts_of_programs_are_marked_and_commands_read_as_typed(session: Path) -> None:
    prompts = [event for event in read("claude-code", session) if event.type is EventType.PROMPT]
    assert [(event.text, event.data.get("machine", False)) for event in prompts] == [
        ("Round prices", False),
        ("[Request interrupted by user for tool use]", True),
        ("/tidy src", False),
        ("<local-command-stdout>done</local-command-stdout>", True),
        ("Base directory for this skill", True),
    ]
    assert prompts[1].data["interrupted"] is True


def test_tokens_of_a_message_are_counted_once_though_every_line_repeats_them(session: Path) -> None:
    assert sum(event.data.get("tokens", 0) for event in read("claude-code", session)) == 10 + 90 + 40


def test_a_transcript_and_a_hook_tell_the_same_call_as_the_same_event(session: Path) -> None:
    by_call = {event.id for event in read("claude-code", session) if event.call_id == "toolu_b1"}
    assert by_call == {one("claude-code", "PreToolUse.Bash").id, one("claude-code", "PostToolUse.Bash").id}


def test_a_forked_session_copies_lines_and_their_events_are_the_same(session: Path, tmp_path: Path) -> None:
    text = (
        session.read_text("utf-8")
        .replace(SESSION, "another-session")
        .replace("toolu_", "toolu_0123456789abcdef_")
    )
    fork = tmp_path / "fork.jsonl"
    fork.write_text(text, "utf-8")
    original = tmp_path / "original.jsonl"
    original.write_text(text.replace("another-session", SESSION), "utf-8")
    ours = {
        event.id for event in read("claude-code", original) if event.type is not EventType.SESSION_STARTED
    }
    theirs = {event.id for event in read("claude-code", fork) if event.type is not EventType.SESSION_STARTED}
    assert ours == theirs


def test_subagents_are_told_apart_wherever_their_lines_stand(tmp_path: Path) -> None:
    inner = {
        "type": "assistant",
        "message": {"role": "assistant", "content": [a_use("toolu_s1", "Grep", pattern="RATE")]},
        "uuid": "inner",
        "timestamp": "2026-03-04T10:00:05.000Z",
    }
    progress = claude(
        "progress", 5, None, data={"type": "agent_progress", "agentId": "a77", "message": inner}
    )
    path = jsonl(
        tmp_path / "a.jsonl",
        claude("user", 1, "go"),
        progress,
        claude(
            "assistant",
            6,
            [a_use("toolu_s2", "Read", file_path="/srv/shop/a.py")],
            isSidechain=True,
            agentId="a78",
        ),
        claude("assistant", 7, [a_use("toolu_s3", "Read", file_path="/srv/shop/a.py")], isSidechain=True),
    )
    agents = [event.agent for event in read("claude-code", path) if event.type is EventType.TOOL_CALLED]
    assert agents == ["a77", "a78", "sidechain"]


def test_a_line_that_is_still_being_written_is_left_for_the_next_time(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", claude("user", 1, "go"))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type": "user", "mess')
    reading = TranscriptPass()
    assert len(read("claude-code", path, reading)) == 2
    assert (reading.read_to, reading.bad) == (len(whole), 0)


def test_reading_goes_on_where_it_stopped_and_still_knows_open_calls(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "a.jsonl",
        claude("user", 1, "go"),
        claude("assistant", 2, [a_use("toolu_b1", "Bash", command="ls")]),
    )
    first = TranscriptPass()
    read("claude-code", path, first)
    with path.open("a") as stream:
        stream.write(json.dumps(claude("user", 3, [a_result("toolu_b1", "a b")])) + "\n")
    (event,) = read("claude-code", path, TranscriptPass(start=first.read_to))
    assert (event.type, event.tool, event.command) == (EventType.TOOL_FINISHED, "Bash", "ls")


def test_a_summary_after_a_compaction_is_no_prompt(tmp_path: Path) -> None:
    text = "This session is being continued from a previous conversation that ran out of context."
    path = jsonl(tmp_path / "a.jsonl", claude("user", 1, text))
    assert [event.type for event in read("claude-code", path)] == [
        EventType.SESSION_STARTED,
        EventType.COMPACTED,
    ]


def test_the_head_tells_whose_session_it_is(session: Path) -> None:
    head = FORMATS["claude-code"].head(session)
    assert head is not None
    assert (head.session_id, head.folder) == (SESSION, "/srv/shop")


# -- the others --------------------------------------------------------------------------------------------


def codex_line(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-03-04T10:00:{second:02}.000Z", "type": kind, "payload": payload}


def said(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def test_a_rollout_of_codex(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: docs/rates.md\n+Rates\n*** End Patch"
    path = jsonl(
        tmp_path / "rollout-1.jsonl",
        codex_line(
            "session_meta", 0, id="cx1", cwd="/srv/shop", cli_version="0.166.0", git={"branch": "rounding"}
        ),
        codex_line(
            "response_item", 1, **said("user", "input_text", "<environment_context>x</environment_context>")
        ),
        codex_line("response_item", 1, **said("user", "input_text", "Round prices")),
        codex_line("event_msg", 1, type="user_message", message="Round prices"),
        codex_line("turn_context", 1, cwd="/srv/shop", model="gpt-5.5"),
        codex_line(
            "response_item",
            2,
            type="function_call",
            name="shell",
            arguments='{"command":["bash","-lc","pytest -q"]}',
            call_id="call_1",
        ),
        codex_line(
            "response_item",
            3,
            type="function_call_output",
            call_id="call_1",
            output='{"output":"1 failed","metadata":{"exit_code":1,"duration_seconds":0.5}}',
        ),
        codex_line(
            "response_item", 4, type="custom_tool_call", name="apply_patch", input=patch, call_id="call_2"
        ),
        codex_line(
            "response_item",
            5,
            type="custom_tool_call_output",
            call_id="call_2",
            output='{"output":"Success","metadata":{"exit_code":0}}',
        ),
        codex_line(
            "event_msg",
            6,
            type="token_count",
            info={"last_token_usage": {"total_tokens": 90, "cached_input_tokens": 40}},
        ),
        codex_line("response_item", 7, **said("assistant", "output_text", "Rounded.")),
        codex_line("response_item", 8, **said("user", "input_text", "Thanks")),
        codex_line("tomorrow", 9, x=1),
    )
    reading = TranscriptPass()
    events = read("codex", path, reading)
    assert [event.text for event in events if event.type is EventType.PROMPT] == ["Round prices", "Thanks"]
    ran = next(
        event for event in events if event.call_id == "call_1" and event.type is EventType.TOOL_FINISHED
    )
    assert (ran.command, ran.ok, ran.exit_code, ran.output, ran.duration_ms) == (
        "pytest -q",
        False,
        1,
        "1 failed",
        500,
    )
    patched = next(
        event for event in events if event.call_id == "call_2" and event.type is EventType.TOOL_FINISHED
    )
    assert (patched.action, patched.files, patched.ok) == (ToolAction.CREATE, ("docs/rates.md",), True)
    assert sum(event.data.get("tokens", 0) for event in events) == 50
    assert reading.unknown == {"tomorrow": 1}
    assert events[0].data["branch"] == "rounding"


GEMINI = {
    "sessionId": "ge1",
    "projectHash": "h",
    "startTime": "2026-03-04T10:00:00.000Z",
    "lastUpdated": "2026-03-04T10:00:09.000Z",
    "messages": [
        {
            "id": "m1",
            "timestamp": "2026-03-04T10:00:01.000Z",
            "type": "user",
            "content": "<hook_context>x</hook_context>\n\nRound prices",
        },
        {
            "id": "m2",
            "timestamp": "2026-03-04T10:00:02.000Z",
            "type": "gemini",
            "content": "Looking.",
            "tokens": {"input": 50, "output": 5, "cached": 20, "total": 55},
            "toolCalls": [
                {
                    "id": "run_1",
                    "name": "run_shell_command",
                    "args": {"command": "pytest -q"},
                    "status": "success",
                    "timestamp": "2026-03-04T10:00:03.000Z",
                    "result": [
                        {
                            "functionResponse": {
                                "id": "run_1",
                                "response": {"output": "Output: 1 failed\nExit Code: 1"},
                            }
                        }
                    ],
                }
            ],
        },
        {"id": "m3", "timestamp": "2026-03-04T10:00:04.000Z", "type": "info", "content": "x"},
    ],
}


def test_a_chat_of_qwen_code_tells_the_same_calls_as_its_hooks() -> None:
    """A file that 0.24.4 wrote, with the lines of its telemetry taken out."""
    path = Path(__file__).parent / "transcripts" / "qwen_code.jsonl"
    known_head = FORMATS["qwen-code"].head(path)
    assert known_head is not None
    assert known_head.folder == "/srv/shop"
    assert FORMATS["claude-code"].head(path) is None or known_head.session_id
    events = read("qwen-code", path)
    assert [str(event.type) for event in events[:4]] == [
        "session_started",
        "prompt",
        "assistant_text",
        "tool_called",
    ]
    assert events[1].text == "Look at shop/prices.py please"
    finished = [event for event in events if event.type == "tool_finished"]
    assert [(event.tool, event.ok, event.exit_code) for event in finished] == [
        ("read_file", True, None),
        ("edit", True, None),
        ("run_shell_command", False, 1),
        ("run_shell_command", True, 0),
        ("write_file", True, None),
        ("nosuch", False, None),
    ]
    by_hook = {event.id for name in payloads("qwen-code") for event in told("qwen-code", name)}
    assert {event.id for event in finished} <= by_hook | {finished[-1].id}


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_chat_of_gemini(tmp_path: Path, form: str) -> None:
    (tmp_path / "shop" / "chats").mkdir(parents=True)
    (tmp_path / "shop" / ".project_root").write_text("/srv/shop")
    path = tmp_path / "shop" / "chats" / f"session-1.{form}"
    if form == "json":
        path.write_text(json.dumps(GEMINI), "utf-8")
    else:
        head = {name: value for name, value in GEMINI.items() if name != "messages"}
        messages: Any = GEMINI["messages"]
        jsonl(path, head, *messages)
    events = read("gemini", path)
    assert [str(event.type) for event in events] == [
        "session_started",
        "prompt",
        "assistant_text",
        "tool_called",
        "tool_finished",
    ]
    assert (events[1].text, events[2].data["tokens"], events[4].exit_code) == ("Round prices", 35, 1)
    head_found = FORMATS["gemini"].head(path)
    assert head_found is not None
    assert head_found.folder == "/srv/shop"


def test_a_session_of_opencode(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    info = {"id": "ses_1", "directory": "/srv/shop", "version": "1.18", "time": {"created": 1772618400000}}
    message = {
        "id": "msg_1",
        "role": "assistant",
        "time": {"created": 1772618401000},
        "tokens": {"input": 7, "output": 3},
    }
    state = {
        "status": "completed",
        "input": {"command": "pytest -q"},
        "output": "1 failed",
        "metadata": {"exit": 1},
        "time": {"start": 1772618402000, "end": 1772618403000},
    }
    files = {
        "session/p/ses_1.json": info,
        "message/ses_1/msg_0.json": {"id": "msg_0", "role": "user", "time": {"created": 1772618400500}},
        "part/msg_0/prt_0.json": {"id": "prt_0", "type": "text", "text": "Round prices"},
        "message/ses_1/msg_1.json": message,
        "part/msg_1/prt_1.json": {
            "id": "prt_1",
            "type": "tool",
            "tool": "bash",
            "callID": "call_6",
            "state": state,
        },
    }
    for name, content in files.items():
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / name).write_text(json.dumps(content), "utf-8")
    events = read("opencode", storage / "session" / "p" / "ses_1.json")
    assert [str(event.type) for event in events] == [
        "session_started",
        "prompt",
        "tool_called",
        "tool_finished",
    ]
    assert (events[3].exit_code, events[3].ok, events[2].data["tokens"]) == (1, False, 10)
    exported = tmp_path / "export.json"
    parts = [files["part/msg_1/prt_1.json"]]
    exported.write_text(json.dumps({"info": info, "messages": [{"info": message, "parts": parts}]}), "utf-8")
    assert {event.id for event in read("opencode", exported)} <= {event.id for event in events}


def test_a_transcript_of_cursor(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "c-1.jsonl",
        {
            "role": "user",
            "message": {"content": [{"type": "text", "text": "<user_query>\nRound prices\n</user_query>"}]},
        },
        {
            "role": "assistant",
            "message": {"content": [{"type": "text", "text": "Done."}, a_use("t1", "Shell", command="ls")]},
        },
    )
    events = read("cursor", path)
    assert [event.text or event.command for event in events] == ["Round prices", "Done.", "ls"]
    assert read("cursor", path) == events


def test_a_trajectory_of_swe_agent(tmp_path: Path) -> None:
    steps = [
        {
            "action": "str_replace_editor view /srv/shop/a.py",
            "observation": "text",
            "thought": "Look.",
            "state": '{"working_dir": "/srv/shop"}',
        },
        {"action": "python -m pytest", "observation": "1 failed", "thought": "", "execution_time": 1.5},
    ]
    history = [{"role": "system", "content": "x"}, {"role": "user", "content": "Round prices"}]
    path = tmp_path / "task-1.traj"
    path.write_text(json.dumps({"trajectory": steps, "history": history, "info": {}}), "utf-8")
    events = read("swe-agent", path)
    assert [str(event.type) for event in events[:3]] == ["session_started", "prompt", "assistant_text"]
    viewed, ran = (event for event in events if event.type is EventType.TOOL_FINISHED)
    assert (viewed.action, viewed.files) == (ToolAction.READ, ("a.py",))
    assert (ran.command, ran.output, ran.duration_ms) == ("python -m pytest", "1 failed", 1500)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\x00\xff", b'{"type":"user"}\n{"messages":7}\n', b'{"steps":[1]}']
)
def test_a_file_that_is_something_else_breaks_no_reader(tmp_path: Path, name: str, content: bytes) -> None:
    known = FORMATS[name]
    path = tmp_path / f"x{known.endings[0]}"
    path.write_bytes(content)
    assert known.head(path) is None
    assert read(name, path) == []
