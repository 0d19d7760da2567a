"""
The registry of coding agents: one row each. An agent is added by a folder (payload, transcript, install) and a row.

A row says which hook events are listened to and what is done at each, in which form a hook answers, and which functions
load the rest. A hook loads this file at every event, so it imports nothing: only the client asked for is loaded.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recollect.clients.client_install import ClientInstall
    from recollect.clients.payload_reader import PayloadReader
    from recollect.clients.transcript_reader import TranscriptFormat

    HookAnswer = dict[str, object]
    # Event, text for the agent, line for the person; the JSON that the client reads.
    AnswerForm = Callable[[str, str, str], HookAnswer]

# What is done at an event. Every event is recorded; one that is not in a row is recorded too, if a client sends it.
RECORD = "record"
# A session begins: it is told its brief.
START = "start"
# The same for a client that cannot be told anything at that moment: its first prompt brings the brief.
START_UNHEARD = "start unheard"
PROMPT = "prompt"
OPENING_PROMPT = "opening prompt"
# A prompt, for a client that sends the same event before every request, mostly with nothing in it.
SUBMIT = "submit"
# A tool gave something back: what is known about the file, or about the error.
TOOL = "tool"
# The same for a call that is known to have failed.
FAILURE = "failure"
# All calls of a step at once: of those that were refused nothing else tells.
BATCH = "batch"
SUBAGENT = "subagent"
# The agent stops: where `reflect` says so, it is asked once what the session taught; otherwise never anything.
STOP = "stop"
# A session is over: it is learned from, in a process of its own.
END = "end"


class Client:
    """One coding agent."""

    # By hand: a recording hook has no time to load dataclasses.
    __slots__ = (
        "answer_form",
        "event_key",
        "hook_events",
        "load_install",
        "load_payload_reader",
        "load_transcript_format",
        "name",
        "program",
        "title",
        "tried_version",
    )

    def __init__(
        self,
        *,
        name: str,
        title: str,
        program: str,
        tried_version: str,
        hook_events: Mapping[str, str],
        answer_form: AnswerForm,
        load_payload_reader: Callable[[], PayloadReader],
        load_transcript_format: Callable[[], TranscriptFormat],
        load_install: Callable[[], ClientInstall],
        event_key: str = "hook_event_name",
    ) -> None:
        self.name = name
        self.title = title
        # Its program on the path, and the version that all this was tried with ("": never tried).
        self.program = program
        self.tried_version = tried_version
        self.hook_events = dict(hook_events)
        self.answer_form = answer_form
        self.load_payload_reader = load_payload_reader
        self.load_transcript_format = load_transcript_format
        self.load_install = load_install
        # The part of a payload that names its event.
        self.event_key = event_key


def find_client(name: str) -> Client | None:
    """A client by its name."""
    return next((client for client in CLIENTS if client.name == name), None)


def load_transcript_formats() -> tuple[TranscriptFormat, ...]:
    """Every format of transcripts that is built in: those of the clients, and those that no client here writes."""
    # Imported here: a hook has no use for them.
    from recollect.clients import atif, swe_agent
    from recollect.clients.transcript_reader import format_of_module

    own = (client.load_transcript_format() for client in CLIENTS)
    return (*own, format_of_module(swe_agent), format_of_module(atif))


# -- the forms of answers --------------------------------------------------------------------------------


def _answer_claude_code(event: str, context: str, message: str) -> HookAnswer:
    answer: HookAnswer = (
        {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}} if context else {}
    )
    return answer | {"systemMessage": message} if message else answer


def _answer_opencode(event: str, context: str, message: str) -> HookAnswer:
    """Our own form: the plugin puts the context where the event has room for it."""
    return {"context": context, "message": message} if context or message else {}


def _answer_cursor(event: str, context: str, message: str) -> HookAnswer:
    return {"additional_context": context} if context else {}


# -- loaders: each imports its client's module at its first use; type checkers and import graphs see them all --


def _claude_code_payload() -> PayloadReader:
    from recollect.clients.claude_code.payload import read_payload

    return read_payload


def _claude_code_transcript() -> TranscriptFormat:
    from recollect.clients.claude_code import transcript
    from recollect.clients.transcript_reader import format_of_module

    return format_of_module(transcript)


def _claude_code_install() -> ClientInstall:
    from recollect.clients.claude_code.install import INSTALL

    return INSTALL


def _codex_payload() -> PayloadReader:
    from recollect.clients.codex.payload import read_payload

    return read_payload


def _codex_transcript() -> TranscriptFormat:
    from recollect.clients.codex import transcript
    from recollect.clients.transcript_reader import format_of_module

    return format_of_module(transcript)


def _codex_install() -> ClientInstall:
    from recollect.clients.codex.install import INSTALL

    return INSTALL


def _gemini_payload() -> PayloadReader:
    from recollect.clients.gemini.payload import read_payload

    return read_payload


def _gemini_transcript() -> TranscriptFormat:
    from recollect.clients.gemini import transcript
    from recollect.clients.transcript_reader import format_of_module

    return format_of_module(transcript)


def _gemini_install() -> ClientInstall:
    from recollect.clients.gemini.install import INSTALL

    return INSTALL


def _opencode_payload() -> PayloadReader:
    from recollect.clients.opencode.payload import read_payload

    return read_payload


def _opencode_transcript() -> TranscriptFormat:
    from recollect.clients.opencode import transcript
    from recollect.clients.transcript_reader import format_of_module

    return format_of_module(transcript)


def _opencode_install() -> ClientInstall:
    from recollect.clients.opencode.install import INSTALL

    return INSTALL


def _qwen_code_payload() -> PayloadReader:
    from recollect.clients.qwen_code.payload import read_payload

    return read_payload


def _qwen_code_transcript() -> TranscriptFormat:
    from recollect.clients.qwen_code import transcript
    from recollect.clients.transcript_reader import format_of_module

    return format_of_module(transcript)


def _qwen_code_install() -> ClientInstall:
    from recollect.clients.qwen_code.install import INSTALL

    return INSTALL


def _cursor_payload() -> PayloadReader:
    from recollect.clients.cursor.payload import read_payload

    return read_payload


def _cursor_transcript() -> TranscriptFormat:
    from recollect.clients.cursor import transcript
    from recollect.clients.transcript_reader import format_of_module

    return format_of_module(transcript)


def _cursor_install() -> ClientInstall:
    from recollect.clients.cursor.install import INSTALL

    return INSTALL


# -- the rows --------------------------------------------------------------------------------------------

CLIENTS = (
    Client(
        name="claude-code",
        title="Claude Code",
        program="claude",
        tried_version="2.1.325",
        hook_events={
            "SessionStart": START,
            "UserPromptSubmit": PROMPT,
            "PostToolUse": TOOL,
            "PostToolUseFailure": FAILURE,
            # The only one that tells of calls that were denied or impossible.
            "PostToolBatch": BATCH,
            "SubagentStart": SUBAGENT,
            "SubagentStop": RECORD,
            # What a Stop hook says makes the agent go on.
            "Stop": STOP,
            "PostCompact": RECORD,
            "SessionEnd": END,
        },
        answer_form=_answer_claude_code,
        load_payload_reader=_claude_code_payload,
        load_transcript_format=_claude_code_transcript,
        load_install=_claude_code_install,
    ),
    Client(
        name="codex",
        title="Codex",
        program="codex",
        tried_version="0.166.0",
        hook_events={
            "SessionStart": START,
            "UserPromptSubmit": PROMPT,
            "PostToolUse": TOOL,
            "SubagentStart": SUBAGENT,
            "SubagentStop": RECORD,
            "Stop": RECORD,
            "PostCompact": RECORD,
            "SessionEnd": END,
        },
        answer_form=_answer_claude_code,
        load_payload_reader=_codex_payload,
        load_transcript_format=_codex_transcript,
        load_install=_codex_install,
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        program="gemini",
        tried_version="0.61.0",
        hook_events={
            "SessionStart": START,
            "BeforeAgent": PROMPT,
            "AfterTool": TOOL,
            "AfterAgent": RECORD,
            "SessionEnd": END,
        },
        answer_form=_answer_claude_code,
        load_payload_reader=_gemini_payload,
        load_transcript_format=_gemini_transcript,
        load_install=_gemini_install,
    ),
    Client(
        name="opencode",
        title="OpenCode",
        program="opencode",
        tried_version="1.18.33",
        hook_events={
            "event:session.created": START_UNHEARD,
            "chat.message": OPENING_PROMPT,
            "tool.execute.after": TOOL,
            "experimental.text.complete": RECORD,
            "event:session.compacted": RECORD,
            "event:session.deleted": END,
        },
        answer_form=_answer_opencode,
        load_payload_reader=_opencode_payload,
        load_transcript_format=_opencode_transcript,
        load_install=_opencode_install,
        event_key="hook",
    ),
    Client(
        name="qwen-code",
        title="Qwen Code",
        program="qwen",
        tried_version="0.24.4",
        hook_events={
            "SessionStart": START,
            "UserPromptSubmit": SUBMIT,
            "PostToolUse": TOOL,
            "PostToolUseFailure": FAILURE,
            "PostToolBatch": BATCH,
            "SubagentStart": SUBAGENT,
            "SubagentStop": RECORD,
            "Stop": RECORD,
            "PostCompact": RECORD,
            "SessionEnd": END,
        },
        answer_form=_answer_claude_code,
        load_payload_reader=_qwen_code_payload,
        load_transcript_format=_qwen_code_transcript,
        load_install=_qwen_code_install,
    ),
    # From its documentation alone: no run of it was ever seen.
    Client(
        name="cursor",
        title="Cursor",
        program="cursor-agent",
        tried_version="",
        hook_events={
            "sessionStart": START,
            "beforeSubmitPrompt": RECORD,
            "postToolUse": TOOL,
            "postToolUseFailure": FAILURE,
            "afterShellExecution": RECORD,
            "afterFileEdit": RECORD,
            "afterAgentResponse": RECORD,
            "subagentStop": RECORD,
            "preCompact": RECORD,
            "sessionEnd": END,
        },
        answer_form=_answer_cursor,
        load_payload_reader=_cursor_payload,
        load_transcript_format=_cursor_transcript,
        load_install=_cursor_install,
    ),
)
CLIENT_NAMES = tuple(client.name for client in CLIENTS)
