"""
Learning from parts of a large piece of work while it goes on.

Up to five parts of a unit stand or fall together, so nothing is learned before the end. Of more, each that passed is
learned from as soon as somebody says so or finishes it: what thirty-seven parts taught must not be lost with the
thirty-eighth.
"""

from __future__ import annotations

from recollect.capture.write_context import WriteContext
from recollect.errors import NotFound
from recollect.learn.learn_session import ALL_OR_NOTHING, LearnedSession, learn_session
from recollect.learn.listen import Listen, listen
from recollect.learn.rephrase import Phrase
from recollect.learn.validate import is_about, judge_unit
from recollect.model.event import Event, EventType
from recollect.model.session import WorkVerdict
from recollect.observe.methodology import FindMethodology, find_no_methodology
from recollect.observe.steps import build_steps
from recollect.observe.units import WorkUnit, split_units
from recollect.store.tables import events as event_rows
from recollect.store.tables import sessions


def learn_units(
    context: WriteContext,
    session_id: str,
    ref: str,
    *,
    phrase: Phrase,
    way_of: FindMethodology = find_no_methodology,
    hear: Listen = listen,
) -> list[LearnedSession]:
    """Learn from the part of a unit that was just finished or judged, if it is one of many and passed."""
    session = sessions.find_session(context.db, session_id)
    if session is None:
        raise NotFound(what="session", name=session_id)
    events = event_rows.list_events(context.db, session_id)
    steps = build_steps(session_id, events).steps
    units = split_units(steps, events, session.work)
    parts = {unit.ref: unit for unit in units if _is_beside(unit.ref, ref)}
    if len(parts) <= ALL_OR_NOTHING:
        return []
    # With the sixth, the five before it no longer wait for each other.
    due = parts.values() if len(parts) == ALL_OR_NOTHING + 1 else [parts[ref]] if ref in parts else []
    return [
        learn_session(context, session_id, phrase=phrase, only=unit.ref, way_of=way_of, hear=hear)
        for unit in due
        # By its own steps: a check that another part runs later may cover this one at the end, not before.
        if _is_settled(unit, events) and judge_unit(unit, unit.steps, events).verdict is WorkVerdict.PASSED
    ]


def _is_beside(ref: str, other_ref: str) -> bool:
    outer = other_ref.rpartition("/")[0]
    return bool(outer) and ref.rpartition("/")[0] == outer


def _is_settled(unit: WorkUnit, events: list[Event]) -> bool:
    verdicts = (event for event in events if event.type is EventType.VALIDATION)
    return unit.finished or any(is_about(event, unit) for event in verdicts)
