"""
The events of a session, told as steps.

Results of parallel calls come in any order: a finish belongs to the call with its id, or, where a client
gives no ids, to the oldest open call of the same tool on the same thing. A finish without a call is a step by
itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.model.event import Event, EventType, ToolAction
from recollect.model.step import Edit, Said, Step, Steps


def steps_of(session_id: str, events: Iterable[Event]) -> Steps:
    """The steps in the order they were begun."""
    ordered = sorted(events, key=lambda event: event.at)
    said: dict[EventType, list[Said]] = {kind: [] for kind in _SAID}
    pairs: list[tuple[Event, Event | None]] = []
    open_calls: dict[tuple[str, ...], list[int]] = {}
    unknown = 0
    for event in ordered:
        if event.type is EventType.TOOL_CALLED:
            _begin(pairs, open_calls, event)
        elif event.type is EventType.TOOL_FINISHED:
            _finish(pairs, open_calls, event)
        elif event.type in said:
            said[event.type].append(_said(event, len(pairs)))
        unknown += event.type is EventType.UNKNOWN
    return Steps(
        session_id=session_id,
        steps=tuple(_step(number, *pair) for number, pair in enumerate(pairs, start=1)),
        prompts=tuple(said[EventType.PROMPT]),
        answers=tuple(said[EventType.ASSISTANT_TEXT]),
        compactions=tuple(said[EventType.COMPACTED]),
        unknown=unknown,
    )


_SAID = (EventType.PROMPT, EventType.ASSISTANT_TEXT, EventType.COMPACTED)


def _key(event: Event) -> tuple[str, ...]:
    if event.call_id:
        return (event.call_id,)
    return event.agent, event.tool, event.command, *event.files


def _begin(
    pairs: list[tuple[Event, Event | None]], open_calls: dict[tuple[str, ...], list[int]], event: Event
) -> None:
    waiting = open_calls.setdefault(_key(event), [])
    if waiting and event.call_id:
        # Its end was written first, by a quicker process.
        pairs[waiting[0]] = (event, pairs[waiting[0]][1])
        return
    waiting.append(len(pairs))
    pairs.append((event, None))


def _finish(
    pairs: list[tuple[Event, Event | None]], open_calls: dict[tuple[str, ...], list[int]], event: Event
) -> None:
    waiting = open_calls.get(_key(event))
    if not waiting:
        if event.call_id:
            open_calls[_key(event)] = [len(pairs)]
        pairs.append((event, event))
        return
    call, earlier = pairs[waiting[0]]
    if earlier is None or (earlier.data.get("batch") and not event.data.get("batch")):
        pairs[waiting[0]] = (call, event)
    if not event.call_id:
        waiting.pop(0)


def _step(number: int, call: Event, finish: Event | None) -> Step:
    last = finish or call
    data = {**call.data, **last.data}
    return Step(
        number=number,
        at=call.at,
        tool=last.tool or call.tool,
        action=last.action or call.action or ToolAction.OTHER,
        agent=call.agent or last.agent,
        call_id=call.call_id,
        files=last.files or call.files,
        command=last.command or call.command,
        finished_at=finish.at if finish else None,
        ok=last.ok if finish else None,
        exit_code=last.exit_code,
        output=last.output,
        duration_ms=last.duration_ms,
        edits=tuple(_edit(edit) for edit in data.pop("edits", ())),
        denied=bool(data.get("denied")),
        interrupted=bool(data.get("interrupted")),
        data=data,
        event_ids=tuple(dict.fromkeys((call.id, last.id))),
    )


def _edit(told: Mapping[str, Any]) -> Edit:
    lines = told.get("lines")
    return Edit(
        file=told["file"],
        before=told.get("before", ""),
        after=told.get("after", ""),
        removed=told.get("removed", ""),
        added=told.get("added", ""),
        lines=(lines[0], lines[1]) if lines else None,
    )


def _said(event: Event, after_step: int) -> Said:
    return Said(
        at=event.at,
        text=event.text,
        event_id=event.id,
        after_step=after_step,
        agent=event.agent,
        machine=bool(event.data.get("machine")),
        interrupted=bool(event.data.get("interrupted")),
    )
