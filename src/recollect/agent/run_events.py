"""Journals are events: every line that tells of something an agent did reaches the observer, and each once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from recollect.agent import journal as j
from recollect.agent.journal import JournalLine
from recollect.api import Recollect
from recollect.events.event_dict import derive_id
from recollect.events.tool_actions import SILENT, describe_call
from recollect.model.event import EventType

CLIENT = "recollect"
_VERDICTS = {j.VERIFIED: "pass", j.REJECTED: "fail"}


def observe_lines(memory: Recollect, run_id: str, lines: Iterable[JournalLine]) -> None:
    """Give lines of a journal to the observer; a line that it has heard already changes nothing."""
    for line in lines:
        for kind, parts in list_events(line):
            event_id = derive_id("run", run_id, str(line.number), str(kind))
            memory.observer.record(kind, session=run_id, id=event_id, at=line.at, client=CLIENT, **parts)


def list_events(line: JournalLine) -> Iterator[tuple[EventType, dict[str, Any]]]:
    """The events that a line tells."""
    facts = line.facts
    if line.type == j.CREATED:
        yield EventType.SESSION_STARTED, {"data": {"source": "run", "model": facts["model"]}}
        yield EventType.PROMPT, {"text": facts["command"]}
    elif line.type == j.REPLIED:
        tokens = sum(facts.get("usage", {}).get(name, 0) for name in ("input_tokens", "output_tokens"))
        yield EventType.ASSISTANT_TEXT, {"text": facts.get("text", ""), "data": {"tokens": tokens}}
    elif line.type == j.TOOL_BEGUN:
        yield EventType.TOOL_CALLED, {"call_id": facts["call_id"], **_called(facts)}
    elif line.type == j.TOOL_FINISHED:
        yield EventType.TOOL_FINISHED, _finished(facts)
    elif line.type in _VERDICTS:
        data = {"verdict": _VERDICTS[line.type], "by": "verification", "score": facts.get("score")}
        yield EventType.VALIDATION, {"text": facts.get("reason", ""), "data": data}
    elif line.type == j.COMPACTED:
        yield EventType.COMPACTED, {"text": facts["text"]}
    elif line.type in j.TERMINAL:
        reason = line.type.partition(".")[2]
        yield EventType.SESSION_ENDED, {"text": str(facts.get("reason", "")), "data": {"reason": reason}}


def _called(facts: Any) -> dict[str, Any]:
    try:
        arguments_sent = json.loads(facts.get("arguments") or "{}")
    except ValueError:
        arguments_sent = {}
    parts = describe_call(facts["tool"], arguments_sent if isinstance(arguments_sent, dict) else {})
    return {name: value for name, value in parts.items() if value}


def _finished(facts: Any) -> dict[str, Any]:
    parts = _called(facts)
    data = {**parts.pop("data", {}), **facts.get("data", {})}
    output = "" if parts.get("action") in SILENT and facts["ok"] else facts["text"]
    event: dict[str, Any] = {"call_id": facts["call_id"], "output": output, "data": data, **parts}
    # Nobody knows how a call went that was interrupted.
    if not facts.get("unknown"):
        event |= {"ok": facts["ok"], "exit_code": facts.get("exit_code")}
    if (duration := facts.get("duration_ms")) is not None:
        event["duration_ms"] = duration
    return event
