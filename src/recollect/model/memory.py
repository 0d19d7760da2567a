"""A memory: as a draft, as it is kept, how it relates to others, and what came of offering one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

from recollect.errors import BadInput, EmptyMemory, TextTooLong
from recollect.model.provenance import Provenance
from recollect.model.scope import Scope, WorkRef
from recollect.model.subject import Subject
from recollect.model.value import dataclass, field


class RelationType(StrEnum):
    """The closed set of relations."""

    REQUIRED_WITH = "required_with"
    CONFLICTS_WITH = "conflicts_with"
    VALIDATES = "validates"
    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """From the memory that carries it to another memory or to a file, exactly one of the two."""

    type: RelationType
    memory_id: str | None = None
    path: str | None = None
    confidence: float = 1.0
    auto_extracted: bool = False

    def __post_init__(self) -> None:
        if (self.memory_id is None) == (self.path is None):
            raise BadInput(reason="a relation points to a memory or to a file, to exactly one of them")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadInput(reason=f"the confidence of a relation is between 0 and 1, not {self.confidence}")

    def __str__(self) -> str:
        return f"{self.type} {self.memory_id or self.path}"


MAX_TEXT = 64_000
MAX_TAG = 200
MAX_LIST = 256
CITATION_LENGTH = 80


class MemoryState(StrEnum):
    """Where a memory stands between first heard and gone."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    INACTIVE = "inactive"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Whether a person has stood by it, and whether one should look."""

    verified: bool = False
    needs_review: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDraft:
    """Something worth remembering, before it has an identity. None means: as the kind says."""

    text: str
    kind: str
    subjects: tuple[Subject, ...] = ()
    tags: tuple[str, ...] = ()
    scope: Scope | None = None
    project_id: str | None = None
    work: WorkRef | None = None
    provenance: Provenance = field(default_factory=Provenance)
    trust: Trust | None = None
    state: MemoryState = MemoryState.ACTIVE
    confidence: float | None = None
    half_life_days: float | None = None
    pinned: bool = False
    citation: str = ""
    relations: tuple[Relation, ...] = ()
    fields: Mapping[str, object] = field(default_factory=dict)
    happened_at: datetime | None = None
    # The sessions whose work bore it out before it was written down.
    sessions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise EmptyMemory()
        check_length("text", self.text, MAX_TEXT)
        check_share("confidence", self.confidence)
        if self.half_life_days is not None and not self.half_life_days > 0:
            raise BadInput(reason=f"a half-life is more than 0 days, not {self.half_life_days}")
        if self.happened_at is not None:
            _check_moment(self.happened_at)
        _check_tags(self.tags)
        if len(self.subjects) > MAX_LIST:
            raise BadInput(reason=f"a memory is about at most {MAX_LIST} things, not {len(self.subjects)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Something remembered."""

    id: str
    text: str
    kind: str
    state: MemoryState
    confidence: float
    scope: Scope
    project_id: str | None
    subjects: tuple[Subject, ...]
    tags: tuple[str, ...]
    work: WorkRef | None
    provenance: Provenance
    trust: Trust
    pinned: bool
    citation: str
    half_life_days: float | None
    relations: tuple[Relation, ...]
    fields: Mapping[str, object]
    happened_at: datetime
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None
    access_count: int
    stale_at: datetime | None
    stale_why: str = ""
    # What it was worth, and when, before ageing took from it; None: as it stands, since it was made.
    base_confidence: float | None = None
    reinforced_at: datetime | None = None
    # The sessions that said or saw it again.
    sessions: tuple[str, ...] = ()
    # How often it was judged to have helped, and to have been in the way.
    useful: int = 0
    noise: int = 0
    # Whose it is, where several people share a store; None: everybody's.
    owner: str | None = None


def render_text(memory: Memory) -> str:
    """The text as it is handed to whoever asked: one that is stale says so first."""
    return (
        f"[STALE — {memory.stale_why or 'it may no longer hold'}] {memory.text}"
        if memory.stale_at
        else memory.text
    )


def make_citation(text: str) -> str:
    """A short form of a memory: its first line, cut at a word."""
    line = text.strip().partition("\n")[0]
    if len(line) <= CITATION_LENGTH:
        return line
    return line[: CITATION_LENGTH - 1].rsplit(" ", 1)[0] + "…"


def check_length(what: str, text: str, limit: int) -> None:
    """Refuse what is longer than we keep."""
    if len(text) > limit:
        raise TextTooLong(what=what, size=len(text), limit=limit)


def check_share(what: str, value: float | None) -> None:
    """Refuse what is not a share between 0 and 1 (None passes: the kind decides)."""
    if value is not None and not 0.0 <= value <= 1.0:
        raise BadInput(reason=f"the {what} is between 0 and 1, not {value}")


def _check_moment(at: datetime) -> None:
    if at.tzinfo is None:
        raise BadInput(reason="the time it happened must say its zone, such as 2026-05-08T12:00:00Z")
    try:
        at.astimezone(UTC)
    except OverflowError as error:
        raise BadInput(reason=f"the time it happened, {at}, lies outside the years 1 to 9999") from error


def _check_tags(tags: tuple[str, ...]) -> None:
    if len(tags) > MAX_LIST:
        raise BadInput(reason=f"a memory carries at most {MAX_LIST} tags, not {len(tags)}")
    for tag in tags:
        check_length("tag", tag, MAX_TAG)
        if not tag.strip():
            raise BadInput(reason="a tag is empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """It is a memory now."""

    memory: Memory
    redacted: tuple[str, ...] = ()
    hidden: int = 0
    # Why it has no vector, if its model could not be asked; `recollect reindex` makes up for it.
    unembedded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyKnown:
    """The same thing is a memory already: which, and how alike (1.0 = the same words)."""

    memory: Memory
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """It is not kept, and why."""

    reason: str


Intake = Remembered | AlreadyKnown | Refused
