"""
Steps: the events of a session joined into calls with their results, and the files each call used.

Results of parallel calls come in any order: a finish belongs to the call with its id, or, where a client
gives no ids, to the oldest open call of the same tool on the same thing. A finish without a call is a step by
itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.model.event import Event, EventType, ToolAction
from recollect.model.signal import FileAccess
from recollect.model.step import Edit, Message, Step, Steps


def build_steps(session_id: str, events: Iterable[Event]) -> Steps:
    """The steps in the order they were begun."""
    ordered = sorted(events, key=lambda event: event.at)
    messages: dict[EventType, list[Message]] = {kind: [] for kind in _MESSAGE_TYPES}
    pairs: list[tuple[Event, Event | None]] = []
    open_calls: dict[tuple[str, ...], list[int]] = {}
    unknown = 0
    for event in ordered:
        if event.type is EventType.TOOL_CALLED:
            _begin_call(pairs, open_calls, event)
        elif event.type is EventType.TOOL_FINISHED:
            _finish_call(pairs, open_calls, event)
        elif event.type in messages:
            messages[event.type].append(_to_message(event, len(pairs)))
        unknown += event.type is EventType.UNKNOWN
    return Steps(
        session_id=session_id,
        steps=tuple(_make_step(number, *pair) for number, pair in enumerate(pairs, start=1)),
        prompts=tuple(messages[EventType.PROMPT]),
        answers=tuple(messages[EventType.ASSISTANT_TEXT]),
        compactions=tuple(messages[EventType.COMPACTED]),
        unknown=unknown,
    )


_MESSAGE_TYPES = (EventType.PROMPT, EventType.ASSISTANT_TEXT, EventType.COMPACTED)


def _key(event: Event) -> tuple[str, ...]:
    if event.call_id:
        return (event.call_id,)
    return event.agent, event.tool, event.command, *event.files


def _begin_call(
    pairs: list[tuple[Event, Event | None]], open_calls: dict[tuple[str, ...], list[int]], event: Event
) -> None:
    waiting = open_calls.setdefault(_key(event), [])
    if waiting and event.call_id:
        # Its end was written first, by a quicker process.
        pairs[waiting[0]] = (event, pairs[waiting[0]][1])
        return
    waiting.append(len(pairs))
    pairs.append((event, None))


def _finish_call(
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


def _make_step(number: int, call: Event, finish: Event | None) -> Step:
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
        edits=tuple(_to_edit(edit) for edit in data.pop("edits", ())),
        denied=bool(data.get("denied")),
        interrupted=bool(data.get("interrupted")),
        data=data,
        event_ids=tuple(dict.fromkeys((call.id, last.id))),
    )


def _to_edit(values: Mapping[str, Any]) -> Edit:
    lines = values.get("lines")
    return Edit(
        file=values["file"],
        before=values.get("before", ""),
        after=values.get("after", ""),
        removed=values.get("removed", ""),
        added=values.get("added", ""),
        lines=(lines[0], lines[1]) if lines else None,
    )


def _to_message(event: Event, after_step: int) -> Message:
    return Message(
        at=event.at,
        text=event.text,
        event_id=event.id,
        after_step=after_step,
        agent=event.agent,
        machine=bool(event.data.get("machine")),
        interrupted=bool(event.data.get("interrupted")),
    )


CHANGES = frozenset({ToolAction.EDIT, ToolAction.CREATE, ToolAction.DELETE})
# An answer to a search names many files; only a read or a change is use of one.
USES = CHANGES | {ToolAction.READ}


def list_file_accesses(steps: Sequence[Step]) -> list[FileAccess]:
    """Every file read or changed, in the order it was first used."""
    by_file: dict[str, list[Step]] = {}
    for step in steps:
        if is_use(step):
            for file in step.files:
                by_file.setdefault(file, []).append(step)
    return [_make_access(file, used) for file, used in by_file.items()]


def is_use(step: Step) -> bool:
    """Whether a step read or changed a file, and was let to."""
    return step.action in USES and step.ok is not False and not step.denied


def is_change(step: Step) -> bool:
    """Whether a step changed a file."""
    return step.action in CHANGES and step.ok is not False and not step.denied


def _make_access(file: str, used: Sequence[Step]) -> FileAccess:
    edits = sum(is_change(step) for step in used)
    return FileAccess(
        file=file,
        reads=len(used) - edits,
        edits=edits,
        first_step=used[0].number,
        event_ids=tuple(event_id for step in used for event_id in step.event_ids),
    )
