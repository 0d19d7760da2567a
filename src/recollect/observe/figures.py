"""Figures of whole sessions: what they cost, and how many steps a planned piece of work really took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from posixpath import dirname

from recollect.model.note import NoteOrigin
from recollect.model.session import Session
from recollect.model.step import Step
from recollect.model.workref import parse_workref
from recollect.observe.inference import Seen
from recollect.observe.signals.file_access import is_change
from recollect.observe.units import Unit


def figures_of(session: Session, unit: Unit) -> Iterator[Seen]:
    """What a unit of work gives to count."""
    module = module_of(unit.steps)
    if not module:
        return
    if session.tokens:
        yield Seen(
            origin=NoteOrigin.COST,
            kind="context_cost",
            keys=(f"cost:{module}",),
            facts={"module": module, "tokens": session.tokens},
            event_ids=unit.steps[-1].event_ids,
        )
    if unit.planned and unit.ref:
        methodology = parse_workref(unit.ref).methodology
        yield Seen(
            origin=NoteOrigin.PLAN,
            kind="task_calibration",
            keys=(f"plan:{methodology}:{module}",),
            facts={
                "module": module,
                "methodology": methodology,
                "planned": unit.planned,
                "actual": len(unit.steps),
            },
            event_ids=unit.event_ids,
        )


def module_of(steps: Sequence[Step]) -> str:
    """The folder that most changes were made in; empty if nothing was changed, or only at the top."""
    folders = Counter(dirname(file) for step in steps if is_change(step) for file in step.files)
    return folders.most_common(1)[0][0] if folders else ""
