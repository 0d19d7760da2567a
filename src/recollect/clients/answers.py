"""What each client wants to read from a hook, in its own form."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = dict[str, object]


def answer_for(client: str, event: str, context: str, message: str) -> Answer:
    """The answer: a text for the agent, and a line for the person where a client shows one."""
    return _FORMS[client](event, context, message)


def _as_claude_code(event: str, context: str, message: str) -> Answer:
    told: Answer = (
        {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}} if context else {}
    )
    return told | {"systemMessage": message} if message else told


def _as_opencode(event: str, context: str, message: str) -> Answer:
    """Our own form: the plugin puts the context where the event has room for it."""
    return {"context": context, "message": message} if context or message else {}


def _as_cursor(event: str, context: str, message: str) -> Answer:
    return {"additional_context": context} if context else {}


_FORMS: dict[str, Callable[[str, str, str], Answer]] = {
    "claude-code": _as_claude_code,
    "codex": _as_claude_code,
    "gemini": _as_claude_code,
    "opencode": _as_opencode,
    "cursor": _as_cursor,
}
