"""
Closed frequent subsequences, by BIDE (Wang and Han, 2004): each longest way of saying what several sequences share.

A sequence is a list of elements, an element the names of one act: its file by name and as one of a sort. A pattern is a
list of names, in order, with anything between. It is closed when no longer pattern is shared by the same sequences; of
the others nothing new is learned. A prefix that could be extended backwards everywhere leads to no closed pattern and
is not followed, which is what keeps three nearly equal sessions from having a million patterns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from recollect.model.value import dataclass

Element = AbstractSet[str]
# So many prefixes are looked at; three sessions of sixty acts need a few hundred.
MAX_PREFIXES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedPattern:
    """What is shared, in order, and by which sequences."""

    items: tuple[str, ...]
    support: tuple[int, ...]


def find_closed_patterns(
    sequences: Sequence[Sequence[Element]], *, fewest: int, through: int, most: int = MAX_PREFIXES
) -> list[ClosedPattern]:
    """
    The closed patterns that at least `fewest` sequences share, among them the one at `through`.

    What does not go through the newest sequence was found when an older one was the newest.
    """
    search = _Search(sequences, fewest, through, most)
    search.grow((), dict.fromkeys(range(len(sequences)), -1))
    return search.patterns


class _Search:
    def __init__(self, sequences: Sequence[Sequence[Element]], fewest: int, through: int, most: int) -> None:
        self._sequences = sequences
        self._places = [_index_places(sequence) for sequence in sequences]
        self._fewest = fewest
        self._through = through
        self._left = most
        self.patterns: list[ClosedPattern] = []

    def grow(self, items: tuple[str, ...], ends: dict[int, int]) -> None:
        """Look at a prefix and all that begins with it. `ends` says where its first occurrence in each ends."""
        self._left -= 1
        if items and self._is_backward_extensible(items, ends):
            return
        longer = list(self._list_extensions(ends))
        is_whole = all(len(further) < len(ends) for _, further in longer)
        if items and is_whole and not self._has_backward_extension(items, ends):
            self.patterns.append(ClosedPattern(items=items, support=tuple(sorted(ends))))
        for item, further in longer:
            if self._left <= 0:
                return
            self.grow((*items, item), further)

    def _list_extensions(self, ends: dict[int, int]) -> Iterator[tuple[str, dict[int, int]]]:
        """Every name that may come next, in the order of the sequence looked through."""
        following = self._sequences[self._through][ends[self._through] + 1 :]
        for item in dict.fromkeys(name for element in following for name in sorted(element)):
            further = {
                number: place
                for number, end in ends.items()
                if (place := self._find_next(number, item, end + 1)) is not None
            }
            if self._through in further and len(further) >= self._fewest:
                yield item, further

    def _find_next(self, number: int, item: str, start: int) -> int | None:
        places = self._places[number].get(item, ())
        at = bisect_left(places, start)
        return places[at] if at < len(places) else None

    def _is_backward_extensible(self, items: tuple[str, ...], ends: dict[int, int]) -> bool:
        """BackScan: something stands before an item of the first occurrence in every sequence."""
        return self._has_shared_between(items, ends, in_first=True)

    def _has_backward_extension(self, items: tuple[str, ...], ends: dict[int, int]) -> bool:
        return self._has_shared_between(items, ends, in_first=False)

    def _has_shared_between(self, items: tuple[str, ...], ends: dict[int, int], *, in_first: bool) -> bool:
        shared: list[set[str] | None] = [None] * len(items)
        for number, end in ends.items():
            limit = end + 1 if in_first else len(self._sequences[number])
            for at, (start, stop) in enumerate(self._list_gaps(number, items, limit)):
                names_between = set().union(*self._sequences[number][start:stop])
                names_so_far = shared[at]
                shared[at] = names_between if names_so_far is None else names_so_far & names_between
            if not any(shared):
                return False
        return any(shared)

    def _list_gaps(self, number: int, items: tuple[str, ...], limit: int) -> list[tuple[int, int]]:
        """Where a name could stand before each item: after the earliest place of those before, before its latest."""
        starts: list[int] = []
        place = -1
        for item in items:
            starts.append(place + 1)
            place = self._find_next(number, item, place + 1) or 0
        stops: list[int] = []
        stop = limit
        for item in reversed(items):
            places = self._places[number][item]
            stop = places[bisect_left(places, stop) - 1]
            stops.append(stop)
        return list(zip(starts, reversed(stops), strict=True))


def _index_places(sequence: Sequence[Element]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for number, element in enumerate(sequence):
        for item in element:
            places.setdefault(item, []).append(number)
    return places
