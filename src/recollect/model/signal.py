"""What watching an agent shows, before anybody knows whether it matters: six signals, each about one session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from recollect.model.fault import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAccess:
    """How a session used one file."""

    file: str
    reads: int
    edits: int
    first_step: int
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CoAccess:
    """Two files used close together, the one that came first named first."""

    first: str
    second: str
    steps_apart: int
    time_apart: timedelta
    # At least one of them was changed, so the other was not merely looked at in passing.
    one_edited: bool = False
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What lay between the last failure and the first success: the files changed and the commands run."""

    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRetry:
    """The same error met again and again, and what ended it. `remedy` is None while nothing did."""

    fault: Fault
    tool: str
    # The command that failed, as it was written.
    command: str
    count: int
    first_step: int
    last_step: int
    remedy: Remedy | None = None
    event_ids: tuple[str, ...] = ()


class Cause(StrEnum):
    """Why a file was edited a second time so soon."""

    WRONG_ASSUMPTION = "wrong_assumption"
    MISSING_CONTEXT = "missing_context"
    CASCADING_CHANGE = "cascading_change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtrack:
    """A file edited and edited again within a few steps."""

    file: str
    first_step: int
    second_step: int
    cause: Cause
    # What was read, or had to be changed as well, in between.
    others: tuple[str, ...] = ()
    # The check that failed in between, and what it said.
    command: str = ""
    fault: Fault | None = None
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SequencePart:
    """One step of a sequence: what was done, and to what sort of file."""

    action: str
    where: str

    def __str__(self) -> str:
        return f"{self.action} {self.where}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """What was done, in order, without repetitions."""

    parts: tuple[SequencePart, ...]
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAnomaly:
    """A file that held the agent up far longer than the session's other files did."""

    file: str
    dwell: timedelta
    usual: timedelta
    reads: int
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandoned:
    """Work on files that was taken back, and what was done instead."""

    files: tuple[str, ...]
    first_step: int
    last_step: int
    # How it was taken back: the command, or nothing when the text was put back by hand.
    command: str = ""
    # What the last failing check said before.
    fault: Fault | None = None
    instead: tuple[str, ...] = ()
    event_ids: tuple[str, ...] = ()
