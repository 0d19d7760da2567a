"""What a check found: right, doubtful or wrong, and what to do about it."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.value import dataclass


class Verdict(StrEnum):
    """How a check came out."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check; `fix` is the command that mends it."""

    check: str
    verdict: Verdict
    detail: str
    fix: str = ""
