"""Whether work proved good, who says so, and from what."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.value import dataclass


class Verdict(StrEnum):
    """How a piece of work came out."""

    PASSED = "passed"
    FAILED = "failed"
    # Nothing was changed, so nothing could break: what was seen counts.
    UNTOUCHED = "untouched"
    UNKNOWN = "unknown"


class JudgedBy(StrEnum):
    """What the verdict rests on, the strongest first."""

    PERSON = "said"
    CHECKS = "checks"
    COMMIT = "commit"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The verdict on a piece of work."""

    verdict: Verdict
    by: JudgedBy = JudgedBy.NOBODY
    why: str = ""
    event_ids: tuple[str, ...] = ()
