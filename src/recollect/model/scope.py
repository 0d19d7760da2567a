"""Where a memory applies: its scope, and the unit of work it belongs to."""

from __future__ import annotations

from enum import StrEnum

from recollect.errors import BadInput
from recollect.model.value import dataclass


class Scope(StrEnum):
    """Where a memory applies."""

    GLOBAL = "global"
    MODULE = "module"
    WORK_UNIT = "work_unit"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRef:
    """Which unit of work a memory belongs to; only the methodology reads meaning into the hierarchy."""

    methodology: str
    hierarchy: tuple[str, ...]
    label: str

    def __post_init__(self) -> None:
        if not self.methodology.strip() or not self.hierarchy or not all(h.strip() for h in self.hierarchy):
            raise BadInput(reason=f"{self} names no unit of work; write METHODOLOGY:OUTER/INNER")

    def __str__(self) -> str:
        return f"{self.methodology}:{'/'.join(self.hierarchy)}"


def parse_workref(text: str, label: str = "") -> WorkRef:
    """Read `native:spec_042/subtask_3`; without a methodology it is native."""
    methodology, colon, path = text.partition(":")
    if not colon:
        methodology, path = "native", text
    hierarchy = tuple(part.strip() for part in path.split("/") if part.strip())
    if not hierarchy:
        raise BadInput(reason=f"{text!r} names no unit of work; write METHODOLOGY:OUTER/INNER")
    return WorkRef(methodology=methodology.strip(), hierarchy=hierarchy, label=label or " / ".join(hierarchy))
