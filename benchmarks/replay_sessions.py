"""Session files as the replay needs them: in time order, each event once, with what was asked and what was touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from recollect.clients.transcript_reader import Reading
from recollect.clients.transcripts import BUILT_IN
from recollect.errors import BadInput, NotFound
from recollect.model.event import Event, EventType, ToolAction
from recollect.model.value import dataclass
from recollect.observe.import_sessions import Imported, events_of, find_transcripts
from recollect.predict_files.past_sessions import TOUCHING, is_asked


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
        found: dict[str, Touch] = {}
        for touch in self.touches:
            if touch.at >= self.asked_at and touch.path not in self.made:
                found.setdefault(touch.path, touch)
        return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """All sessions in the order of their first prompts, and all events, those of promptless sessions too."""

    sessions: Sequence[Replayed]
    events: Sequence[Event]


def load(path: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> Replay:
    """Read every session file in a folder."""
    if not path.is_dir():
        raise NotFound(what="folder", name=str(path))
    done = Imported()
    found = sorted(
        find_transcripts(BUILT_IN, path, path, done), key=lambda one: (one.head.started_at, str(one.path))
    )
    told: dict[str, list[Event]] = {}
    known: set[str] = set()
    for number, transcript in enumerate(found, start=1):
        # A resumed or forked session repeats what came before it.
        for event in events_of(transcript, Reading(), ""):
            if event.id not in known:
                known.add(event.id)
                told.setdefault(event.session_id, []).append(event)
        progress(number, len(found))
    if not told:
        raise BadInput(f"{path} has no session files that could be read.")
    for events in told.values():
        events.sort(key=lambda event: event.at)
    sessions = [one for one in map(_replayed, told.values()) if one is not None]
    return Replay(
        sessions=sorted(sessions, key=lambda one: (one.asked_at, one.id)),
        events=sorted((event for events in told.values() for event in events), key=lambda event: event.at),
    )


def _replayed(events: Sequence[Event]) -> Replayed | None:
    asked = next((event for event in events if is_asked(event)), None)
    if asked is None:
        return None
    begun = {event.call_id: event.at for event in events if event.type is EventType.TOOL_CALLED}
    touches: list[Touch] = []
    branch, asked_on = "", ""
    for event in events:
        branch = str(event.data.get("branch") or branch)
        asked_on = branch if event is asked else asked_on
        if _touches(event):
            touches += [_touch(event, begun, path, branch) for path in event.files]
    return Replayed(
        id=asked.session_id,
        asked_at=asked.at,
        prompt=asked.text,
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
