"""How much of a set one source may fill. What a person or validated work stands behind comes first."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.inject.fill import MOST_SHARE, filled
from recollect.model.memory import Memory
from recollect.model.trust import is_trusted

__all__ = ["MOST_SHARE", "shared_out", "source_of"]


def shared_out(ranked: Iterable[Memory], places: int) -> list[Memory]:
    """Fill the places of a set from memories ranked best first."""
    return filled(ranked, places, lambda memory: None if is_trusted(memory) else source_of(memory))


def source_of(memory: Memory) -> str:
    """What counts as one source: a way, and the session that used it."""
    return f"{memory.provenance.channel} {memory.provenance.session_id or ''}"
