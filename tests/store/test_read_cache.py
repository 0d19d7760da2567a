"""The shelf: what was read is kept, and gone with the first change by whoever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.memory import Intake, Memory, Remembered
from recollect.model.query import Filters
from recollect.store.search import read_cache as room
from recollect.store.search.read_cache import ReadCache
from tests.builders import an_engine

pytestmark = pytest.mark.sqlite


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    with an_engine(tmp_path / "m.db") as opened:
        yield opened


def made_of(answer: Intake) -> Memory:
    assert isinstance(answer, Remembered)
    return answer.memory


def asked(memory: Recollect) -> list[str]:
    """The names of the queries from here on."""
    names: list[str] = []
    memory._db.tracer = lambda name, _: names.append(name)
    return names


def test_what_was_read_is_not_read_again(memory: Recollect) -> None:
    memory.remember("The gateway listens on port 8443")
    shelf, names = ReadCache(memory._db), asked(memory)
    for _ in range(3):
        found = shelf.memories([1, 2])
        assert (found[1] and found[1].text, found[2]) == ("The gateway listens on port 8443", None)
        assert shelf.candidates([1], Filters(every_project=True))[1]
    assert names == ["memories_by_num", "candidates_by_num"]


def test_a_change_is_seen(memory: Recollect) -> None:
    made = made_of(memory.remember("The gateway listens on port 8443"))
    shelf = ReadCache(memory._db)
    assert shelf.memories([1])[1]
    memory.edit(made.id, text="The gateway listens on port 9443")
    changed = shelf.memories([1])[1]
    assert changed and changed.text.endswith("9443")


def test_a_change_by_another_process_is_seen(memory: Recollect, tmp_path: Path) -> None:
    made = made_of(memory.remember("The gateway listens on port 8443"))
    shelf = ReadCache(memory._db)
    assert shelf.memories([1])[1]
    with an_engine(tmp_path / "m.db") as other:
        other.purge(made.id)
    assert shelf.memories([1])[1] is None


def test_filters_do_not_mix(memory: Recollect) -> None:
    memory.remember("The gateway listens on port 8443", kind="fact")
    shelf = ReadCache(memory._db)
    facts = Filters(every_project=True, kinds=("fact",))
    assert shelf.candidates([1], facts)[1]
    assert shelf.candidates([1], Filters(every_project=True, kinds=("decision",)))[1] is None
    assert shelf.candidates([1], facts)[1]


def test_a_full_board_is_emptied_first(memory: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MAX_ITEMS", 2)
    shelf = ReadCache(memory._db)
    shelf.read_through("board", [1, 2, 3], lambda keys: {key: key * 10 for key in keys})
    assert shelf.read_through("board", [3, 4], lambda keys: {key: key * 10 for key in keys}) == {3: 30, 4: 40}


def test_reads_in_one_moment_see_no_later_change(memory: Recollect, tmp_path: Path) -> None:
    memory.remember("The gateway listens on port 8443")
    with memory._db.one_moment():
        before = memory.count()
        with an_engine(tmp_path / "m.db") as other:
            other.remember("The scheduler runs at night")
        assert memory.count() == before
    assert memory.count() == before + 1
