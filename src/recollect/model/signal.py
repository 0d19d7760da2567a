"""The six signals that watching a session yields, before anybody knows whether they matter."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from recollect.model.observation import Fault
from recollect.model.value import dataclass


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
    # A linter said so, not a test or a compiler.
    is_lint: bool = False
    remedy: Remedy | None = None
    # The step that passed at last; 0 while none did.
    solved_step: int = 0
    event_ids: tuple[str, ...] = ()


class BacktrackCause(StrEnum):
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
    cause: BacktrackCause
    # What was read, or had to be changed as well, in between.
    others: tuple[str, ...] = ()
    # The check that failed in between, and what it said.
    command: str = ""
    fault: Fault | None = None
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SequencePart:
    """One act of a sequence: what was done, to which file and to what sort of file, or by which command."""

    action: str
    # A folder and an ending, as `src/api/*.py`; of a command, what makes two runs of it the same.
    where: str = ""
    # The very file, or the command as a reader wants to see it.
    exact: str = ""
    event_id: str = ""

    def __str__(self) -> str:
        return f"{self.action} {self.where}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """What was done, in order, every act once."""

    parts: tuple[SequencePart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAnomaly:
    """A file that held the agent up far longer than the session's other files did."""

    file: str
    dwell: timedelta
    usual: timedelta
    reads: int
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRequest:
    """A request that was said anew after what came of it had failed."""

    before: str
    now: str
    step: int
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AbandonedWork:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """The acts of one unit of work of one session, and what was asked for."""

    session_id: str
    at: datetime
    parts: tuple[SequencePart, ...]
    project_id: str | None = None
    work: str = ""
    task: str = ""
