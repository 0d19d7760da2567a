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


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthPart:
    """
    One part of the health score: its share (0 to 1), what it weighs, and the two counts it comes from.

    A part that nothing is known about yet has no share, and does not count.
    """

    name: str
    weight: int
    share: float | None
    part: float
    whole: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthScore:
    """How healthy a memory is, 0 to 100, and the parts that it is made of."""

    score: int | None
    parts: tuple[HealthPart, ...]


# What a healthy memory is, with the weight of each part; they add up to 100.
HEALTH_WEIGHTS = {"reviewed": 25, "fresh": 25, "sure": 20, "used": 15, "consistent": 15}


def compute_health_score(
    *,
    active: int,
    waiting: int,
    stale: int,
    confidence: float,
    lines_told: int,
    lines_used: int,
    conflicts: int,
) -> HealthScore:
    """The score from its counts; parts that say nothing yet leave their weight to the others."""
    counts: dict[str, tuple[float, float]] = {
        "reviewed": (active, active + waiting),
        "fresh": (active - stale, active),
        "sure": (confidence * active, active),
        "used": (lines_used, lines_told),
        # A contradiction takes two memories out of what can be relied on.
        "consistent": (max(0, active - 2 * conflicts), active),
    }
    parts = tuple(
        HealthPart(
            name=name,
            weight=weight,
            share=min(1.0, counts[name][0] / counts[name][1]) if counts[name][1] else None,
            part=counts[name][0],
            whole=counts[name][1],
        )
        for name, weight in HEALTH_WEIGHTS.items()
    )
    known = [(part.weight, part.share) for part in parts if part.share is not None]
    total = sum(weight for weight, _ in known)
    score = round(100 * sum(weight * share for weight, share in known) / total) if total else None
    return HealthScore(score=score, parts=parts)
