"""A commit, and what it did to files."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from recollect.model.value import dataclass


class CommitChange(NamedTuple):
    """What a commit did to one file: A(dded), M(odified), D(eleted), R(enamed) or T (another type)."""

    status: str
    path: str
    # Where it stood before, if it was renamed.
    was: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit. Names may hold bytes that are not UTF-8, as surrogates."""

    sha: str
    at: datetime
    subject: str
    # What its message says below the subject.
    body: str = ""
    changes: tuple[CommitChange, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files it touched, under the names they have after it."""
        return tuple(change.path for change in self.changes)
