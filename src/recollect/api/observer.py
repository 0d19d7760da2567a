"""
What agents did, as `memory.observer`: events in, sessions and steps out, and what is learned from them.

`memory.injections` tells what agents were told unasked, and what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api import silence
from recollect.api.methods import make_methodology_finder
from recollect.api.public_api import public_api
from recollect.api.upkeep import Upkeep, UpkeepReport
from recollect.api.wiring import Wiring
from recollect.capture.trust import check_not_excluded
from recollect.errors import NotFound
from recollect.inject.calibrate import keep_likely
from recollect.learn import reword, scratchpad
from recollect.learn.learn_session import (
    LearnedSession,
    learn_due,
    learn_session,
    list_session_notes,
    may_reflect,
)
from recollect.learn.learn_units import learn_units
from recollect.learn.listen import Listen, hear_nothing, listen
from recollect.learn.reflect import Reflect, make_reflection, reflect_by_agent, reflect_nothing
from recollect.learn.rephrase import Phrase, keep_own_words, make_model_phrase
from recollect.lifecycle.upkeep_context import make_file_check
from recollect.model.event import Event, EventType
from recollect.model.injection import InjectedMemory, Savings
from recollect.model.kinds import DEFAULT_KIND
from recollect.model.memory import Intake, MemoryDraft
from recollect.model.note import Note
from recollect.model.predicted_file import PredictedFile
from recollect.model.session import Session
from recollect.model.silence import SilenceReport
from recollect.model.step import Steps
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.observe import atif, cochange, direct_events, past_sessions, qa
from recollect.observe.direct_events import find_open_session
from recollect.observe.drain import DrainResult
from recollect.observe.folders import FoldersElsewhere
from recollect.observe.follow_transcript import EventCleaner, FollowedTranscript
from recollect.observe.import_sessions import KnownEvents, SessionImport, SessionImporter
from recollect.observe.savings import compute_recent_savings, compute_session_savings
from recollect.observe.steps import build_steps
from recollect.observe.take_in import StoredEvents, store_events
from recollect.predict_files.predict import PredictionRequest, predict_files
from recollect.retrieve import reviews
from recollect.store.tables import events, memories, sessions

# The folder of events that happened on another machine; there is none of that name here.
_ELSEWHERE = "elsewhere:"
# So many transcripts are followed at once; what is known of one is soon read again.
_MAX_FOLLOWED = 64


@public_api
class Observer:
    """What agents did in this memory's sessions; reached as `memory.observer`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._followed: dict[str, FollowedTranscript] = {}

    def record(self, kind: EventType | str, *, session: str, **parts: Any) -> Event:
        """Keep one event at once: cleaned, cut and stored. The parts are the fields of `Event`."""
        now = self._wiring.now()
        folder = str(self._wiring.folder) if self._wiring.folder else ""
        event = direct_events.make_event(
            kind,
            session,
            parts,
            now=now,
            new_id=self._wiring.new_id,
            folder=folder,
            excluded=self._wiring.excluded(),
        )
        direct_events.store_event(self._wiring.db, event, self._wiring.folders())
        return event

    def start_session(self, session: str, **parts: Any) -> UpkeepReport:
        """A session begins: what earlier ones taught is learned, and what is due of upkeep is done."""
        self.record(EventType.SESSION_STARTED, session=session, **parts)
        return self.look_after()

    def end_session(self, session: str, **parts: Any) -> LearnedSession:
        """A session is over: what it taught is learned at once."""
        self.record(EventType.SESSION_ENDED, session=session, **parts)
        return self.learn(session)

    def look_after(self, *, every: bool = False, dry_run: bool = False) -> UpkeepReport:
        """Learn from sessions that are over, and do what is due of upkeep."""
        if not dry_run:
            self.learn_due()
        return Upkeep(self._wiring).run(every=every, dry_run=dry_run)

    def receive(self, forms: Sequence[Mapping[str, Any]]) -> StoredEvents:
        """
        Store events of another machine, in their JSON form, each once; they belong to this memory's project.

        They are cleaned again, whatever their sender did, and no folder that they name is looked at here.
        """
        cleaner = EventCleaner(self._wiring.excluded())
        cleaned = [cleaner.clean({**form, "folder": ""}) for form in forms]
        events = [replace(event, folder=_ELSEWHERE) for event in cleaned if event is not None]
        return store_events(self._wiring.db, events, FoldersElsewhere(self._wiring.ensure_project_id()))

    def drain(self) -> DrainResult:
        """Store what hooks have written into the inbox. Every act that may write does so by itself."""
        return self._wiring.drain_inbox_now()

    def session(self, session_id: str) -> Session:
        """What is known of a session."""
        session = sessions.find_session(self._wiring.db, session_id)
        if session is None:
            raise NotFound(what="session", name=session_id)
        return session

    def sessions(self, *, limit: int = 50, every_project: bool = False) -> Sequence[Session]:
        """The newest sessions."""
        project_id = self._wiring.project_id()
        ids = sessions.list_newest_sessions(
            self._wiring.db, project_id, every_project=every_project, limit=limit
        )
        return [self.session(session_id) for session_id in ids]

    def events(self, session_id: str) -> Sequence[Event]:
        """What happened in a session, in the order it happened."""
        return events.list_events(self._wiring.db, session_id)

    def steps(self, session_id: str) -> Steps:
        """A session as steps: each call joined with how it ended."""
        return build_steps(session_id, self.events(session_id))

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
            project_id=wiring.ensure_project_id(),
        )
        check_not_excluded(draft, wiring.excluded())
        return scratchpad.write_note(wiring.db, session, draft, at=wiring.now(), **parts)

    def notes(self, session_id: str) -> Sequence[Note]:
        """The scratchpad of a session: what its agent noted, and what its steps show up to now."""
        self._wiring.drain_inbox()
        return list_session_notes(self._wiring.write_context(), self.session(session_id))

    def reword(self, note_id: str, text: str, *, session: str) -> Note:
        """Give a note better words: what to do or avoid next time, with its files and errors as they are."""
        return reword.reword_note(self._wiring.begin_writing(), self.session(session), note_id, text)

    def validate(self, verdict: str, *, session: str, unit: str = "", why: str = "") -> Event:
        """Say that the work of a session, or one unit of it, passed or failed; one of many is learned from at once."""
        by = self._wiring.actor
        return self._learn_unit(
            direct_events.record_verdict(self.record, verdict, session=session, unit=unit, why=why, by=by)
        )

    def start_work(self, ref: str, *, session: str, planned: int = 0, complexity: str = "") -> Event:
        """Say that a unit of work begins; the steps that follow belong to it."""
        return direct_events.record_work_started(
            self.record, ref, session=session, planned=planned, complexity=complexity
        )

    def finish_work(self, ref: str, *, session: str, outcome: str = "", why: str = "") -> Event:
        """Say that a unit of work is finished. If it is one of many and passed, it is learned from at once."""
        return self._learn_unit(
            direct_events.record_work_finished(self.record, ref, session=session, outcome=outcome, why=why)
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
        return direct_events.record_dead_end(
            self.record, tried, session=session, why=why, instead=instead, files=files, by=by
        )

    def learn(self, session_id: str, *, unit: str | None = None) -> LearnedSession:
        """Learn from a session that is over, or from one unit of it that is."""
        self.drain()
        return learn_session(
            self._wiring.begin_writing(),
            session_id,
            phrase=self._phrase(),
            only=unit,
            way_of=make_methodology_finder(self._wiring),
            reflect=self._reflect(),
            hear=self._hear(),
        )

    def learn_due(self, *, limit: int = 20) -> Sequence[LearnedSession]:
        """Learn from every session that ended or fell silent since the last time."""
        self.drain()
        return learn_due(
            self._wiring.begin_writing(),
            self._wiring.now(),
            phrase=self._phrase(),
            limit=limit,
            way_of=make_methodology_finder(self._wiring),
            reflect=self._reflect(),
            hear=self._hear(),
        )

    def may_reflect(self, session_id: str) -> bool:
        """Whether the agent of a session may be asked now what it taught: its work passed, and it was not asked yet."""
        self.drain()
        session = sessions.find_session(self._wiring.db, session_id)
        return session is not None and may_reflect(session, events.list_events(self._wiring.db, session_id))

    def learn_history(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> cochange.HistoryLearned:
        """Learn which files go together from the commits not learned from yet."""
        place, home = self._wiring.identity(), self._wiring.ensure_project_id()
        if place is None or place.common is None or home is None:
            raise NotFound(what="git repository", name="the current folder")
        return cochange.learn_history(
            self._wiring.db, place.root, home, progress, excluded=self._wiring.excluded()
        )

    def together(self, *paths: str, limit: int = 10) -> Sequence[cochange.CochangedFile]:
        """What goes with these files, by commits and sessions; best first."""
        project_id = self._wiring.project_id()
        named = [subject.name for subject in self._wiring.subjects(f"file:{path}" for path in paths)]
        return cochange.list_cochanged(self._wiring.db, project_id, named, limit) if project_id else ()

    def foresee(
        self,
        prompt: str,
        *,
        branch: str | None = None,
        files: Iterable[str] = (),
        session: str = "",
        limit: int = 10,
    ) -> Sequence[PredictedFile]:
        """
        The files a session will probably read or change, best first, each with its reasons.

        Without a branch, the one that is checked out counts; `files` are those the session has touched already. What no
        session met is inferred from commits, names and code, marked so, and given only where it is probable enough.
        """
        wiring = self._wiring
        project_id, place = wiring.project_id(), wiring.identity()
        if project_id is None:
            return ()
        folder = str(wiring.folder or "")
        branch = wiring.folders().branch_of(folder) if branch is None else branch
        named = [subject.name for subject in wiring.subjects(f"file:{path}" for path in files)]
        request = PredictionRequest(
            prompt=prompt,
            branch=branch,
            folder=folder,
            files=tuple(named),
            session_id=session,
        )
        is_there = make_file_check(place.root) if place else None
        predicted = predict_files(
            wiring.db,
            project_id,
            request,
            limit=limit,
            is_there=is_there,
            without_sessions=wiring.look_at_checkout(prompt, branch),
        )
        return keep_likely(predicted)

    def report(self, form: object, *, session: str | None = None) -> Sequence[Intake]:
        """Take in a QA report (its JSON): grave issues become error patterns, its verdict the session's."""
        report = qa.parse_report(form)
        answers = qa.record_issues(
            self._wiring.begin_writing(),
            report,
            session_id=session,
            project_id=self._wiring.ensure_project_id(),
        )
        if report.verdict and session:
            self.validate(report.verdict, session=session, why="a QA report")
        return answers

    def current(self) -> str:
        """The id of the session that was heard of last in this project."""
        newest = self.sessions(limit=1)
        if not newest:
            raise NotFound("No session of this project has been recorded yet. Name one with --session.")
        return newest[0].id

    def open_session(self, named: str | None = None) -> str | None:
        """The session an agent's call belongs to: the named one if it goes on, else the one just heard of here."""
        self._wiring.drain_inbox()
        wiring = self._wiring
        return find_open_session(wiring.db, wiring.project_id(), named, wiring.now())

    def _learn_unit(self, event: Event) -> Event:
        if unit := str(event.data.get("unit") or event.data.get("work") or ""):
            learn_units(
                self._wiring.begin_writing(),
                event.session_id,
                unit,
                phrase=self._phrase(),
                way_of=make_methodology_finder(self._wiring),
                hear=self._hear(),
            )
        return event

    def _phrase(self) -> Phrase:
        completer = self._wiring.completer()
        return make_model_phrase(completer) if completer else keep_own_words

    def _hear(self) -> Listen:
        return listen if self._wiring.settings.text("listen") == "on" else hear_nothing

    def _reflect(self) -> Reflect:
        who = self._wiring.settings.text("reflect")
        if who == "agent":
            return reflect_by_agent
        completer = self._wiring.completer() if who == "completer" else None
        return make_reflection(completer) if completer else reflect_nothing

    def unknown(self) -> int:
        """How many events are kept that this version has no name for."""
        return events.count_unknown_events(self._wiring.db)

    def past_sessions(self, *, home: Path | None = None) -> Sequence[past_sessions.PastSessionCount]:
        """How many past sessions of this project each client has kept; nothing is taken in."""
        wiring = self._wiring
        return past_sessions.count_past_sessions(
            past_sessions.ImportRequest(home=home or Path.home()),
            wiring.identity(),
            past_sessions.read_project_paths(wiring.db, wiring.project()),
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
    ) -> SessionImport:
        """Replay past sessions from transcripts. `learn` is called with each session once it is stored."""
        wiring = self._wiring
        here = wiring.project() if dry_run else wiring.ensure_project()
        return past_sessions.import_past_sessions(
            SessionImporter(
                db=wiring.db,
                folders=wiring.folders(),
                now=wiring.now(),
                learn=learn,
                progress=progress,
                dry_run=dry_run,
                excluded=wiring.excluded(),
            ),
            past_sessions.ImportRequest(
                home=home or Path.home(),
                client=client,
                path=Path(path) if path is not None else None,
                every_project=every_project,
            ),
            wiring.identity(),
            past_sessions.read_project_paths(wiring.db, here),
        )

    def follow(
        self,
        log: str,
        lines: Sequence[Mapping[str, Any]],
        *,
        earlier: Callable[[], Sequence[Mapping[str, Any]]] = tuple,
    ) -> StoredEvents:
        """
        Take in lines of a Claude Code transcript while its session goes on; a line told twice changes nothing.

        `log` names the transcript; `earlier` gives its lines before these, asked for when it is met the first time.
        """
        self._wiring.drain_inbox()
        if log not in self._followed:
            if len(self._followed) >= _MAX_FOLLOWED:
                self._followed.clear()
            self._followed[log] = FollowedTranscript(earlier(), self._wiring.excluded())
        events = self._followed[log].read(lines)
        fresh = KnownEvents(self._wiring.db).drop_known(events)
        return store_events(self._wiring.db, fresh, self._wiring.folders())

    def take_in(self, forms: Iterable[Mapping[str, Any]]) -> StoredEvents:
        """Take in events in the form that hooks write, from elsewhere; what is here already changes nothing."""
        self._wiring.drain_inbox()
        cleaner = EventCleaner(self._wiring.excluded())
        events = [event for form in forms if (event := cleaner.clean(dict(form)))]
        fresh = KnownEvents(self._wiring.db).drop_known(events)
        return store_events(self._wiring.db, fresh, self._wiring.folders())

    def export_sessions(self, *, version: str, every_project: bool = False) -> Iterator[dict[str, Any]]:
        """Every session as a trajectory in the Agent Trajectory Interchange Format, the newest first."""
        for session in self.sessions(limit=1_000_000, every_project=every_project):
            events = self.events(session.id)
            if events:
                yield atif.to_trajectory(session, events, version)


@public_api
class Injections:
    """What was put before agents that did not ask for it, and what came of it."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def of_session(self, session_id: str) -> Sequence[InjectedMemory]:
        """All that the agents of a session were told, in the order they were."""
        self._wiring.drain_inbox()
        return reviews.read_session_injections(self._wiring.db, session_id)

    def why_not(
        self, memory_id: str | None = None, *, prompt: str = "", file: str = "", session: str = ""
    ) -> SilenceReport:
        """
        Why an agent is not told something: at a prompt, when a file is opened, or at the first prompt of a session.

        With `memory_id` about that memory alone, else about all that came near. What a `session` was told is taken as
        told. It is answered by the decisions that hooks go by, as the memory is now.
        """
        self._wiring.drain_inbox()
        memory_id = memories.get_memory(self._wiring.db, memory_id).id if memory_id else None
        told_ids = silence.list_told_ids(self._wiring, session) if session else set()
        if file:
            return silence.explain_at_file_of(self._wiring, file, memory_id, told_ids)
        question = prompt or silence.find_first_prompt(self._wiring, session)
        return silence.explain_at_prompt_of(self._wiring, question, memory_id, told_ids)

    def saved(self, session_id: str | None = None, *, every_project: bool = False) -> Savings:
        """
        What being told in time saved: a session, or the newest sessions of this project or of all.

        It is counted, never guessed.
        """
        db = self._wiring.db
        recent = compute_recent_savings(db, self._wiring.project_id(), every_project=every_project)
        return Savings(here=compute_session_savings(db, session_id) if session_id else recent, known=recent)
