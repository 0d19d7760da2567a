"""Filling a set of places so that one source cannot take them all."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    Ranked = TypeVar("Ranked")

# At most this share of the places goes to one source that nobody stands behind.
MOST_SHARE = 1 / 3


def filled(
    ranked: Iterable[Ranked], places: int, untrusted_source: Callable[[Ranked], str | None]
) -> list[Ranked]:
    """
    Fill the places of a set from what is ranked best first; what somebody stands behind has no source (None).

    That stands above the others, each group in its order. One untrusted source fills at most a third of the places,
    even if others stay empty: a flood must not become the whole of what an agent reads.
    """
    most = max(1, int(places * MOST_SHARE))
    taken: dict[str, int] = {}
    trusted: list[Ranked] = []
    others: list[Ranked] = []
    for one in ranked:
        source = untrusted_source(one)
        if source is None:
            trusted.append(one)
        elif taken.get(source, 0) < most:
            taken[source] = taken.get(source, 0) + 1
            others.append(one)
    return [*trusted, *others][:places]
