"""The miner of shared sequences, beside trying everything."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.learn.closed_sequences import find_closed_patterns

Sequence = list[frozenset[str]]
ELEMENT = st.sampled_from([frozenset(names) for names in ("a", "b", "c", "ab", "bd", "cd")])
SEQUENCES = st.lists(st.lists(ELEMENT, max_size=6), min_size=2, max_size=4)


def holds(sequence: Sequence, items: tuple[str, ...]) -> bool:
    rest = iter(sequence)
    return all(any(item in element for element in rest) for item in items)


def tried_out(sequences: list[Sequence], fewest: int) -> set[tuple[tuple[str, ...], tuple[int, ...]]]:
    """All closed patterns through the last sequence, by looking at every one of its subsequences."""
    shared: dict[tuple[str, ...], tuple[int, ...]] = {}
    for items in subsequences(sequences[-1]):
        support = tuple(n for n, sequence in enumerate(sequences) if holds(sequence, items))
        if len(support) >= fewest:
            shared[items] = support
    return {
        (items, support)
        for items, support in shared.items()
        if not any(
            support == other and len(longer) > len(items) and is_within(items, longer)
            for longer, other in shared.items()
        )
    }


def subsequences(sequence: Sequence) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for length in range(1, len(sequence) + 1):
        for places in combinations(range(len(sequence)), length):
            grown: list[tuple[str, ...]] = [()]
            for place in places:
                grown = [(*items, name) for items in grown for name in sequence[place]]
            found.update(grown)
    return found


def is_within(items: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    return holds([frozenset({name}) for name in longer], items)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(SEQUENCES, st.integers(min_value=2, max_value=3))
def test_it_finds_what_trying_everything_finds(sequences: list[Sequence], fewest: int) -> None:
    found = find_closed_patterns(sequences, fewest=fewest, through=len(sequences) - 1)
    assert {(one.items, one.support) for one in found} == tried_out(sequences, fewest)
    assert len({one.items for one in found}) == len(found)


def test_three_equal_long_sequences_have_one_pattern() -> None:
    sequence = [frozenset({f"edit {number}"}) for number in range(60)]
    [whole] = find_closed_patterns([sequence, sequence, sequence], fewest=3, through=2, most=100)
    assert len(whole.items) == 60


def test_it_stops_at_its_bound() -> None:
    forward = [frozenset({str(number)}) for number in range(40)]
    sequences = [forward, forward[::-1], forward[::2] + forward[1::2], forward]
    found = find_closed_patterns(sequences, fewest=2, through=3, most=200)
    assert 0 < len(found) <= 200
