"""How much of a set one source may fill. What a person or validated work stands behind comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from recollect.model.memory import Memory
from recollect.model.trust import is_trusted

# At most this share of the places goes to one source that nobody stands behind.
MOST_SHARE = 1 / 3


def shared_out(ranked: Iterable[Memory], places: int) -> list[Memory]:
    """
    Fill the places of a set from memories ranked best first.

    Trusted ones stand above the others, each group in its order. One untrusted source fills at most a third of the
    places, even if others stay empty: a flood must not become the whole of what an agent reads.
    """
    most = max(1, int(places * MOST_SHARE))
    taken: Counter[str] = Counter()
    trusted: list[Memory] = []
    others: list[Memory] = []
    for memory in ranked:
        if is_trusted(memory):
            trusted.append(memory)
        elif taken[source_of(memory)] < most:
            taken[source_of(memory)] += 1
            others.append(memory)
    return [*trusted, *others][:places]


def source_of(memory: Memory) -> str:
    """What counts as one source: a way, and the session that used it."""
    return f"{memory.provenance.channel} {memory.provenance.session_id or ''}"
