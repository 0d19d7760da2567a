"""
Extractive summaries: requests, decisions, files, commands, errors with their fixes and open points, taken from the
messages word for word. Needs no model; what one writes is put beside the same facts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.conversation.anchor import SUMMARY_MARK, is_request
from recollect.conversation.masking import CUT_MARK, OVERFLOW_MARK, STALE_MARK
from recollect.conversation.message_shape import ParsedMessage, ToolCallPart
from recollect.events.machine_prompts import remove_machine_text
from recollect.events.tool_actions import find_action, find_command, list_files
from recollect.model.value import dataclass, replace

_DECIDED = re.compile(
    r"\b(decid\w+|instead of|because|so that|must(?: not)?|the (?:fix|cause|reason|problem) (?:is|was)|turns out"
    r"|we (?:will|should|need)|I(?:'ll| will) use|use[sd]? \w+ (?:for|to)|found that|root cause|convention)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(todo|still (?:to|need)|remain(?:s|ing)|next[:,]|left to do|not yet|follow[- ]up|later:)",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"(\b\w*(?:Error|Exception)\b|\bFAILED\b|\berror[:\[]|\bfatal:|Traceback|\bpanicked\b|not found\b|denied\b)"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_MAX_REQUEST = 300
_MAX_LINE = 240
# How many of each are kept, the newest.
_MAX_ITEMS = {
    "requests": 6,
    "decisions": 14,
    "changed": 40,
    "read": 40,
    "commands": 14,
    "errors": 12,
    "open": 8,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryParts:
    """What is known of messages that are gone from the window, newest last in each part."""

    requests: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    # Handles of checkpoints with the messages themselves.
    checkpoints: tuple[str, ...] = ()
    messages: int = 0
    # What a model wrote about it, if one did.
    prose: str = ""

    def join(self, later: SummaryParts) -> SummaryParts:
        """This and what came after it, the newest of each part kept."""
        joined = {
            name: _newest((*getattr(self, name), *getattr(later, name)), _MAX_ITEMS[name])
            for name in _MAX_ITEMS
        }
        return SummaryParts(
            **joined,
            checkpoints=(*self.checkpoints, *later.checkpoints),
            messages=self.messages + later.messages,
            prose=later.prose or self.prose,
        )


def extract(messages: Sequence[ParsedMessage]) -> SummaryParts:
    """What the messages say that a later step may need."""
    requests, decisions, opens = [], [], []
    for message in messages:
        if message.text.startswith(SUMMARY_MARK):
            # An earlier summary, of a window that is not this one: its words are all there is.
            decisions.append(_cut(message.text.removeprefix(SUMMARY_MARK), 10 * _MAX_LINE))
        elif is_request(message):
            requests.append(_cut(remove_machine_text(message.text), _MAX_REQUEST))
        elif message.role == "assistant":
            sentences = [part.strip() for part in _SENTENCE.split(message.text) if len(part.split()) > 3]
            opens += [_cut(sentence, _MAX_LINE) for sentence in sentences if _OPEN.search(sentence)]
            decisions += [_cut(sentence, _MAX_LINE) for sentence in sentences if _DECIDED.search(sentence)]
    changed, read, commands, errors = _extract_calls(messages)
    return SummaryParts(
        requests=_newest(requests, _MAX_ITEMS["requests"]),
        decisions=_newest(decisions, _MAX_ITEMS["decisions"]),
        changed=_newest(changed, _MAX_ITEMS["changed"]),
        read=_newest(read, _MAX_ITEMS["read"]),
        commands=_newest(commands, _MAX_ITEMS["commands"]),
        errors=_newest(errors, _MAX_ITEMS["errors"]),
        open=_newest(opens, _MAX_ITEMS["open"]),
        messages=len(messages),
    )


def summary_text(parts: SummaryParts, max_characters: int) -> str:
    """The summary as the model reads it, within so many characters: where it is, then what was asked, then the rest."""
    lines = [
        f"{SUMMARY_MARK} {parts.messages} earlier messages were taken out of the window.{_checkpoints(parts)}"
    ]
    left = max_characters - len(lines[0])
    for heading, items in _sections(parts):
        block = _block(heading, items, left)
        if block:
            lines.append(block)
            left -= len(block) + 1
    return "\n".join(lines)


def without_prose(parts: SummaryParts) -> SummaryParts:
    """The same without what a model wrote."""
    return replace(parts, prose="")


def _sections(parts: SummaryParts) -> list[tuple[str, tuple[str, ...]]]:
    return [
        ("Asked for", parts.requests),
        ("In short", (parts.prose,) if parts.prose else ()),
        ("Decided or found out", parts.decisions),
        ("Errors", parts.errors),
        ("Open", parts.open),
        ("Files changed", (", ".join(parts.changed),) if parts.changed else ()),
        ("Commands", parts.commands),
        ("Files read", (", ".join(parts.read),) if parts.read else ()),
    ]


def _block(heading: str, items: Sequence[str], most: int) -> str:
    """A section; where not all of it has room, its newest items."""
    chosen: list[str] = []
    room = most - len(heading) - 2
    for item in reversed(items):
        room -= len(item) + 3
        if room < 0:
            break
        chosen.insert(0, f"- {item}")
    return "\n".join((f"{heading}:", *chosen)) if chosen else ""


def _checkpoints(parts: SummaryParts) -> str:
    if not parts.checkpoints:
        return ""
    shown = parts.checkpoints[-12:]
    earlier = (
        "" if len(shown) == len(parts.checkpoints) else f" (and earlier ones from {parts.checkpoints[0]} on)"
    )
    return (
        f" They can be read word for word: read_output(handle=…, pattern=…) with {', '.join(shown)}{earlier}."
    )


def _extract_calls(messages: Sequence[ParsedMessage]) -> tuple[list[str], list[str], list[str], list[str]]:
    changed: list[str] = []
    read: list[str] = []
    commands: list[str] = []
    errors: list[str] = []
    calls: dict[str, tuple[ToolCallPart, Mapping[str, Any]]] = {}
    failing: dict[str, int] = {}
    for message in messages:
        calls |= {call.call_id: (call, _arguments(call)) for call in message.calls}
        for result in message.results:
            call, arguments_sent = calls.get(result.call_id, (None, {}))
            tool = call.name if call else "tool"
            action = find_action(tool)
            command = _cut(find_command(action, arguments_sent), _MAX_LINE)
            files = list_files(action, arguments_sent)
            (changed if action in ("edit", "create", "delete") else read).extend(files)
            label = command or (f"{tool} {files[0]}" if files else tool)
            line = _error_line(result.text) if result.is_error or command else ""
            if result.is_error or (command and line):
                failing[label] = len(errors)
                errors.append(f"{label}: {line or _cut(result.text, _MAX_LINE)}")
            elif label in failing:
                place = failing.pop(label)
                errors[place] = f"{errors[place]} (it passed later)"
            if command:
                commands.append(f"{command} → {'failed' if result.is_error or line else 'ok'}")
    return changed, read, commands, errors


def _arguments(call: ToolCallPart) -> Mapping[str, Any]:
    try:
        arguments_sent = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return arguments_sent if isinstance(arguments_sent, dict) else {}


def _error_line(text: str) -> str:
    if text.startswith((STALE_MARK, OVERFLOW_MARK, CUT_MARK)):
        text = text.partition("]")[2]
    match = _ERROR.search(text)
    if match is None:
        return ""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    return _cut(text[start : end if end >= 0 else len(text)].strip(), _MAX_LINE)


def _newest(items: Iterable[str], most: int) -> tuple[str, ...]:
    """The last so many different ones; what comes again counts where it came last."""
    distinct = dict.fromkeys(reversed([item for item in items if item]))
    return tuple(reversed(list(distinct)[:most]))


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
