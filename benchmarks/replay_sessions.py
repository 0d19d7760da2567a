"""Session files for the replay: in time order, each event once; and errors that came back in other sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from recollect.clients.registry import load_transcript_formats
from recollect.clients.transcript_reader import TranscriptPass
from recollect.errors import BadInput, NotFound
from recollect.learn.signals.error_retry import find_error_retries
from recollect.model.event import Event, EventType, ToolAction
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.import_sessions import SessionImport, find_transcripts, read_transcript_events
from recollect.observe.recognise.faults import read_fault
from recollect.observe.steps import build_steps
from recollect.predict_files.past_sessions import TOUCHING, is_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """A file read or changed, when, and on which branch."""

    at: datetime
    path: str
    branch: str
    is_read: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One session: its first prompt by a person, and all it touched."""

    id: str
    asked_at: datetime
    prompt: str
    branch: str
    folder: str
    touches: Sequence[Touch]
    # Files it made; nobody could have named them before.
    made: frozenset[str]
    events: Sequence[Event]

    @property
    def targets(self) -> list[Touch]:
        """The first touch of every file that was there before, from the first prompt on."""
        first_touches: dict[str, Touch] = {}
        for touch in self.touches:
            if touch.at >= self.asked_at and touch.path not in self.made:
                first_touches.setdefault(touch.path, touch)
        return list(first_touches.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """All sessions in the order of their first prompts, and all events, those of promptless sessions too."""

    sessions: Sequence[Replayed]
    events: Sequence[Event]


def load(path: Path, progress: Callable[[int, int], None] = lambda report, total: None) -> Replay:
    """Read every session file in a folder."""
    if not path.is_dir():
        raise NotFound(what="folder", name=str(path))
    report = SessionImport()
    files = sorted(
        find_transcripts(load_transcript_formats(), path, path, report),
        key=lambda one: (one.head.started_at, str(one.path)),
    )
    events_by_session: dict[str, list[Event]] = {}
    event_ids: set[str] = set()
    for number, transcript in enumerate(files, start=1):
        # A resumed or forked session repeats what came before it.
        for event in read_transcript_events(transcript, TranscriptPass(), ""):
            if event.id not in event_ids:
                event_ids.add(event.id)
                events_by_session.setdefault(event.session_id, []).append(event)
        progress(number, len(files))
    if not events_by_session:
        raise BadInput(f"{path} has no session files that could be read.")
    for events in events_by_session.values():
        events.sort(key=lambda event: event.at)
    sessions = [one for one in map(_replayed, events_by_session.values()) if one is not None]
    return Replay(
        sessions=sorted(sessions, key=lambda one: (one.asked_at, one.id)),
        events=sorted(
            (event for events in events_by_session.values() for event in events), key=lambda event: event.at
        ),
    )


def _replayed(events: Sequence[Event]) -> Replayed | None:
    request = next((event for event in events if is_request(event)), None)
    if request is None:
        return None
    begun = {event.call_id: event.at for event in events if event.type is EventType.TOOL_CALLED}
    touches: list[Touch] = []
    branch, asked_on = "", ""
    for event in events:
        branch = str(event.data.get("branch") or branch)
        asked_on = branch if event is request else asked_on
        if _touches(event):
            touches += [_touch(event, begun, path, branch) for path in event.files]
    return Replayed(
        id=request.session_id,
        asked_at=request.at,
        prompt=request.text,
        branch=asked_on,
        folder=next((event.folder for event in events if event.folder), ""),
        touches=sorted(touches, key=lambda touch: touch.at),
        made=frozenset(
            path
            for event in events
            if event.action is ToolAction.CREATE and _touches(event)
            for path in event.files
        ),
        events=events,
    )


def _touches(event: Event) -> bool:
    return event.type is EventType.TOOL_FINISHED and event.action in TOUCHING and event.ok is not False


def _touch(event: Event, begun: dict[str, datetime], path: str, branch: str) -> Touch:
    return Touch(
        at=begun.get(event.call_id, event.at),
        path=path,
        branch=branch,
        is_read=event.action is ToolAction.READ,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Error:
    session_id: str
    lines: frozenset[str]
    at: datetime
    # When the session that mended it was over; None if it was not mended.
    mended_at: datetime | None


def count_errors(sessions: Sequence[Replayed]) -> dict[str, dict[str, int]]:
    """How many were met, how many of these had been met in another session, and with a remedy that was known."""
    checks: list[_Error] = []
    others: list[_Error] = []
    for session in sessions:
        steps = build_steps(session.id, session.events).steps
        own, common = _failed_commands(session.id, steps)
        checks += own
        others += [*common, *_failed_calls(session.id, steps)]
    return {"checks": _counted(checks), "all": _counted([*checks, *others])}


def _counted(errors: Iterable[_Error]) -> dict[str, int]:
    ordered = sorted(errors, key=lambda error: error.at)
    before: dict[str, list[_Error]] = {}
    again = with_remedy = 0
    for error in ordered:
        same = [
            one for line in error.lines for one in before.get(line, ()) if one.session_id != error.session_id
        ]
        again += bool(same)
        with_remedy += any(one.mended_at is not None and one.mended_at < error.at for one in same)
        for line in error.lines:
            before.setdefault(line, []).append(error)
    return {"met": len(ordered), "again": again, "remedy_known": with_remedy}


def _failed_commands(session_id: str, steps: Sequence[Step]) -> tuple[list[_Error], list[_Error]]:
    """Those of the project's own, and those that any project has."""
    at = {step.number: step.at for step in steps}
    own: list[_Error] = []
    common: list[_Error] = []
    for retry in find_error_retries(steps):
        mended = retry.remedy is not None and bool(retry.remedy.files or retry.remedy.commands)
        error = _Error(
            session_id=session_id,
            lines=frozenset(retry.fault.lines),
            at=at[retry.first_step],
            mended_at=steps[-1].at if mended else None,
        )
        (common if retry.fault.is_generic or retry.fault.is_slip else own).append(error)
    return own, common


def _failed_calls(session_id: str, steps: Sequence[Step]) -> Iterator[_Error]:
    """Calls of other tools, each error once; mended when the same tool did its work on the same file afterwards."""
    lines_seen: set[str] = set()
    for number, step in enumerate(steps):
        if step.ok is not False or step.action is ToolAction.RUN or step.denied or step.interrupted:
            continue
        fault = read_fault(step.output, tool=step.tool)
        if fault is None or fault.signature in lines_seen:
            continue
        lines_seen.add(fault.signature)
        done = any(
            later.ok and later.tool == step.tool and later.files == step.files
            for later in steps[number + 1 :]
        )
        yield _Error(
            session_id=session_id,
            lines=frozenset(fault.lines),
            at=step.at,
            mended_at=steps[-1].at if done else None,
        )
