"""
Learn from a session that is over: its steps give notes, its checks a verdict, and what passed and is worth it becomes
memory.

The one way for all: a session that ended, one read from a transcript, one that fell silent. Everything is written in
one transaction together with how far the session was learned from, so that a killed process leaves it before or after,
and nothing is learned twice.

A verdict that nobody could give may come later: when a session on the same unit of work passes (on the same branch,
where no unit is named) within two weeks, the notes that waited pass with it. Those of a failed session never do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from recollect.capture.write_context import Door, begin
from recollect.errors import NotFound
from recollect.learn import outcome
from recollect.learn.consolidate import kept, ready_for, taught
from recollect.learn.findings import Work
from recollect.learn.inference import seen_in
from recollect.learn.promote import Occasion, carry_out, plan
from recollect.learn.recipes import MOST_TRAILS, WITHIN, recipes_in, trail_of
from recollect.learn.rephrase import Phrase, as_it_stands
from recollect.learn.scratchpad import merged, noted
from recollect.learn.session_stats import figures_of
from recollect.learn.validate import judged_unit
from recollect.model.event import Event
from recollect.model.memory import Memory, MemoryState
from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.provenance import Channel
from recollect.model.query import Filters
from recollect.model.session import Session
from recollect.model.step import Said, Steps
from recollect.model.trail import Trail
from recollect.model.value import dataclass, replace
from recollect.model.verdict import Judged, Verdict
from recollect.observe.cochange import learn_steps
from recollect.observe.methodology import FindWay, Working, no_way
from recollect.observe.steps import steps_of
from recollect.observe.units import MOST_PROMOTED, Complexity, Unit, units_of
from recollect.predict_files import record_visits
from recollect.store.tables import events as event_rows
from recollect.store.tables import memories, scratchpad, sessions
from recollect.store.tables import trails as trail_rows

ACTOR = "observer"
WAITS = timedelta(days=14)
# A session of which nothing was heard for so long is over, whoever failed to say so.
SILENT = timedelta(hours=6)
# Up to so many sub-units stand or fall together; of more, each passes by itself.
ALL_OR_NOTHING = 5
MOST_KNOWN = 200

# Somebody's word rather than what was seen.
_CLAIMED = frozenset({NoteOrigin.AGENT, NoteOrigin.GIVEN_UP})
_STATES = {
    Verdict.PASSED: NoteState.VALIDATED,
    Verdict.FAILED: NoteState.DISCARDED,
    Verdict.UNKNOWN: NoteState.HELD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What came of a session: the verdict on each unit of work, what it noted, and the memories that are new."""

    session_id: str
    verdicts: tuple[tuple[str, Judged], ...] = ()
    notes: int = 0
    memories: tuple[Memory, ...] = ()
    # It had been learned from to its end before.
    already: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A session as the observer sees it: its steps, its units of work, and the verdict on each."""

    session: Session
    steps: Steps
    units: Sequence[tuple[Unit, Judged]]
    way: Working | None = None


def learn_session(
    door: Door,
    session_id: str,
    *,
    phrase: Phrase = as_it_stands,
    only: str | None = None,
    way_of: FindWay = no_way,
) -> Learned:
    """Learn from one session; `only` one unit of it, while the session goes on."""
    session = sessions.by_id(door.db, session_id)
    if session is None:
        raise NotFound(what="session", name=session_id)
    # Whoever called, it is the observer that speaks now, and it has no person's rights.
    door = replace(door, channel=Channel.OBSERVED)
    before = scratchpad.learned_to(door.db, session_id)
    if before is not None and before >= session.last_at and only is None:
        return Learned(session_id=session_id, already=True)
    told = event_rows.of_session(door.db, session_id)
    reading = _read(session, told, only, way_of)
    trails = _trails(reading)
    notes = _notes(door, reading, trails)
    revived = _revived(door, reading)
    occasion = Occasion(
        session_id=session_id,
        project_id=session.project_id,
        moment=session.last_at,
        caps=_caps(reading, revived),
        phrase=phrase,
    )
    ready = [note for note in (*notes, *revived) if note.state is NoteState.VALIDATED and _may_rise(note)]
    made = plan(door, occasion, ready)
    outcomes = outcome.drafts(session, reading.steps, reading.units, notes, reading.way)
    insights = taught(door.db, session, _outers(reading, only), [draft for _, draft in outcomes], phrase)
    door = ready_for(door, session.project_id, insights)
    act = begin(door, "learn", ACTOR, why=f"session {session_id}")
    with door.db.transaction():
        if scratchpad.learned_to(door.db, session_id) != before:
            return Learned(session_id=session_id, already=True)
        for note in (*notes, *revived):
            scratchpad.put(door.db, note, session.branch)
        for trail in trails:
            trail_rows.put(door.db, trail)
        new = carry_out(door, act, occasion, made)
        new += outcome.record(door, act, session, outcomes, reading.units, reading.way)
        new += kept(door, act, insights)
        if only is None and before is None and session.project_id:
            learn_steps(door.db, session.project_id, reading.steps)
        if only is None:
            record_visits.keep(door.db, session, told)
            scratchpad.mark_learned(door.db, session_id, session.last_at, _outcome(reading))
            sessions.worked(door.db, session_id, work=reading.session.work, phase=_phase(reading))
    return Learned(
        session_id=session_id,
        verdicts=tuple((unit.ref, judged) for unit, judged in reading.units),
        notes=len(notes),
        memories=tuple(new),
    )


def learn_due(
    door: Door,
    now: datetime,
    *,
    phrase: Phrase = as_it_stands,
    limit: int = 20,
    way_of: FindWay = no_way,
) -> list[Learned]:
    """Learn from sessions that are over or fell silent, the oldest first; at most so many in one go."""
    due = scratchpad.to_learn(door.db, now - SILENT, limit)
    learned = [learn_session(door, session_id, phrase=phrase, way_of=way_of) for session_id in due]
    # Which files a session that still runs has met, the next one beside it may know already.
    record_visits.catch_up(door.db)
    return learned


def notes_of(door: Door, session: Session) -> list[Note]:
    """The scratchpad of a session as it is now: what is kept, and what its steps show beyond that."""
    kept = scratchpad.of_session(door.db, session.id)
    known = {note.id for note in kept}
    seen = observed(session, event_rows.of_session(door.db, session.id))
    return kept + [note for note in seen if note.id not in known]


def observed(session: Session, told: Sequence[Event]) -> list[Note]:
    """What the events of a session show, as notes; a pure function of them."""
    return _seen(_read(session, told))


def _read(
    session: Session, told: Sequence[Event], only: str | None = None, way_of: FindWay = no_way
) -> _Reading:
    steps = steps_of(session.id, told)
    way = way_of(session, told, steps)
    work = str(way.unit) if way and way.unit else session.work
    judged = [(unit, judged_unit(unit, steps.steps, told)) for unit in units_of(steps.steps, told, work)]
    judged = _standing_together(judged)
    if only is not None:
        judged = [(unit, verdict) for unit, verdict in judged if unit.ref == only]
    return _Reading(session=replace(session, work=work), steps=steps, units=judged, way=way)


def _phase(reading: _Reading) -> str:
    return str((reading.way.phase if reading.way else None) or "")


def _standing_together(judged: Sequence[tuple[Unit, Judged]]) -> list[tuple[Unit, Judged]]:
    outers: dict[str, list[Judged]] = {}
    for unit, verdict in judged:
        if "/" in unit.ref:
            outers.setdefault(unit.ref.rpartition("/")[0], []).append(verdict)
    return [
        (unit, _together(outers.get(unit.ref.rpartition("/")[0], []), verdict)) for unit, verdict in judged
    ]


def _together(siblings: Sequence[Judged], own: Judged) -> Judged:
    if not 1 < len(siblings) <= ALL_OR_NOTHING:
        return own
    for verdict in (Verdict.FAILED, Verdict.UNKNOWN):
        if worst := next((one for one in siblings if one.verdict is verdict), None):
            return worst
    return own


def _trails(reading: _Reading) -> list[Trail]:
    """What each unit that passed did, act by act."""
    return [
        trail_of(reading.session, unit, _prompts(reading, unit))
        for unit, judged in reading.units
        if judged.verdict is Verdict.PASSED
    ]


def _notes(door: Door, reading: _Reading, trails: Sequence[Trail]) -> list[Note]:
    """The notes of the session with what its verdicts make of them; those that are settled stay as they are."""
    verdicts = {unit.ref: judged for unit, judged in reading.units}
    known = {note.id: note for note in scratchpad.of_session(door.db, reading.session.id)}
    settled = {note.id for note in known.values() if note.state in (NoteState.PROMOTED, NoteState.DISCARDED)}
    own = [note for note in known.values() if note.origin is NoteOrigin.AGENT]
    whole = next((judged for unit, judged in reading.units if not unit.ref), None)
    found: list[Note] = []
    seen = [_with_words(note, known) for note in _seen(reading)]
    for note in (*seen, *_recipes(door, reading.session, trails), *own):
        judged = verdicts.get(note.work) or whole
        if note.id not in settled and judged is not None:
            found.append(_judged(note, judged))
    return found


def _with_words(note: Note, known: Mapping[str, Note]) -> Note:
    """What is seen again in the events, with the words that somebody gave it meanwhile."""
    words = known[note.id].facts.get("words") if note.id in known else None
    return replace(note, facts={**note.facts, "words": words}) if words else note


def _recipes(door: Door, session: Session, trails: Sequence[Trail]) -> list[Note]:
    """The recipes this session followed or made known, by what earlier ones that passed did."""
    if not trails:
        return []
    since = session.last_at - WITHIN
    earlier = trail_rows.between(door.db, session.project_id, since, session.last_at, MOST_TRAILS)
    # Those that were put away too: they must not come back in other words.
    filters = Filters(kinds=("workflow_recipe",), project_id=session.project_id, states=tuple(MemoryState))
    known = [
        memory
        for memory in memories.listed(door.db, filters, limit=MOST_KNOWN)
        if memory.project_id == session.project_id
    ]
    return merged(
        noted(seen, session, trail.work, session.last_at)
        for trail in trails
        for seen in recipes_in(trail, earlier, known)
    )


def _seen(reading: _Reading) -> list[Note]:
    session = reading.session
    notes: list[Note] = []
    for unit, _ in reading.units:
        work = Work(steps=unit.steps, prompts=_prompts(reading, unit), given_up=unit.given_up)
        seen = [*seen_in(work), *figures_of(unit)]
        notes += [noted(one, session, unit.ref, session.last_at) for one in seen]
    return merged(notes)


def _prompts(reading: _Reading, unit: Unit) -> Sequence[Said]:
    """What was said while a unit was worked on; all of it where no unit is named."""
    if not unit.ref or not unit.steps:
        return reading.steps.prompts
    first, last = unit.steps[0].number, unit.steps[-1].number
    return [said for said in reading.steps.prompts if first - 1 <= said.after_step <= last]


def _judged(note: Note, judged: Judged) -> Note:
    state = _STATES.get(judged.verdict)
    if state is None:
        # Nothing was changed: what was seen is true all the same, what the agent claims waits.
        claimed = note.origin in _CLAIMED
        state = NoteState.HELD if claimed else NoteState.VALIDATED
    return replace(note, state=state, why=judged.why)


def _may_rise(note: Note) -> bool:
    return note.origin is not NoteOrigin.COMMIT


def _revived(door: Door, reading: _Reading) -> list[Note]:
    """Notes of earlier sessions that waited for a verdict on this work, if it passed now."""
    session = reading.session
    passed = [unit for unit, judged in reading.units if judged.verdict is Verdict.PASSED]
    found: list[Note] = []
    for unit in passed:
        found += scratchpad.held(
            door.db,
            session.project_id,
            work=unit.ref,
            branch=session.branch,
            since=session.last_at - WAITS,
            but_not=session.id,
        )
    why = f"session {session.id} passed on the same work"
    earlier = [note for note in found if note.at <= session.last_at]
    return [replace(note, state=NoteState.VALIDATED, why=why) for note in earlier]


def _outers(reading: _Reading, only: str | None) -> list[str]:
    """The units of work that may be done as a whole: the one that was judged, or all the session was part of."""
    if only is not None:
        return [only]
    return [ref for unit, _ in reading.units for ref in (unit.ref.rpartition("/")[0], unit.ref) if ref]


def _caps(reading: _Reading, revived: Sequence[Note]) -> dict[str, int]:
    caps = {note.work: MOST_PROMOTED[Complexity.STANDARD] for note in revived}
    caps.update({unit.ref: MOST_PROMOTED[unit.complexity] for unit, _ in reading.units})
    return caps


def _outcome(reading: _Reading) -> str:
    verdicts = {judged.verdict for _, judged in reading.units}
    if Verdict.FAILED in verdicts:
        return "failed"
    return "passed" if Verdict.PASSED in verdicts else ""
