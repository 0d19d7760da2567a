"""A session as the steps an agent took: each call joined with how it ended, numbered in order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.model.event import ToolAction
from recollect.model.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """
    What an edit did to one file, without its text: equal hashes mean equal text.

    `before` and `after` stand for the whole file, `removed` and `added` for the passage; each is empty when the client
    did not show it.
    """

    file: str
    before: str = ""
    after: str = ""
    removed: str = ""
    added: str = ""
    # The first and the last line the edit touched, as the file is afterwards.
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a tool. `ok` is None while nobody said how it ended."""

    number: int
    at: datetime
    tool: str
    action: ToolAction
    # Which subagent took it; empty for the session's own agent.
    agent: str = ""
    call_id: str = ""
    files: tuple[str, ...] = ()
    command: str = ""
    finished_at: datetime | None = None
    ok: bool | None = None
    exit_code: int | None = None
    output: str = ""
    duration_ms: int | None = None
    edits: tuple[Edit, ...] = ()
    # A person or a rule said no, so nothing was done.
    denied: bool = False
    # Stopped by the person while it ran.
    interrupted: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A prompt, an answer or a compaction's summary, and after how many steps it came."""

    at: datetime
    text: str
    event_id: str
    after_step: int
    agent: str = ""
    # A program wrote this prompt: the end of a background task, a command's echo.
    machine: bool = False
    interrupted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """All that was done and said in a session."""

    session_id: str
    steps: tuple[Step, ...] = ()
    prompts: tuple[Message, ...] = ()
    answers: tuple[Message, ...] = ()
    compactions: tuple[Message, ...] = ()
    # How many events this version has no name for.
    unknown: int = 0
