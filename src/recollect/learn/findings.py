"""What the rules look at (ObservedWork) and what they return (RuleFinding): a note without its session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.model.event import Event
from recollect.model.note import NoteOrigin
from recollect.model.step import Message, Step
from recollect.model.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFinding:
    """What a rule found in one unit: a note without its session."""

    origin: NoteOrigin
    kind: str
    keys: tuple[str, ...]
    files: tuple[str, ...] = ()
    step: int = 0
    count: int = 1
    facts: Mapping[str, Any] = field(default_factory=dict)
    event_ids: tuple[str, ...] = ()
    commit_sha: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedWork:
    """What the rules look at: the steps of one unit, what the person said meanwhile, and what was given up outright."""

    steps: Sequence[Step]
    prompts: Sequence[Message] = ()
    given_up: Sequence[Event] = ()
    # What the agent said meanwhile.
    answers: Sequence[Message] = ()
