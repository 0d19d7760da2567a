"""
The one event language: what an agent did, whatever client it ran in.

Light on purpose: a recording hook loads this module and little else.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from recollect.model.value import dataclass, field

_Member = TypeVar("_Member", bound=StrEnum)


class EventType(StrEnum):
    """What happened."""

    SESSION_STARTED = "session_started"
    SESSION_ENDED = "session_ended"
    PROMPT = "prompt"
    TOOL_CALLED = "tool_called"
    TOOL_FINISHED = "tool_finished"
    ASSISTANT_TEXT = "assistant_text"
    COMPACTED = "compacted"
    COMMIT = "commit"
    VALIDATION = "validation"
    WORK_STARTED = "work_started"
    WORK_FINISHED = "work_finished"
    INJECTED = "injected"
    DEAD_END = "dead_end"
    # Kept as it came and counted: a client newer than this version said it.
    UNKNOWN = "unknown"


MEANINGS: Mapping[EventType, str] = {
    EventType.SESSION_STARTED: "A session began or goes on; `data` has `source`, `branch`, `model`, `parent`.",
    EventType.SESSION_ENDED: "A session ended; `data` has the `reason`.",
    EventType.PROMPT: "A prompt; `data.machine` when a program wrote it, `data.interrupted` when it stopped the agent.",
    EventType.TOOL_CALLED: "A tool was called: tool, action, files, command.",
    EventType.TOOL_FINISHED: (
        "A call ended: `ok`, `exit_code`, output, duration; `data` has `edits`, `lines`, `words`, `names`, `denied`, "
        "`interrupted`, `background`, `launched`, the `mode` (`plan`) where a client has one, and the `sieve` of what "
        "was read or cut."
    ),
    EventType.ASSISTANT_TEXT: "What the agent said; `data` has `turn_ended`, `agent_ended`, `tokens`.",
    EventType.COMPACTED: "The context was summarised; the text is the summary.",
    EventType.COMMIT: "A commit was made; `data` has its `sha`.",
    EventType.VALIDATION: "A check passed or failed; `data` has the `verdict`.",
    EventType.WORK_STARTED: "A unit of work began.",
    EventType.WORK_FINISHED: "A unit of work ended.",
    EventType.INJECTED: "Memories were put before the agent; `data` has the `moment`, the `bar` and the `items`.",
    EventType.DEAD_END: "An approach was given up: the text says which; `data` has `why` and `instead`.",
    EventType.UNKNOWN: "What a newer client said: its name in `data.event`, its words in `data.raw`, cut and cleaned.",
}


class ToolAction(StrEnum):
    """What a tool does to the world, whatever the client calls it."""

    READ = "read"
    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    RUN = "run"
    SEARCH = "search"
    FETCH = "fetch"
    DELEGATE = "delegate"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    One thing that happened in a session.

    `ok` is None when the client did not say. `files` are relative to the project, `/`-separated; what lies outside
    is not named. `data` holds what only some events have: a prompt's `machine` mark, a session's `source`, `branch`
    and `model`, what `edits` did to each file as hashes before and after, a commit's `sha`, a validation's
    `verdict`, `tokens`.
    """

    id: str
    type: EventType
    at: datetime
    session_id: str
    client: str = ""
    # The folder the client worked in; the project is found from it when the event reaches the store.
    folder: str = ""
    # Which subagent; empty for the session's own agent.
    agent: str = ""
    # Prompt, assistant's text, commit subject, summary of a compaction.
    text: str = ""
    # Tells which finish belongs to which call, in whatever order they come.
    call_id: str = ""
    tool: str = ""
    action: ToolAction | None = None
    files: tuple[str, ...] = ()
    command: str = ""
    ok: bool | None = None
    exit_code: int | None = None
    # What the tool gave back, redacted and cut.
    output: str = ""
    duration_ms: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


def event_to_json(event: Event) -> dict[str, Any]:
    """The form an event has in the inbox and in the store; what says nothing is left out."""
    form: dict[str, Any] = {
        "id": event.id,
        "type": str(event.type),
        "at": event.at.astimezone(UTC).isoformat(),
        "session_id": event.session_id,
    }
    for name in _PLAIN:
        value = getattr(event, name)
        if value is not None and value != "":
            form[name] = value
    if event.action is not None:
        form["action"] = str(event.action)
    if event.files:
        form["files"] = list(event.files)
    if event.data:
        form["data"] = dict(event.data)
    return form


def event_from_json(form: Mapping[str, Any]) -> Event:
    """Read what `event_to_json` wrote; a type or action of a later version becomes unknown, not an error."""
    action = form.get("action")
    return Event(
        id=str(form["id"]),
        type=_member(EventType, form.get("type"), EventType.UNKNOWN),
        at=datetime.fromisoformat(form["at"]),
        session_id=str(form["session_id"]),
        action=_member(ToolAction, action, ToolAction.OTHER) if action else None,
        files=tuple(form.get("files", ())),
        data=form.get("data", {}),
        **{name: form[name] for name in _PLAIN if name in form},
    )


_PLAIN = (
    "client",
    "folder",
    "agent",
    "text",
    "call_id",
    "tool",
    "command",
    "ok",
    "exit_code",
    "output",
    "duration_ms",
)


def _member(options: type[_Member], value: object, otherwise: _Member) -> _Member:
    try:
        return options(str(value))
    except ValueError:
        return otherwise
