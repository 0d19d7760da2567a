"""
Events in the form that hooks write, from elsewhere: cleaned as a hook would.

One source is a transcript that is still being written: its lines become events as they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.clients.claude_code.transcript import TranscriptLines
from recollect.clients.transcript_reader import TranscriptPass
from recollect.events.event_dict import as_text
from recollect.events.excluded import empty_event
from recollect.events.places import paths_of_folder
from recollect.events.sanitize import sanitize_event
from recollect.model.event import Event, event_from_json

if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict


class EventCleaner:
    """Cleans the events of one session."""

    def __init__(self, excluded: Sequence[str] = ()) -> None:
        """Of files that patterns exclude nothing is told."""
        self._excluded = excluded
        # Calls whose file is excluded: it was named when they were made, and their results say no more of it.
        self._withheld: set[str] = set()

    def clean(self, form: EventDict) -> Event | None:
        """The event as it may be stored; None if it is none."""
        try:
            cleaned = sanitize_event(form, paths_of_folder(as_text(form.get("folder"))), self._excluded)
            if form.get("call_id") in self._withheld:
                empty_event(cleaned)
            event = event_from_json(cleaned)
        except (ValueError, TypeError):
            return None
        if event.call_id and event.data.get("excluded"):
            self._withheld.add(event.call_id)
        return event if event.at.tzinfo is not None else None


class FollowedTranscript:
    """One transcript of Claude Code, read line by line."""

    def __init__(self, earlier: Iterable[Mapping[str, Any]] = (), excluded: Sequence[str] = ()) -> None:
        """Lines that were told before explain the new ones; of files that patterns exclude nothing is told."""
        self._lines = TranscriptLines()
        self._cleaner = EventCleaner(excluded)
        # What this version does not understand is counted there, and passed over.
        self._reading = TranscriptPass()
        self.read(earlier)

    def read(self, lines: Iterable[Mapping[str, Any]]) -> list[Event]:
        """The events of new lines."""
        events = (
            self._cleaner.clean(form)
            for line in lines
            for form in self._lines.events(dict(line), self._reading)
        )
        return [event for event in events if event is not None]
