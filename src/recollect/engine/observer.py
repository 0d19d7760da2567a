"""The desk for what agents did: events in, sessions and steps out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from recollect.engine.wiring import Wiring
from recollect.errors import NotFound
from recollect.model.event import Event, EventType
from recollect.model.session import Session
from recollect.model.step import Steps
from recollect.observe import atif, past_sessions, said
from recollect.observe.drain import Drained
from recollect.observe.import_sessions import Imported, Importer
from recollect.observe.steps import steps_of
from recollect.store import events, sessions


class Observer:
    """What agents did in this memory's sessions; reached as `memory.observer`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def record(self, kind: EventType | str, *, session: str, **parts: Any) -> Event:
        """Keep one event at once: cleaned, cut and stored. The parts are the fields of `Event`."""
        now = self._wiring.now()
        folder = str(self._wiring.folder) if self._wiring.folder else ""
        event = said.event(kind, session, parts, now=now, new_id=self._wiring.new_id, folder=folder)
        said.keep(self._wiring.db, event, self._wiring.folders())
        return event

    def drain(self) -> Drained:
        """Store what hooks have written into the inbox. Every act that may write does so by itself."""
        return self._wiring.take_in_mail()

    def session(self, session_id: str) -> Session:
        """What is known of a session."""
        found = sessions.by_id(self._wiring.db, session_id)
        if found is None:
            raise NotFound(what="session", name=session_id)
        return found

    def sessions(self, *, limit: int = 50, every_project: bool = False) -> Sequence[Session]:
        """The newest sessions."""
        project_id = self._wiring.project_id()
        ids = sessions.newest(self._wiring.db, project_id, every_project=every_project, limit=limit)
        return [self.session(session_id) for session_id in ids]

    def events(self, session_id: str) -> Sequence[Event]:
        """What happened in a session, in the order it happened."""
        return events.of_session(self._wiring.db, session_id)

    def steps(self, session_id: str) -> Steps:
        """A session as steps: each call joined with how it ended."""
        return steps_of(session_id, self.events(session_id))

    def unknown(self) -> int:
        """How many events are kept that this version has no name for."""
        return events.unknown_count(self._wiring.db)

    def import_sessions(
        self,
        client: str | None = None,
        path: str | Path | None = None,
        *,
        home: Path | None = None,
        every_project: bool = False,
        dry_run: bool = False,
        learn: Callable[[str], object] | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Imported:
        """Replay past sessions from transcripts. `learn` is called with each session once it is stored."""
        wiring = self._wiring
        here = wiring.project() if dry_run else wiring.home()
        return past_sessions.import_past(
            Importer(
                db=wiring.db,
                folders=wiring.folders(),
                now=wiring.now(),
                learn=learn,
                progress=progress,
                dry_run=dry_run,
            ),
            past_sessions.Wanted(
                home=home or Path.home(),
                client=client,
                path=Path(path) if path is not None else None,
                every_project=every_project,
            ),
            wiring.identity(),
            past_sessions.with_paths(wiring.db, here),
        )

    def export_sessions(self, *, version: str, every_project: bool = False) -> Iterator[dict[str, Any]]:
        """Every session as a trajectory in the Agent Trajectory Interchange Format, the newest first."""
        for session in self.sessions(limit=1_000_000, every_project=every_project):
            told = self.events(session.id)
            if told:
                yield atif.trajectory(session, told, version)
