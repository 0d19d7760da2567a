"""A session cut into the units of work that were named in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from recollect.model.complexity import GATES
from recollect.model.complexity import Complexity as Complexity
from recollect.model.event import Event, EventType
from recollect.model.step import Step
from recollect.model.value import dataclass, replace

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
    # What the model was given and gave while it lasted, as far as the client told.
    tokens: int = 0
    # Approaches that somebody said lead nowhere.
    given_up: tuple[Event, ...] = ()

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


def units_of(steps: Sequence[Step], events: Sequence[Event], work: str = "") -> list[Unit]:
    """The units in the order they began; steps outside of any belong to what the session was started for."""
    spans = _spans(events)
    units = [_with_what_happened(span, steps, events) for span in spans]
    taken = {step.number for unit in units for step in unit.steps}
    heard = {event.id for unit in units for event in unit.given_up}
    rest = Unit(
        ref=work if not units else "",
        steps=tuple(step for step in steps if step.number not in taken),
        tokens=max(0, _tokens(events) - sum(unit.tokens for unit in units)),
        given_up=tuple(event for event in _given_up(events) if event.id not in heard),
    )
    return [*units, rest] if rest.steps or rest.given_up or not units else units


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    first: datetime
    unit: Unit
    last: datetime | None = None

    def holds(self, at: datetime) -> bool:
        return self.first <= at and (self.last is None or at <= self.last)


def _spans(events: Iterable[Event]) -> list[_Span]:
    begun: list[_Span] = []
    for event in sorted(events, key=lambda event: event.at):
        ref = str(event.data.get("work") or event.data.get("unit") or "")
        if event.type is EventType.WORK_STARTED:
            begun.append(_Span(first=event.at, unit=_started(ref, event)))
        elif event.type is EventType.WORK_FINISHED:
            _finish(begun, ref, event)
    return begun


def _with_what_happened(span: _Span, steps: Sequence[Step], events: Sequence[Event]) -> Unit:
    meanwhile = [event for event in events if span.holds(event.at)]
    return replace(
        span.unit,
        steps=tuple(step for step in steps if span.holds(step.at)),
        tokens=_tokens(meanwhile),
        given_up=tuple(_given_up(meanwhile)),
    )


def _tokens(events: Iterable[Event]) -> int:
    told = (event.data.get("tokens") for event in events)
    return sum(tokens for tokens in told if isinstance(tokens, int))


def _given_up(events: Iterable[Event]) -> Iterator[Event]:
    return (event for event in events if event.type is EventType.DEAD_END and event.text.strip())


def _started(ref: str, event: Event) -> Unit:
    planned = event.data.get("planned")
    given = event.data.get("complexity")
    return Unit(
        ref=ref,
        planned=planned if isinstance(planned, int) and planned > 0 else 0,
        given=Complexity(given) if given in set(Complexity) else None,
        event_ids=(event.id,),
    )


def _finish(begun: list[_Span], ref: str, event: Event) -> None:
    for at, span in enumerate(begun):
        if span.last is None and span.unit.ref == ref:
            outcome = str(event.data.get("outcome") or event.data.get("verdict") or "")
            done = replace(
                span.unit,
                finished=True,
                outcome=outcome,
                reason=event.text,
                event_ids=(*span.unit.event_ids, event.id),
            )
            begun[at] = replace(span, last=event.at, unit=done)
            return
