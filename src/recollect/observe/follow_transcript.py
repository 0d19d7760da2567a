"""A transcript that is still being written: its lines become events as they come, cleaned as a hook would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.clients.claude_code.transcript import TranscriptLines
from recollect.clients.transcript_reader import TranscriptPass
from recollect.events.event_dict import as_text
from recollect.events.places import paths_of_folder
from recollect.events.sanitize import sanitize_event
from recollect.model.event import Event, event_from_json


class FollowedTranscript:
    """One transcript of Claude Code, read line by line."""

    def __init__(self, earlier: Iterable[Mapping[str, Any]] = ()) -> None:
        """Lines that were told before explain the new ones: which call a result belongs to."""
        self._lines = TranscriptLines()
        # What this version does not understand is counted there, and passed over.
        self._reading = TranscriptPass()
        for line in earlier:
            self._lines.events(dict(line), self._reading)

    def read(self, lines: Iterable[Mapping[str, Any]]) -> list[Event]:
        """The events of new lines."""
        events: list[Event] = []
        for line in lines:
            for form in self._lines.events(dict(line), self._reading):
                try:
                    event = event_from_json(
                        sanitize_event(form, paths_of_folder(as_text(form.get("folder"))))
                    )
                except (ValueError, TypeError):
                    continue
                if event.at.tzinfo is not None:
                    events.append(event)
        return events
