"""What a caller says outright about work: it begins, it is finished, it passed or failed. Each is an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from recollect.errors import BadInput
from recollect.model.complexity import Complexity
from recollect.model.event import Event, EventType
from recollect.model.workref import parse_workref

Record = Callable[..., Event]
VERDICTS = ("pass", "fail")
OUTCOMES = ("passed", "failed", "abandoned")


def verdict(record: Record, said: str, *, session: str, unit: str = "", why: str = "", by: str = "") -> Event:
    """The work of a session, or one unit of it, passed or failed."""
    if said not in VERDICTS:
        raise BadInput(reason=f"a verdict is pass or fail, not {said!r}")
    data: dict[str, Any] = {"verdict": said, "by": by}
    if unit:
        data["unit"] = str(parse_workref(unit))
    return record(EventType.VALIDATION, session=session, text=why, data=data)


def started(record: Record, ref: str, *, session: str, planned: int = 0, complexity: str = "") -> Event:
    """A unit of work begins."""
    if planned < 0:
        raise BadInput(reason=f"the planned steps are at least 0, not {planned}")
    if complexity and complexity not in set(Complexity):
        raise BadInput(reason=f"the complexity is {', '.join(Complexity)}, not {complexity!r}")
    data: dict[str, Any] = {"work": str(parse_workref(ref))}
    if planned:
        data["planned"] = planned
    if complexity:
        data["complexity"] = complexity
    return record(EventType.WORK_STARTED, session=session, data=data)


def dead_end(
    record: Record,
    tried: str,
    *,
    session: str,
    why: str = "",
    instead: str = "",
    files: Sequence[str] = (),
    by: str = "",
) -> Event:
    """An approach leads nowhere."""
    if not tried.strip():
        raise BadInput(reason="say what was tried")
    data = {name: said for name, said in (("why", why), ("instead", instead), ("by", by)) if said}
    return record(EventType.DEAD_END, session=session, text=tried, files=files, data=data)


def finished(record: Record, ref: str, *, session: str, outcome: str = "", why: str = "") -> Event:
    """A unit of work is finished; without an outcome its checks will tell."""
    if outcome and outcome not in OUTCOMES:
        raise BadInput(reason=f"an outcome is {', '.join(OUTCOMES)}, not {outcome!r}")
    data: dict[str, Any] = {"work": str(parse_workref(ref))}
    if outcome:
        data["outcome"] = outcome
    return record(EventType.WORK_FINISHED, session=session, text=why, data=data)
