"""A note in the scratchpad: something seen or said in a session that becomes a memory if the work proves good."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.subject import Subject
from recollect.model.value import dataclass, field


class NoteState(StrEnum):
    """What has become of a note."""

    OPEN = "open"
    # Its work proved good; it waits until it was seen often enough.
    VALIDATED = "validated"
    # Nobody can tell whether its work is good; a later session or a person will.
    HELD = "held"
    PROMOTED = "promoted"
    DISCARDED = "discarded"


class NoteOrigin(StrEnum):
    """Where a note comes from."""

    AGENT = "agent"
    FILE_ACCESS = "file_access"
    CO_ACCESS = "co_access"
    # Two files that get the same edits.
    TWIN = "twin"
    ERROR_RETRY = "error_retry"
    # A rule of a linter that the project holds its code to.
    LINT_RULE = "lint_rule"
    BACKTRACK = "backtrack"
    DEAD_END = "dead_end"
    # Somebody said outright that an approach leads nowhere.
    GIVEN_UP = "given_up"
    CORRECTION = "correction"
    # What the agent said while it worked, as far as the work proved it.
    WORDS = "words"
    # What the person said that holds beyond the moment.
    DIRECTIVE = "directive"
    E2E = "e2e"
    COMMIT = "commit"
    # A way of working that several sessions shared.
    RECIPE = "recipe"
    # Something that went wrong; three alike give a lesson (`learn/lessons`).
    FAILURE = "failure"
    # What sessions in a module need, what they cost, how their steps compare with the plan: kept current.
    PREFETCH = "prefetch"
    COST = "cost"
    PLAN = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note. Two notes with a key in common are about the same thing, in whatever session they were made."""

    id: str
    session_id: str
    at: datetime
    origin: NoteOrigin
    kind: str
    text: str
    keys: tuple[str, ...]
    # How often it was seen in its session.
    count: int = 1
    project_id: str | None = None
    agent: str = ""
    step: int = 0
    work: str = ""
    subjects: tuple[Subject, ...] = ()
    # What the sentence is built from, and what the kind keeps.
    facts: Mapping[str, Any] = field(default_factory=dict)
    state: NoteState = NoteState.OPEN
    why: str = ""
    event_ids: tuple[str, ...] = ()
    commit_sha: str = ""
    memory_id: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files it is about."""
        return tuple(subject.name for subject in self.subjects if subject.type == "file")
