"""People who share a store: roles, keys, grants, and what each of them did."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from recollect.model.value import dataclass

EVERY_PROJECT = "*"
# Who did it, when that person's data has been removed.
REMOVED_PERSON = "removed"


class Mode(StrEnum):
    """What an act does to a store; whoever adds one says it."""

    # Health, and the description of what can be asked for.
    OPEN = "open"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class TeamRole(StrEnum):
    """What a person may do in their organisation."""

    ADMIN = "admin"
    MEMBER = "member"
    READER = "reader"

    def allows(self, mode: Mode) -> bool:
        """Whether this role may do such a thing at all; which project is another question."""
        return mode in _ALLOWED[self]

    def at_most(self, other: TeamRole) -> TeamRole:
        """The lesser of two roles."""
        return self if _RANKS[self] <= _RANKS[other] else other


_ALLOWED = {
    TeamRole.READER: frozenset({Mode.OPEN, Mode.READ}),
    TeamRole.MEMBER: frozenset({Mode.OPEN, Mode.READ, Mode.WRITE}),
    TeamRole.ADMIN: frozenset(Mode),
}
_RANKS = {TeamRole.READER: 0, TeamRole.MEMBER: 1, TeamRole.ADMIN: 2}


class Sharing(StrEnum):
    """When what a person's sessions learn in a project becomes everybody's."""

    # When they share it.
    PERSONAL = "personal"
    # When they share it and a second person agrees.
    REVIEW = "review"
    # At once.
    DIRECT = "direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody with an account."""

    name: str
    role: TeamRole
    # An argon2 hash; empty: they have no password, and come by a key alone.
    password: str = ""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """A key of a program, without the key."""

    prefix: str
    person: str
    digest: str
    label: str
    # The most it may: never more than its person.
    role: TeamRole
    # Whether an agent holds it.
    agent: bool
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectGrant:
    """A project that a person may see, and whether they may write there."""

    project_id: str
    may_write: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Who did what and when, and how it was answered; never what a memory says."""

    seq: int
    at: datetime
    person: str
    token: str
    act: str
    target: str
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRequest:
    """A memory that a person would share, and why."""

    memory_id: str
    person: str
    at: datetime
    why: str
