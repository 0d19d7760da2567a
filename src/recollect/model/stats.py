"""How much is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from recollect.model.value import dataclass


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
