"""A whole store goes to another database and back: every row, resumed where it was stopped, compared at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.errors import BadInput, StoreCorrupt
from recollect.store import moving
from recollect.store.moving import move_store, plan_move
from tests.builders import an_engine
from tests.databases import find_store

WAYS = [("sqlite", "postgres"), ("postgres", "sqlite"), ("sqlite", "sqlite")]


@pytest.fixture(params=WAYS, ids=lambda way: "-to-".join(way))
def way(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    source, target = request.param
    return find_store(source, tmp_path / "a"), find_store(target, tmp_path / "b")


def fill(address: str, count: int = 30) -> list[str]:
    """Memories with a history, links between them, subjects and tags."""
    with an_engine(address) as memory:
        first = memory.remember(
            "The retries of the client are capped at 3", about=["client.py"], tags=["http"]
        )
        for number in range(count):
            memory.remember(
                f"Fact {number} about service {number % 7}: it listens on {8000 + number}", session="s1"
            )
        memory.edit(first.memory.id, text="The retries of the client are capped at 5")
        gone = memory.remember("This one is forgotten again")
        memory.forget(gone.memory.id)
        return texts(memory)


def texts(memory: Recollect) -> list[str]:
    return sorted(hit.memory.text for hit in memory.recall("service retries", limit=50))


def move(source: str, target: str, progress: Any = lambda done, total: None) -> int:
    with an_engine(source) as here, an_engine(target) as there:
        return move_store(here._db, there._db, progress).total


def test_what_was_moved_answers_as_before_and_can_be_written(way: tuple[str, str]) -> None:
    source, target = way
    before = fill(source)
    moved = move(source, target)
    assert moved > 100
    with an_engine(source) as here, an_engine(target) as there:
        assert texts(there) == before == texts(here)
        assert [(e.action, e.memory_id) for e in there.history(limit=99)] == [
            (e.action, e.memory_id) for e in here.history(limit=99)
        ]
        assert {f.check for f in there.admin.verify() if f.verdict.name != "PASS"} == set()
        known = there.remember("The retries of the client are capped at 5")
        assert type(known).__name__ == "AlreadyKnown"
        there.remember("Something that was learned after the move")
        assert there.recall("learned after the move")[0].memory.text.startswith("Something")


def test_a_move_that_was_stopped_goes_on_where_it_was(
    way: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = way
    before = fill(source)
    monkeypatch.setattr(moving, "_PAGE", 10)
    steps: list[int] = []

    def stop_halfway(done: int, total: int) -> None:
        steps.append(done)
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(source, target, stop_halfway)
    with an_engine(source) as here, an_engine(target) as there:
        plan = plan_move(here._db, there._db)
        assert plan.copied == steps[-1]
    again: list[int] = []
    move(source, target, lambda done, total: again.append(done))
    assert again[0] > steps[-1]
    with an_engine(target) as there:
        assert texts(there) == before


def test_rows_that_changed_meanwhile_are_moved_anew(
    way: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = way
    fill(source)
    monkeypatch.setattr(moving, "_PAGE", 10)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(source, target, stop)
    with an_engine(source) as here:
        here.remember("A service came while the move stood still")
        after = texts(here)
    move(source, target)
    with an_engine(target) as there:
        assert texts(there) == after


def test_a_target_that_holds_something_is_left_alone(way: tuple[str, str]) -> None:
    source, target = way
    fill(source, 3)
    with an_engine(target) as there:
        there.remember("I was here first")
    with pytest.raises(BadInput, match="is not empty"):
        move(source, target)
    with an_engine(target) as there:
        assert there.count() == 1


def test_a_row_that_came_out_different_is_noticed(
    way: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = way
    fill(source, 3)
    rebuild = moving.fulltext.rebuild_search_index

    def alter(db: Any, progress: Any) -> int:
        db.run("project_rekey", id="none", key="k", name="n")
        access = db.access_tables()
        history = next(table for table in access.tables() if table.name == "history")
        row = access.read(history, (), 1)[0]
        access.change(history, (row[history.columns.index("seq")],), {"why": "something else"})
        return rebuild(db, progress)

    monkeypatch.setattr(moving.fulltext, "rebuild_search_index", alter)
    with pytest.raises(StoreCorrupt, match="history has"):
        move(source, target)
