"""Work units: a session split by the units of work that were named in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from recollect.model.complexity import GATES
from recollect.model.complexity import Complexity as Complexity
from recollect.model.event import Event, EventType
from recollect.model.step import Step
from recollect.model.value import dataclass, replace

# At most so many memories come out of a piece of work.
MAX_PROMOTED = {complexity: gate.most_promoted for complexity, gate in GATES.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkUnit:
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
    # What the model was given and gave while it lasted, as far as the client told.
    tokens: int = 0
    # Approaches that somebody said lead nowhere.
    given_up: tuple[Event, ...] = ()

    @property
    def complexity(self) -> Complexity:
        """As it was said, else from how much was done."""
        return self.given or derive_complexity(self.steps)


def derive_complexity(steps: Sequence[Step]) -> Complexity:
    """From how many steps were taken and how many files they changed."""
    files = {file for step in steps for file in step.files if step.edits or step.action in ("edit", "create")}
    if len(steps) <= 8 and len(files) <= 1:
        return Complexity.TRIVIAL
    return Complexity.COMPLEX if len(steps) > 80 or len(files) > 15 else Complexity.STANDARD


def split_units(steps: Sequence[Step], events: Sequence[Event], work: str = "") -> list[WorkUnit]:
    """The units in the order they began; steps outside of any belong to what the session was started for."""
    spans = _find_spans(events)
    units = [_fill_unit(span, steps, events) for span in spans]
    numbers_in_units = {step.number for unit in units for step in unit.steps}
    ids_in_units = {event.id for unit in units for event in unit.given_up}
    remainder = WorkUnit(
        ref=work if not units else "",
        steps=tuple(step for step in steps if step.number not in numbers_in_units),
        tokens=max(0, _count_tokens(events) - sum(unit.tokens for unit in units)),
        given_up=tuple(event for event in _list_dead_ends(events) if event.id not in ids_in_units),
    )
    return [*units, remainder] if remainder.steps or remainder.given_up or not units else units


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnitSpan:
    first: datetime
    unit: WorkUnit
    last: datetime | None = None

    def holds(self, at: datetime) -> bool:
        return self.first <= at and (self.last is None or at <= self.last)


def _find_spans(events: Iterable[Event]) -> list[_UnitSpan]:
    begun: list[_UnitSpan] = []
    for event in sorted(events, key=lambda event: event.at):
        ref = str(event.data.get("work") or event.data.get("unit") or "")
        if event.type is EventType.WORK_STARTED:
            begun.append(_UnitSpan(first=event.at, unit=_start_unit(ref, event)))
        elif event.type is EventType.WORK_FINISHED:
            _finish_span(begun, ref, event)
    return begun


def _fill_unit(span: _UnitSpan, steps: Sequence[Step], events: Sequence[Event]) -> WorkUnit:
    meanwhile = [event for event in events if span.holds(event.at)]
    return replace(
        span.unit,
        steps=tuple(step for step in steps if span.holds(step.at)),
        tokens=_count_tokens(meanwhile),
        given_up=tuple(_list_dead_ends(meanwhile)),
    )


def _count_tokens(events: Iterable[Event]) -> int:
    counts = (event.data.get("tokens") for event in events)
    return sum(tokens for tokens in counts if isinstance(tokens, int))


def _list_dead_ends(events: Iterable[Event]) -> Iterator[Event]:
    return (event for event in events if event.type is EventType.DEAD_END and event.text.strip())


def _start_unit(ref: str, event: Event) -> WorkUnit:
    planned = event.data.get("planned")
    complexity = event.data.get("complexity")
    return WorkUnit(
        ref=ref,
        planned=planned if isinstance(planned, int) and planned > 0 else 0,
        given=Complexity(complexity) if complexity in set(Complexity) else None,
        event_ids=(event.id,),
    )


def _finish_span(begun: list[_UnitSpan], ref: str, event: Event) -> None:
    for at, span in enumerate(begun):
        if span.last is None and span.unit.ref == ref:
            outcome = str(event.data.get("outcome") or event.data.get("verdict") or "")
            finished = replace(
                span.unit,
                finished=True,
                outcome=outcome,
                reason=event.text,
                event_ids=(*span.unit.event_ids, event.id),
            )
            begun[at] = replace(span, last=event.at, unit=finished)
            return
