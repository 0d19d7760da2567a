"""Source quota: filling a limited number of places so that one untrusted source cannot take them all."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from recollect.model.memory import Memory

    Ranked = TypeVar("Ranked")

# At most this share of the places goes to one source that nobody vouches for.
MAX_SOURCE_SHARE = 1 / 3


def fill_places(
    ranked: Iterable[Ranked], places: int, untrusted_source: Callable[[Ranked], str | None]
) -> list[Ranked]:
    """
    Fill the places from items ranked best first; `untrusted_source` is None for what somebody vouches for.

    Trusted items come before the others, each group in its order. One untrusted source fills at most a third of the
    places, even if others stay empty: a flood must not become all that an agent reads.
    """
    max_of_one = max(1, int(places * MAX_SOURCE_SHARE))
    taken: dict[str, int] = {}
    trusted: list[Ranked] = []
    untrusted: list[Ranked] = []
    for item in ranked:
        source = untrusted_source(item)
        if source is None:
            trusted.append(item)
        elif taken.get(source, 0) < max_of_one:
            taken[source] = taken.get(source, 0) + 1
            untrusted.append(item)
    return [*trusted, *untrusted][:places]


def select_memories_by_quota(ranked: Iterable[Memory], places: int) -> list[Memory]:
    """Fill the places from memories ranked best first; people and validated work are trusted."""
    # Here: the hook after a tool's result imports this module and has no time to load the model.
    from recollect.model.trust import is_trusted

    return fill_places(ranked, places, lambda memory: None if is_trusted(memory) else source_of(memory))


def source_of(memory: Memory) -> str:
    """What counts as one source: a channel, and the session that used it."""
    return f"{memory.provenance.channel} {memory.provenance.session_id or ''}"
