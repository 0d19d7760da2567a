"""The health of a store: what its checks found, and how much it holds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from recollect.model.value import dataclass


class FindingLevel(StrEnum):
    """How a check came out."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check; `fix` is the command that mends it."""

    check: str
    verdict: FindingLevel
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts over one project or over all."""

    memories: int
    by_kind: Mapping[str, int]
    by_state: Mapping[str, int]
    pinned: int
    needs_review: int
    accesses: int
    tokens: int
    oldest: datetime | None
    newest: datetime | None
    bytes_on_disk: int
    vectors: Mapping[str, int]
