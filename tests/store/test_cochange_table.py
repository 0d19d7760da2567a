"""Ties as the store keeps them: what was learned is read back, whole or around a file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.model.cochange import ChangeOccasion, Ties
from recollect.store.db import Db
from recollect.store.tables import cochange, projects

AT = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


@pytest.fixture
def db(db: Db) -> Db:
    """A store with two projects."""
    projects.ensure_project(db, "k1", "site", "p1", AT)
    projects.ensure_project(db, "k2", "other", "p2", AT)
    return db


def some() -> Ties:
    found = Ties()
    found.learn(ChangeOccasion(files=("b.py", "a.py"), at=AT))
    times = {"c.py": AT, "a.py": AT + timedelta(minutes=2)}
    found.learn(ChangeOccasion(files=("c.py", "a.py"), at=AT, first_at=times))
    return found


def test_what_was_learned_is_read_back(db: Db) -> None:
    learned = some()
    cochange.save_ties(db, "p1", learned, commit_sha="abc")
    found = cochange.read_all_ties(db, "p1")
    assert (found.occasion, found.files) == (2, learned.files)
    assert list(found.pairs()) == list(learned.pairs())
    assert cochange.read_newest_commit(db, "p1") == "abc"


def test_a_part_is_enough_to_ask_around_a_file(db: Db) -> None:
    learned = some()
    learned.learn(ChangeOccasion(files=("x.py", "y.py"), at=AT))
    cochange.save_ties(db, "p1", learned, commit_sha="")
    part = cochange.read_ties_around(db, "p1", ["c.py"])
    assert [(one, other) for one, other, _ in part.pairs()] == [("a.py", "c.py")]
    assert part.near(["c.py"], 3) == cochange.read_all_ties(db, "p1").near(["c.py"], 3)


def test_projects_do_not_mix(db: Db) -> None:
    cochange.save_ties(db, "p1", some(), commit_sha="abc")
    assert cochange.read_all_ties(db, "p2").files == {}
    assert cochange.read_newest_commit(db, "p2") == ""


def test_what_is_gone_loses_its_ties(db: Db) -> None:
    learned = some()
    cochange.save_ties(db, "p1", learned, commit_sha="")
    learned.move("a.py", "z.py")
    cochange.save_ties(db, "p1", learned, commit_sha="", gone=["a.py"])
    found = cochange.read_all_ties(db, "p1")
    assert set(found.files) == {"b.py", "c.py", "z.py"}
    assert {(one, other) for one, other, _ in found.pairs()} == {("b.py", "z.py"), ("c.py", "z.py")}


def test_forgetting_begins_anew(db: Db) -> None:
    cochange.save_ties(db, "p1", some(), commit_sha="abc")
    cochange.forget_ties(db, "p1")
    assert (cochange.read_all_ties(db, "p1").occasion, cochange.read_newest_commit(db, "p1")) == (0, "")
    assert list(cochange.read_all_ties(db, "p1").pairs()) == []
