"""A session cut into the units of work that were named in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.model.complexity import GATES
from recollect.model.complexity import Complexity as Complexity
from recollect.model.event import Event, EventType
from recollect.model.step import Step

# At most so many memories come out of a piece of work.
MOST_PROMOTED = {complexity: gate.most_promoted for complexity, gate in GATES.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The steps of a session that belong to one unit of work; `ref` is empty where none was named."""

    ref: str = ""
    steps: tuple[Step, ...] = ()
    planned: int = 0
    given: Complexity | None = None
    finished: bool = False
    # What was said when it was finished: passed or failed.
    outcome: str = ""
    reason: str = ""
    event_ids: tuple[str, ...] = ()

    @property
    def complexity(self) -> Complexity:
        """As it was said, else from how much was done."""
        return self.given or derived_complexity(self.steps)


def derived_complexity(steps: Sequence[Step]) -> Complexity:
    """From how many steps were taken and how many files they changed."""
    files = {file for step in steps for file in step.files if step.edits or step.action in ("edit", "create")}
    if len(steps) <= 8 and len(files) <= 1:
        return Complexity.TRIVIAL
    return Complexity.COMPLEX if len(steps) > 80 or len(files) > 15 else Complexity.STANDARD


def units_of(steps: Sequence[Step], events: Iterable[Event], work: str = "") -> list[Unit]:
    """The units in the order they began; steps outside of any belong to what the session was started for."""
    begun: list[tuple[datetime, datetime | None, Unit]] = []
    for event in sorted(events, key=lambda event: event.at):
        ref = str(event.data.get("work") or event.data.get("unit") or "")
        if event.type is EventType.WORK_STARTED:
            begun.append((event.at, None, _started(ref, event)))
        elif event.type is EventType.WORK_FINISHED:
            _finish(begun, ref, event)
    units = [
        replace(
            unit, steps=tuple(step for step in steps if first <= step.at and (not last or step.at <= last))
        )
        for first, last, unit in begun
    ]
    taken = {step.number for unit in units for step in unit.steps}
    rest = tuple(step for step in steps if step.number not in taken)
    return [*units, Unit(ref=work if not units else "", steps=rest)] if rest or not units else units


def _started(ref: str, event: Event) -> Unit:
    planned = event.data.get("planned")
    given = event.data.get("complexity")
    return Unit(
        ref=ref,
        planned=planned if isinstance(planned, int) and planned > 0 else 0,
        given=Complexity(given) if given in set(Complexity) else None,
        event_ids=(event.id,),
    )


def _finish(begun: list[tuple[datetime, datetime | None, Unit]], ref: str, event: Event) -> None:
    for at, (first, last, unit) in enumerate(begun):
        if last is None and unit.ref == ref:
            outcome = str(event.data.get("outcome") or event.data.get("verdict") or "")
            done = replace(
                unit, finished=True, outcome=outcome, reason=event.text, event_ids=(*unit.event_ids, event.id)
            )
            begun[at] = (first, event.at, done)
            return
