"""
Learning from parts of a large piece of work while it goes on.

Up to five parts of a unit stand or fall together, so nothing is learned before the end. Of more, each that passed is
learned from as soon as somebody says so or finishes it: what thirty-seven parts taught must not be lost with the
thirty-eighth.
"""

from __future__ import annotations

from recollect.capture.write_context import Door
from recollect.errors import NotFound
from recollect.learn.learn_session import ALL_OR_NOTHING, Learned, learn_session
from recollect.learn.rephrase import Phrase
from recollect.learn.validate import is_about, judged_unit
from recollect.model.event import Event, EventType
from recollect.model.verdict import Verdict
from recollect.observe.methodology import FindWay, no_way
from recollect.observe.steps import steps_of
from recollect.observe.units import Unit, units_of
from recollect.store.tables import events as event_rows
from recollect.store.tables import sessions


def learn_units(
    door: Door, session_id: str, ref: str, *, phrase: Phrase, way_of: FindWay = no_way
) -> list[Learned]:
    """Learn from the part of a unit that was just finished or judged, if it is one of many and passed."""
    session = sessions.by_id(door.db, session_id)
    if session is None:
        raise NotFound(what="session", name=session_id)
    told = event_rows.of_session(door.db, session_id)
    steps = steps_of(session_id, told).steps
    units = units_of(steps, told, session.work)
    parts = {unit.ref: unit for unit in units if _is_beside(unit.ref, ref)}
    if len(parts) <= ALL_OR_NOTHING:
        return []
    # With the sixth, the five before it no longer wait for each other.
    due = parts.values() if len(parts) == ALL_OR_NOTHING + 1 else [parts[ref]] if ref in parts else []
    return [
        learn_session(door, session_id, phrase=phrase, only=unit.ref, way_of=way_of)
        for unit in due
        # By its own steps: a check that another part runs later may cover this one at the end, not before.
        if _is_settled(unit, told) and judged_unit(unit, unit.steps, told).verdict is Verdict.PASSED
    ]


def _is_beside(ref: str, other: str) -> bool:
    outer = other.rpartition("/")[0]
    return bool(outer) and ref.rpartition("/")[0] == outer


def _is_settled(unit: Unit, told: list[Event]) -> bool:
    said = (event for event in told if event.type is EventType.VALIDATION)
    return unit.finished or any(is_about(event, unit) for event in said)
