"""Searching by words: from the index's tables and from arrays in memory, with the same result."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.memory import Remembered
from recollect.store.search import bm25_arrays, bm25_index, fulltext
from recollect.store.search.bm25_arrays import Bm25Arrays
from recollect.store.search.bm25_index import WordIndex
from tests.builders import an_engine

pytestmark = pytest.mark.sqlite

VOCABULARY = [
    f"{a}{b}" for a in ("lar", "mon", "tes", "vin", "qua", "bel") for b in ("do", "ra", "ku", "lon", "mat")
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    with an_engine(tmp_path / "m.db") as opened:
        yield opened


def filled(memory: Recollect, count: int) -> list[str]:
    """Memories of a few to many words, some about something, in sessions of five; their ids."""
    chance = random.Random(7)
    drafts = [
        memory.draft(
            f"{number} " + " ".join(chance.choices(VOCABULARY, k=chance.choice((3, 8, 30, 120)))),
            about=[f"service:{chance.choice(VOCABULARY)}"] if number % 3 else [],
            session=f"s{number // 5}" if number % 7 else None,
        )
        for number in range(count)
    ]
    return [answer.memory.id for answer in memory.remember_many(drafts) if isinstance(answer, Remembered)]


def weights(chance: random.Random) -> dict[str, float]:
    return {term: chance.uniform(0.1, 3.0) for term in chance.sample(VOCABULARY, chance.randint(1, 6))}


def both_ways(memory: Recollect) -> tuple[WordIndex, Bm25Arrays]:
    return WordIndex(memory._db), Bm25Arrays(memory._db)


def in_tables(memory: Recollect, asked: dict[str, float], limit: int) -> dict[int, float]:
    """As a process that has just started."""
    return WordIndex(memory._db).best(asked, limit)


def assert_same(one: dict[int, float], other: dict[int, float]) -> None:
    assert one == pytest.approx(other)
    order = {num: place for place, num in enumerate(other)}
    swapped = [(a, b) for a, b in zip(one, list(one)[1:], strict=False) if order[a] > order[b]]
    assert all(one[a] == pytest.approx(one[b]) for a, b in swapped)  # only where rounding decides


@pytest.mark.parametrize("limit", [1, 20, 10_000])
def test_tables_and_arrays_find_the_same_in_the_same_order(memory: Recollect, limit: int) -> None:
    filled(memory, 150)
    chance = random.Random(limit)
    at_hand = Bm25Arrays(memory._db)
    for _ in range(25):
        asked = weights(chance)
        found = in_tables(memory, asked, limit)
        assert found
        assert_same(at_hand.best(asked, limit), found)


def test_very_frequent_terms_are_ranked_by_the_index_first_with_nearly_the_same_answer(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(memory, 300)
    asked = dict.fromkeys(VOCABULARY[:4], 1.0)
    every_one_read = in_tables(memory, asked, 10)
    monkeypatch.setattr(bm25_index, "MAX_OCCURRENCES", 100)
    monkeypatch.setattr(fulltext, "read_postings", None)  # none of it is read
    found = in_tables(memory, asked, 10)
    assert len(found) == 10
    assert len(found.keys() & every_one_read.keys()) >= 7
    assert all(found[num] <= every_one_read[num] + 1e-9 for num in found.keys() & every_one_read.keys())


def test_tables_and_arrays_count_the_same(memory: Recollect) -> None:
    filled(memory, 60)
    tables, at_hand = both_ways(memory)
    asked = [*VOCABULARY, "nowhere"]
    assert tables.counts(asked) == {term: at_hand.count(term) for term in asked}
    assert tables.counts(["nowhere"]) == {"nowhere": 0}


def test_tables_and_arrays_agree_on_who_holds_all(memory: Recollect) -> None:
    filled(memory, 60)
    tables, at_hand = both_ways(memory)
    asked = {VOCABULARY[0]: 1.0, VOCABULARY[1]: 2.0}
    assert tables.holding_all(asked) == pytest.approx(at_hand.holding_all(asked))
    assert tables.holding_all(asked)
    assert tables.holding_all(asked | {"nowhere": 1.0}) == at_hand.holding_all(asked | {"nowhere": 1.0}) == {}


def test_arrays_follow_every_change(memory: Recollect) -> None:
    ids = filled(memory, 40)
    asked = dict.fromkeys(VOCABULARY[:4], 1.0) | {"zebra": 1.0}
    followed = WordIndex(memory._db)
    followed.best(asked, 1)
    followed.best(asked, 1)  # from here on in memory
    acts = (
        lambda: memory.remember("A zebra is new here", session="s7"),
        lambda: memory.edit(ids[3], text=f"{VOCABULARY[0]} and a zebra"),
        lambda: memory.edit(ids[3], text="neither of them"),
        lambda: memory.edit(ids[5], about=[f"service:{VOCABULARY[1]}"]),
        lambda: memory.forget(ids[11]),
        lambda: memory.undo(),
        lambda: memory.purge(ids[12]),
        lambda: filled(memory, 5),
    )
    for act in acts:
        act()
        assert followed._get_arrays() is not None
        assert_same(followed.best(asked, 1000), in_tables(memory, asked, 1000))


def test_what_another_process_writes_is_seen(memory: Recollect, tmp_path: Path) -> None:
    filled(memory, 10)
    followed = WordIndex(memory._db)
    for _ in range(2):
        assert followed.best({"zebra": 1.0}, 5) == {}
    with an_engine(tmp_path / "m.db") as other:
        other.remember("A zebra crossed the road")
    assert len(followed.best({"zebra": 1.0}, 5)) == 1


def test_what_was_taken_back_is_not_found(memory: Recollect) -> None:
    filled(memory, 10)
    followed = WordIndex(memory._db)
    followed.best({"zebra": 1.0}, 5)
    with pytest.raises(RuntimeError), memory._db.transaction():
        memory.remember("A zebra that never was")
        assert followed.best({"zebra": 1.0}, 5)
        raise RuntimeError
    memory.remember("Something else took its number")
    assert followed.best({"zebra": 1.0}, 5) == {}


def test_many_changes_are_read_anew(memory: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25_arrays, "_MAX_CHANGED", 3)
    at_hand = Bm25Arrays(memory._db)
    filled(memory, 3)
    assert at_hand.read_on()
    filled(memory, 8)
    assert not at_hand.read_on()


def test_the_first_search_reads_no_store_whole(memory: Recollect) -> None:
    filled(memory, 3)
    index = WordIndex(memory._db)
    read: list[str] = []
    memory._db.tracer = lambda query, _: read.append(query)
    index.best({VOCABULARY[0]: 1.0}, 1)
    once = list(read)
    index.best({VOCABULARY[0]: 1.0}, 1)
    whole = set(read[len(once) :]) - set(once)
    assert once
    assert whole, "the second one does"


def test_a_large_store_is_not_read_whole_for_a_few_searches(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25_index, "SEARCHES_PER", 5)
    filled(memory, 10)
    index = WordIndex(memory._db)
    ready = []
    for _ in range(4):
        index.best({VOCABULARY[0]: 1.0}, 1)
        ready.append(index._get_arrays() is not None)
    assert ready == [False, False, True, True]


def test_a_short_memory_borrows_the_words_of_those_beside_it_in_its_session(memory: Recollect) -> None:
    said = ["I saw a zebra", "It was striped", "Lunch was late", "We went home", "Nothing else"]
    memory.remember_many([memory.draft(text, session="one") for text in said])
    memory.remember("In another session", session="two")
    found = in_tables(memory, {"zebra": 1.0}, 10)
    assert list(found) == [1, 2, 3]
    assert found[2] == found[3] == pytest.approx(bm25_index.NEARBY * found[1])


def test_a_long_memory_neither_borrows_nor_lends(memory: Recollect) -> None:
    for text in ("A zebra", "word " * 200, "A giraffe " + "tree " * 200, "Short again"):
        memory.remember(text, session="one")
    assert list(in_tables(memory, {"zebra": 1.0}, 10)) == [1]
    assert list(in_tables(memory, {"giraff": 1.0}, 10)) == [3]


def test_a_term_among_the_subjects_counts_less_than_in_the_text(memory: Recollect) -> None:
    memory.remember("The gateway is slow today", about=["service:proxy"])
    memory.remember("The proxies are slow today")
    found = in_tables(memory, {"proxi": 1.0}, 10)
    assert found[2] > found[1] > 0
