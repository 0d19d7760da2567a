"""Ties as the store keeps them: what was learned is read back, whole or around a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from recollect.model.cochange import Occasion, Ties
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.tables import cochange, projects
from tests.builders import a_db

AT = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


@pytest.fixture
def db() -> Iterator[SqliteDb]:
    opened = a_db()
    projects.ensure(opened, "k1", "site", "p1", AT)
    projects.ensure(opened, "k2", "other", "p2", AT)
    yield opened
    opened.close()


def some() -> Ties:
    found = Ties()
    found.learn(Occasion(files=("b.py", "a.py"), at=AT))
    times = {"c.py": AT, "a.py": AT + timedelta(minutes=2)}
    found.learn(Occasion(files=("c.py", "a.py"), at=AT, first_at=times))
    return found


def test_what_was_learned_is_read_back(db: SqliteDb) -> None:
    learned = some()
    cochange.put(db, "p1", learned, commit_sha="abc")
    found = cochange.whole(db, "p1")
    assert (found.occasion, found.files) == (2, learned.files)
    assert list(found.pairs()) == list(learned.pairs())
    assert cochange.newest_commit(db, "p1") == "abc"


def test_a_part_is_enough_to_ask_around_a_file(db: SqliteDb) -> None:
    learned = some()
    learned.learn(Occasion(files=("x.py", "y.py"), at=AT))
    cochange.put(db, "p1", learned, commit_sha="")
    part = cochange.around(db, "p1", ["c.py"])
    assert [(one, other) for one, other, _ in part.pairs()] == [("a.py", "c.py")]
    assert part.near(["c.py"], 3) == cochange.whole(db, "p1").near(["c.py"], 3)


def test_projects_do_not_mix(db: SqliteDb) -> None:
    cochange.put(db, "p1", some(), commit_sha="abc")
    assert cochange.whole(db, "p2").files == {}
    assert cochange.newest_commit(db, "p2") == ""


def test_what_is_gone_loses_its_ties(db: SqliteDb) -> None:
    learned = some()
    cochange.put(db, "p1", learned, commit_sha="")
    learned.move("a.py", "z.py")
    cochange.put(db, "p1", learned, commit_sha="", gone=["a.py"])
    found = cochange.whole(db, "p1")
    assert set(found.files) == {"b.py", "c.py", "z.py"}
    assert {(one, other) for one, other, _ in found.pairs()} == {("b.py", "z.py"), ("c.py", "z.py")}


def test_forgetting_begins_anew(db: SqliteDb) -> None:
    cochange.put(db, "p1", some(), commit_sha="abc")
    cochange.forget(db, "p1")
    assert (cochange.whole(db, "p1").occasion, cochange.newest_commit(db, "p1")) == (0, "")
    assert list(cochange.whole(db, "p1").pairs()) == []
