"""
Learn from a session that is over: its steps give notes, its checks a verdict, and what passed and is worth it becomes
memory.

The one way for all: a session that ended, one read from a transcript, one that fell silent. Everything is written in
one transaction together with how far the session was learned from, so that a killed process leaves it before or after,
and nothing is learned twice.

A note stands or falls with its own session: nobody else's green run proves it, and what was taken back is not proved by
what passes without it. What nobody could judge waits for a person's verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from recollect.capture.write_context import WriteContext, begin_act, precompute_embeddings
from recollect.errors import NotFound
from recollect.learn import outcome
from recollect.learn.consolidate import draft_insights, prepare_context, store_drafts
from recollect.learn.content_words import overlap
from recollect.learn.findings import ObservedWork
from recollect.learn.inference import find_findings
from recollect.learn.lessons.failure_notes import record_failures
from recollect.learn.listen import Listen, hear_nothing, listen
from recollect.learn.note_texts import write_sentence
from recollect.learn.promote import PromotionOccasion, carry_out_plan, plan_promotion
from recollect.learn.proof import ProofState
from recollect.learn.recipes import build_trail
from recollect.learn.reflect import Reflect, may_ask_agent, reflect_nothing
from recollect.learn.rephrase import Phrase, keep_own_words
from recollect.learn.scratchpad import merge_notes, to_note
from recollect.learn.session_recipes import count_failed_recipes, note_recipes
from recollect.learn.session_stats import find_session_stats
from recollect.learn.taken_back import TakenBack
from recollect.learn.validate import judge_unit
from recollect.lifecycle.injection_outcomes import judge_session_injections
from recollect.model.event import Event
from recollect.model.memory import Memory, MemoryDraft
from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.policy import SESSION_SILENT_HOURS
from recollect.model.provenance import Channel
from recollect.model.session import Session, WorkJudgement, WorkVerdict
from recollect.model.signal import Trail
from recollect.model.step import Message, Steps
from recollect.model.value import dataclass, replace
from recollect.observe.cochange import learn_steps
from recollect.observe.killed_sessions import end_killed_sessions, was_killed
from recollect.observe.methodology import ActiveMethodology, FindMethodology, find_no_methodology
from recollect.observe.steps import build_steps
from recollect.observe.transcript_words import add_transcript_words
from recollect.observe.units import MAX_PROMOTED, WorkUnit, split_units
from recollect.predict_files import past_sessions
from recollect.store.tables import events as event_rows
from recollect.store.tables import scratchpad, sessions
from recollect.store.tables import scratchpad as trail_rows

ACTOR = "observer"
# A session of which nothing was heard for so long is over, whoever failed to say so.
SILENT = timedelta(hours=SESSION_SILENT_HOURS)
# Up to so many sub-units stand or fall together; of more, each passes by itself.
ALL_OR_NOTHING = 5
# So many sessions are read before the first of them is learned from.
READ_AHEAD = 8
SAYS_IT_TOO = 0.5

# Somebody's word rather than what was seen.
_CLAIMED = frozenset({NoteOrigin.AGENT, NoteOrigin.GIVEN_UP})
_RESTS_ON_CHANGE = frozenset(
    {NoteOrigin.AGENT, NoteOrigin.ERROR_RETRY, NoteOrigin.LINT_RULE, NoteOrigin.BACKTRACK}
)
_ERRORS = frozenset({NoteOrigin.ERROR_RETRY, NoteOrigin.LINT_RULE})
_STATES = {
    WorkVerdict.PASSED: NoteState.VALIDATED,
    WorkVerdict.FAILED: NoteState.DISCARDED,
    WorkVerdict.UNKNOWN: NoteState.HELD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSession:
    """What came of a session: the verdict on each unit of work, what it noted, and the memories that are new."""

    session_id: str
    verdicts: tuple[tuple[str, WorkJudgement], ...] = ()
    notes: int = 0
    memories: tuple[Memory, ...] = ()
    # It had been learned from to its end before.
    already: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _SessionReading:
    """A session as the observer sees it: its steps, its units of work, and the verdict on each."""

    session: Session
    steps: Steps
    units: Sequence[tuple[WorkUnit, WorkJudgement]]
    events: Sequence[Event] = ()
    # What it shows, as notes that nobody has judged yet.
    seen: Sequence[Note] = ()
    way: ActiveMethodology | None = None
    # Its process was gone before anybody ended it.
    was_killed: bool = False


def learn_session(
    door: WriteContext,
    session_id: str,
    *,
    phrase: Phrase = keep_own_words,
    only: str | None = None,
    way_of: FindMethodology = find_no_methodology,
    reflect: Reflect = reflect_nothing,
    hear: Listen = listen,
) -> LearnedSession:
    """Learn from one session; `only` one unit of it, while the session goes on."""
    means = _LearningMeans(phrase=phrase, way_of=way_of, reflect=reflect, hear=hear)
    _add_words(door, [session_id], means)
    return _learn(door, _get_session(door, session_id), means, only)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LearningMeans:
    """What learning works with: a model for better words, the methodology, and who is asked and heard."""

    phrase: Phrase = keep_own_words
    way_of: FindMethodology = find_no_methodology
    reflect: Reflect = reflect_nothing
    hear: Listen = listen


def _get_session(door: WriteContext, session_id: str) -> Session:
    session = sessions.find_session(door.db, session_id)
    if session is None:
        raise NotFound(what="session", name=session_id)
    return session


def _learn(
    door: WriteContext,
    session: Session,
    means: _LearningMeans,
    only: str | None,
    ahead: _SessionReading | None = None,
) -> LearnedSession:
    session_id = session.id
    # Whoever called, it is the observer that speaks now, and it has no person's rights.
    door = replace(door, channel=Channel.OBSERVED)
    before = scratchpad.read_learned_until(door.db, session_id)
    if before is not None and before >= session.last_at and only is None:
        return LearnedSession(session_id=session_id, already=True)
    # What was read ahead holds as long as the session did not go on.
    if ahead is None or ahead.session.last_at != session.last_at:
        ahead = _read(session, event_rows.list_events(door.db, session_id), means, only)
    reading, events = ahead, ahead.events
    trails = _trails(reading)
    notes = _notes(door, reading, trails)
    if only is None and before is None:
        notes += _reflected(reading, notes, means.reflect)
    occasion = PromotionOccasion(
        session_id=session_id,
        project_id=session.project_id,
        moment=session.last_at,
        caps=_caps(reading),
        phrase=means.phrase,
    )
    ready = [note for note in notes if note.state is NoteState.VALIDATED and _may_rise(note)]
    made = plan_promotion(door, occasion, ready)
    outcomes = _outcomes(reading, notes)
    insights = draft_insights(
        door.db, session, _outers(reading, only), [draft for _, draft in outcomes], means.phrase
    )
    door = prepare_context(door, session.project_id, insights)
    act = begin_act(door, "learn", ACTOR, why=f"session {session_id}")
    with door.db.transaction():
        if scratchpad.read_learned_until(door.db, session_id) != before:
            return LearnedSession(session_id=session_id, already=True)
        for note in notes:
            scratchpad.save_note(door.db, note, session.branch)
        for trail in trails:
            trail_rows.save_trail(door.db, trail)
        new = carry_out_plan(door, act, occasion, made)
        new += outcome.record_outcomes(door, act, session, outcomes, reading.units, reading.way)
        new += store_drafts(door, act, insights)
        if only is None:
            record_failures(door.db, session, reading.steps, events)
        if only is None and before is None:
            failed = [unit for unit, judged in reading.units if judged.verdict is WorkVerdict.FAILED]
            failed_trails = [build_trail(session, unit, _prompts(reading, unit)) for unit in failed]
            count_failed_recipes(door, act, session, failed_trails)
            passed = _outcome(reading) == "passed"
            judge_session_injections(door.db, session_id, passed=passed, at=act.at, act_id=act.id)
        if only is None and before is None and session.project_id:
            learn_steps(door.db, session.project_id, reading.steps)
        if only is None:
            past_sessions.record_visits(door.db, session, events)
            scratchpad.mark_learned(door.db, session_id, session.last_at, _outcome(reading))
            sessions.record_work(door.db, session_id, work=reading.session.work, phase=_phase(reading))
    return LearnedSession(
        session_id=session_id,
        verdicts=tuple((unit.ref, judged) for unit, judged in reading.units),
        notes=len(notes),
        memories=tuple(new),
    )


def learn_due(
    door: WriteContext,
    now: datetime,
    *,
    phrase: Phrase = keep_own_words,
    limit: int = 20,
    way_of: FindMethodology = find_no_methodology,
    reflect: Reflect = reflect_nothing,
    hear: Listen = listen,
) -> list[LearnedSession]:
    """Learn from sessions that are over or fell silent, the oldest first; at most so many in one go."""
    means = _LearningMeans(phrase=phrase, way_of=way_of, reflect=reflect, hear=hear)
    end_killed_sessions(door.db, door.new_id)
    due = scratchpad.list_sessions_to_learn(door.db, now - SILENT, limit)
    _add_words(door, due, means)
    learned: list[LearnedSession] = []
    for start in range(0, len(due), READ_AHEAD):
        readings = [_read_ahead(door, session_id, means) for session_id in due[start : start + READ_AHEAD]]
        # The model reads the words of several sessions at once in little more than half the time.
        texts = [text for reading in readings for text in _texts_ahead(door, reading)]
        knowing = precompute_embeddings(door, texts)
        for reading in readings:
            session = _get_session(door, reading.session.id)
            learned.append(_learn(knowing, session, means, None, reading))
    # Which files a session that still runs has met, the next one beside it may know already.
    past_sessions.record_due_visits(door.db)
    return learned


def _add_words(door: WriteContext, session_ids: Sequence[str], means: _LearningMeans) -> None:
    """What agents said on the way and hooks are not told, unless nobody listens to words."""
    if means.hear is not hear_nothing:
        for session_id in session_ids:
            add_transcript_words(door.db, session_id, door.excluded)


def _read_ahead(door: WriteContext, session_id: str, means: _LearningMeans) -> _SessionReading:
    session = _get_session(door, session_id)
    return _read(session, event_rows.list_events(door.db, session_id), means)


def _texts_ahead(door: WriteContext, reading: _SessionReading) -> Iterator[str]:
    """What a session will probably give to memory: what it proved at once, and the state of its work."""
    for note in reading.seen:
        is_proved = note.facts.get("proof", ProofState.PROVED) == ProofState.PROVED
        if is_proved and ("text" in note.facts or note.facts.get("diagnosis")):
            sentence = write_sentence((note,))
            yield from (sentence.text,) if sentence else ()
    for _, draft in _outcomes(reading, reading.seen):
        if door.kinds.get(draft.kind).embedded:
            yield draft.text


def _outcomes(reading: _SessionReading, notes: Sequence[Note]) -> list[tuple[WorkUnit, MemoryDraft]]:
    return outcome.draft_outcomes(
        reading.session, reading.steps, reading.units, notes, reading.way, was_killed=reading.was_killed
    )


def list_session_notes(door: WriteContext, session: Session) -> list[Note]:
    """The scratchpad of a session as it is now: what is kept, and what its steps show beyond that."""
    notes = scratchpad.list_notes(door.db, session.id)
    saved = [note for note in notes if note.origin is not NoteOrigin.FAILURE]
    known = {note.id for note in saved}
    current = find_notes(session, event_rows.list_events(door.db, session.id))
    return saved + [note for note in current if note.id not in known]


def find_notes(session: Session, events: Sequence[Event]) -> list[Note]:
    """What the events of a session show, as notes; a pure function of them."""
    return list(_read(session, events, _LearningMeans()).seen)


def may_reflect(session: Session, events: Sequence[Event]) -> bool:
    """Whether a session that goes on taught something, so that its agent may be asked about it."""
    reading = _read(session, events, _LearningMeans())
    return bool(reading.units) and may_ask_agent(reading.steps, reading.units[-1][1].verdict, reading.seen)


def _read(
    session: Session,
    events: Sequence[Event],
    means: _LearningMeans,
    only: str | None = None,
) -> _SessionReading:
    steps = build_steps(session.id, events)
    way = means.way_of(session, events, steps)
    work = str(way.unit) if way and way.unit else session.work
    judged = [
        (unit, judge_unit(unit, steps.steps, events)) for unit in split_units(steps.steps, events, work)
    ]
    judged = _standing_together(judged)
    if only is not None:
        judged = [(unit, verdict) for unit, verdict in judged if unit.ref == only]
    reading = _SessionReading(
        session=replace(session, work=work),
        steps=steps,
        units=judged,
        events=events,
        way=way,
        was_killed=was_killed(events),
    )
    return replace(reading, seen=_seen(reading, means.hear))


def _phase(reading: _SessionReading) -> str:
    return str((reading.way.phase if reading.way else None) or "")


def _standing_together(
    judged: Sequence[tuple[WorkUnit, WorkJudgement]],
) -> list[tuple[WorkUnit, WorkJudgement]]:
    outers: dict[str, list[WorkJudgement]] = {}
    for unit, verdict in judged:
        if "/" in unit.ref:
            outers.setdefault(unit.ref.rpartition("/")[0], []).append(verdict)
    return [
        (unit, _together(outers.get(unit.ref.rpartition("/")[0], []), verdict)) for unit, verdict in judged
    ]


def _together(siblings: Sequence[WorkJudgement], own: WorkJudgement) -> WorkJudgement:
    if not 1 < len(siblings) <= ALL_OR_NOTHING:
        return own
    for verdict in (WorkVerdict.FAILED, WorkVerdict.UNKNOWN):
        if worst := next((one for one in siblings if one.verdict is verdict), None):
            return worst
    return own


def _trails(reading: _SessionReading) -> list[Trail]:
    """What each unit that passed did, act by act."""
    return [
        build_trail(reading.session, unit, _prompts(reading, unit))
        for unit, judged in reading.units
        if judged.verdict is WorkVerdict.PASSED
    ]


def _notes(door: WriteContext, reading: _SessionReading, trails: Sequence[Trail]) -> list[Note]:
    """The notes of the session with what its verdicts make of them; those that are settled stay as they are."""
    verdicts = {unit.ref: judged for unit, judged in reading.units}
    known = {note.id: note for note in scratchpad.list_notes(door.db, reading.session.id)}
    settled = {note.id for note in known.values() if note.state in (NoteState.PROMOTED, NoteState.DISCARDED)}
    own = [note for note in known.values() if note.origin is NoteOrigin.AGENT]
    whole = next((judged for unit, judged in reading.units if not unit.ref), None)
    judged_notes: list[Note] = []
    taken_back = TakenBack(reading.steps.steps)
    seen = [_with_words(note, known) for note in reading.seen]
    for note in (*seen, *note_recipes(door, reading.session, trails), *own):
        judged = verdicts.get(note.work) or whole
        if note.id not in settled and judged is not None:
            judged_notes.append(_judged(note, judged, taken_back))
    return judged_notes


def _reflected(reading: _SessionReading, notes: Sequence[Note], reflect: Reflect) -> list[Note]:
    """What somebody who was asked once made of the session, as notes judged by its own work."""
    if not reading.units:
        return []
    unit, judged = reading.units[-1]
    session, taken_back = reading.session, TakenBack(reading.steps.steps)
    findings = reflect(reading.steps, judged.verdict, notes)
    own = (to_note(finding, session, unit.ref, session.last_at) for finding in findings)
    known = {note.id for note in notes}
    return [_judged(note, judged, taken_back) for note in own if note.id not in known]


def _with_words(note: Note, known: Mapping[str, Note]) -> Note:
    """What is seen again in the events, with the words that somebody gave it meanwhile."""
    words = known[note.id].facts.get("words") if note.id in known else None
    return replace(note, facts={**note.facts, "words": words}) if words else note


def _seen(reading: _SessionReading, hear: Listen) -> list[Note]:
    session = reading.session
    notes: list[Note] = []
    for unit, _ in reading.units:
        work = ObservedWork(
            steps=unit.steps,
            prompts=_prompts(reading, unit),
            given_up=unit.given_up,
            answers=reading.steps.answers,
        )
        findings = [*find_findings(work), *find_session_stats(unit)]
        notes += [to_note(finding, session, unit.ref, session.last_at) for finding in findings]
    if reading.units:
        unit, judged = reading.units[-1]
        findings = hear(reading.steps, judged.verdict)
        notes += [to_note(finding, session, unit.ref, session.last_at) for finding in findings]
    return merge_notes(_without_repeats(notes))


def _without_repeats(notes: Sequence[Note]) -> list[Note]:
    """Without corrections that were heard as directives, and words that explain an error that is noted itself."""
    heard = {event_id for note in notes if note.origin is NoteOrigin.DIRECTIVE for event_id in note.event_ids}
    diagnoses = [note.facts["diagnosis"] for note in notes if note.facts.get("diagnosis")]
    return [
        note
        for note in notes
        if not (note.origin is NoteOrigin.CORRECTION and not heard.isdisjoint(note.event_ids))
        and not (
            note.origin is NoteOrigin.WORDS
            and any(overlap(note.text, diagnosis) > SAYS_IT_TOO for diagnosis in diagnoses)
        )
    ]


def _prompts(reading: _SessionReading, unit: WorkUnit) -> Sequence[Message]:
    """What was said while a unit was worked on; all of it where no unit is named."""
    if not unit.ref or not unit.steps:
        return reading.steps.prompts
    first, last = unit.steps[0].number, unit.steps[-1].number
    return [prompt for prompt in reading.steps.prompts if first - 1 <= prompt.after_step <= last]


# What the session's own work says of a statement, whatever becomes of the rest.
_PROOFS = {"proved": NoteState.VALIDATED, "refuted": NoteState.DISCARDED, "open": NoteState.HELD}


def _judged(note: Note, judged: WorkJudgement, taken_back: TakenBack) -> Note:
    if "proof" in note.facts:
        return replace(note, state=_PROOFS[note.facts["proof"]], why=note.facts["why"])
    # A standing word of the person holds whatever came of the work; a correction of work that failed did not help.
    if note.origin is NoteOrigin.DIRECTIVE and not (
        note.kind == "correction" and judged.verdict is WorkVerdict.FAILED
    ):
        return replace(note, state=NoteState.VALIDATED, why=note.facts["why"])
    state = _STATES.get(judged.verdict)
    if state is NoteState.HELD and (note.origin is NoteOrigin.CORRECTION or _is_mended(note)):
        # Nobody knows how the work came out; what the person said of it is known, and so is the command that passed.
        state = NoteState.VALIDATED
    if state is None:
        # Nothing was changed: what was seen is true all the same, what the agent claims waits.
        claimed = note.origin in _CLAIMED
        state = NoteState.HELD if claimed else NoteState.VALIDATED
    if state is NoteState.VALIDATED and _rests_on_change(note) and taken_back.undermines(note):
        return replace(note, state=NoteState.HELD, why="the change it rests on was taken back")
    proved = _add_proof(note, judged) if state is NoteState.VALIDATED else note
    return replace(proved, state=state, why=judged.why)


def _is_mended(note: Note) -> bool:
    """Whether a note is of an error that was gone when the very command that showed it ran again."""
    return note.origin in _ERRORS and bool(note.facts.get("resolved"))


def _rests_on_change(note: Note) -> bool:
    """Whether a note holds because of what was changed; a dead end holds because it was taken back."""
    return note.origin in _RESTS_ON_CHANGE and note.kind != "dead_end"


def _add_proof(note: Note, judged: WorkJudgement) -> Note:
    """The events that prove what an agent noted: without any it would stand as a note that no work bore out."""
    if note.origin not in _CLAIMED:
        return note
    return replace(note, event_ids=tuple(dict.fromkeys((*note.event_ids, *judged.event_ids))))


def _may_rise(note: Note) -> bool:
    return note.origin is not NoteOrigin.COMMIT


def _outers(reading: _SessionReading, only: str | None) -> list[str]:
    """The units of work that may be done as a whole: the one that was judged, or all the session was part of."""
    if only is not None:
        return [only]
    return [ref for unit, _ in reading.units for ref in (unit.ref.rpartition("/")[0], unit.ref) if ref]


def _caps(reading: _SessionReading) -> dict[str, int]:
    return {unit.ref: MAX_PROMOTED[unit.complexity] for unit, _ in reading.units}


def _outcome(reading: _SessionReading) -> str:
    verdicts = {judged.verdict for _, judged in reading.units}
    if WorkVerdict.FAILED in verdicts:
        return "failed"
    return "passed" if WorkVerdict.PASSED in verdicts else ""
