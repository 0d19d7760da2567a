"""The desk for what agents did: events in, sessions and steps out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from recollect.api.methodology import way_finder
from recollect.api.upkeep import Report, Upkeep
from recollect.api.wiring import Wiring
from recollect.errors import NotFound
from recollect.learn import reword, scratchpad
from recollect.learn.learn_session import Learned, learn_due, learn_session, notes_of
from recollect.learn.learn_units import learn_units
from recollect.learn.rephrase import Phrase, as_it_stands, with_model
from recollect.lifecycle.upkeep_context import files_in
from recollect.model.event import Event, EventType
from recollect.model.kinds import DEFAULT_KIND
from recollect.model.memory import MemoryDraft
from recollect.model.note import Note
from recollect.model.outcome import Intake
from recollect.model.predicted_file import Foreseen
from recollect.model.session import Session
from recollect.model.step import Steps
from recollect.model.subject import Subject
from recollect.observe import atif, cochange, direct_events, explicit_verdicts, past_sessions, qa
from recollect.observe.drain import Drained
from recollect.observe.import_sessions import Imported, Importer
from recollect.observe.open_session import open_session
from recollect.observe.steps import steps_of
from recollect.predict_files.predict import Asked, foresee
from recollect.store.tables import events, sessions


class Observer:
    """What agents did in this memory's sessions; reached as `memory.observer`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def record(self, kind: EventType | str, *, session: str, **parts: Any) -> Event:
        """Keep one event at once: cleaned, cut and stored. The parts are the fields of `Event`."""
        now = self._wiring.now()
        folder = str(self._wiring.folder) if self._wiring.folder else ""
        event = direct_events.event(kind, session, parts, now=now, new_id=self._wiring.new_id, folder=folder)
        direct_events.keep(self._wiring.db, event, self._wiring.folders())
        return event

    def start_session(self, session: str, **parts: Any) -> Report:
        """A session begins: what earlier ones taught is learned, and what is due of upkeep is done."""
        self.record(EventType.SESSION_STARTED, session=session, **parts)
        return self.look_after()

    def end_session(self, session: str, **parts: Any) -> Learned:
        """A session is over: what it taught is learned at once."""
        self.record(EventType.SESSION_ENDED, session=session, **parts)
        return self.learn(session)

    def look_after(self, *, every: bool = False, dry_run: bool = False) -> Report:
        """Learn from sessions that are over, and do what is due of upkeep."""
        if not dry_run:
            self.learn_due()
        return Upkeep(self._wiring).run(every=every, dry_run=dry_run)

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

    # -- learning ----------------------------------------------------------------------------------------

    def note(
        self,
        text: str,
        *,
        session: str,
        kind: str = DEFAULT_KIND,
        about: Iterable[Subject | str] = (),
        **parts: Any,
    ) -> Note:
        """Write something into a session's scratchpad; it becomes a memory once the session's work proves good."""
        wiring = self._wiring
        draft = MemoryDraft(
            text=text,
            kind=wiring.kinds.get(kind).name,
            subjects=wiring.subjects(about),
            project_id=wiring.home_id(),
        )
        return scratchpad.write(wiring.db, session, draft, at=wiring.now(), **parts)

    def notes(self, session_id: str) -> Sequence[Note]:
        """The scratchpad of a session: what its agent noted, and what its steps show up to now."""
        return notes_of(self._wiring.door(), self.session(session_id))

    def reword(self, note_id: str, text: str, *, session: str) -> Note:
        """Give a note better words: what to do or avoid next time, with its files and errors as they are."""
        return reword.reword(self._wiring.door(), self.session(session), note_id, text)

    def validate(self, verdict: str, *, session: str, unit: str = "", why: str = "") -> Event:
        """Say that the work of a session, or one unit of it, passed or failed; one of many is learned from at once."""
        by = self._wiring.actor
        return self._learned_from(
            explicit_verdicts.verdict(self.record, verdict, session=session, unit=unit, why=why, by=by)
        )

    def start_work(self, ref: str, *, session: str, planned: int = 0, complexity: str = "") -> Event:
        """Say that a unit of work begins; the steps that follow belong to it."""
        return explicit_verdicts.started(
            self.record, ref, session=session, planned=planned, complexity=complexity
        )

    def finish_work(self, ref: str, *, session: str, outcome: str = "", why: str = "") -> Event:
        """Say that a unit of work is finished. If it is one of many and passed, it is learned from at once."""
        return self._learned_from(
            explicit_verdicts.finished(self.record, ref, session=session, outcome=outcome, why=why)
        )

    def dead_end(
        self,
        tried: str,
        *,
        session: str,
        why: str = "",
        instead: str = "",
        about: Iterable[Subject | str] = (),
    ) -> Event:
        """Say that an approach leads nowhere, and why; it is remembered once the session's work proves good."""
        files = [subject.name for subject in self._wiring.subjects(about) if subject.type == "file"]
        by = self._wiring.actor
        return explicit_verdicts.dead_end(
            self.record, tried, session=session, why=why, instead=instead, files=files, by=by
        )

    def learn(self, session_id: str, *, unit: str | None = None) -> Learned:
        """Learn from a session that is over, or from one unit of it that is."""
        self.drain()
        return learn_session(
            self._wiring.door(),
            session_id,
            phrase=self._phrase(),
            only=unit,
            way_of=way_finder(self._wiring),
        )

    def learn_due(self, *, limit: int = 20) -> Sequence[Learned]:
        """Learn from every session that ended or fell silent since the last time."""
        self.drain()
        return learn_due(
            self._wiring.door(),
            self._wiring.now(),
            phrase=self._phrase(),
            limit=limit,
            way_of=way_finder(self._wiring),
        )

    def learn_history(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> cochange.HistoryLearned:
        """Learn which files go together from the commits not learned from yet."""
        place, home = self._wiring.identity(), self._wiring.home_id()
        if place is None or place.common is None or home is None:
            raise NotFound(what="git repository", name="the current folder")
        return cochange.learn_history(self._wiring.db, place.root, home, progress)

    def together(self, *paths: str, limit: int = 10) -> Sequence[cochange.Together]:
        """What goes with these files, by commits and sessions; best first."""
        project_id = self._wiring.project_id()
        named = [subject.name for subject in self._wiring.subjects(f"file:{path}" for path in paths)]
        return cochange.together(self._wiring.db, project_id, named, limit) if project_id else ()

    def foresee(
        self,
        prompt: str,
        *,
        branch: str | None = None,
        files: Iterable[str] = (),
        session: str = "",
        limit: int = 10,
    ) -> Sequence[Foreseen]:
        """
        The files a session will probably read or change, best first, each with its reasons.

        Without a branch, the one that is checked out counts; `files` are those the session has touched already.
        """
        wiring = self._wiring
        project_id, place = wiring.project_id(), wiring.identity()
        if project_id is None:
            return ()
        folder = str(wiring.folder or "")
        named = [subject.name for subject in wiring.subjects(f"file:{path}" for path in files)]
        asked = Asked(
            prompt=prompt,
            branch=wiring.folders().branch_of(folder) if branch is None else branch,
            folder=folder,
            files=tuple(named),
            session_id=session,
        )
        is_there = files_in(place.root) if place else None
        return foresee(wiring.db, project_id, asked, limit=limit, is_there=is_there)

    def report(self, form: object, *, session: str | None = None) -> Sequence[Intake]:
        """Take in a QA report (its JSON): grave issues become error patterns, its verdict the session's."""
        told = qa.read_report(form)
        kept = qa.keep_issues(
            self._wiring.door(), told, session_id=session, project_id=self._wiring.home_id()
        )
        if told.verdict and session:
            self.validate(told.verdict, session=session, why="a QA report")
        return kept

    def current(self) -> str:
        """The id of the session that was heard of last in this project."""
        newest = self.sessions(limit=1)
        if not newest:
            raise NotFound("No session of this project has been recorded yet. Name one with --session.")
        return newest[0].id

    def open_session(self, named: str | None = None) -> str | None:
        """The session an agent's call belongs to: the named one if it goes on, else the one just heard of here."""
        self._wiring.take_in_mail_quietly()
        wiring = self._wiring
        return open_session(wiring.db, wiring.project_id(), named, wiring.now())

    def _learned_from(self, said: Event) -> Event:
        if unit := str(said.data.get("unit") or said.data.get("work") or ""):
            learn_units(
                self._wiring.door(),
                said.session_id,
                unit,
                phrase=self._phrase(),
                way_of=way_finder(self._wiring),
            )
        return said

    def _phrase(self) -> Phrase:
        completer = self._wiring.completer()
        return with_model(completer) if completer else as_it_stands

    def unknown(self) -> int:
        """How many events are kept that this version has no name for."""
        return events.unknown_count(self._wiring.db)

    def past_sessions(self, *, home: Path | None = None) -> Sequence[past_sessions.Past]:
        """How many past sessions of this project each client has kept; nothing is taken in."""
        wiring = self._wiring
        return past_sessions.count_past(
            past_sessions.Wanted(home=home or Path.home()),
            wiring.identity(),
            past_sessions.with_paths(wiring.db, wiring.project()),
        )

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
