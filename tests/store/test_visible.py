"""A store that several people share shows each of them what is everybody's in their projects, and what is their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect.errors import BadInput, NotFound
from recollect.model.event import Event, EventType
from recollect.model.session import Session
from recollect.model.viewer import Viewer
from recollect.store import sql
from recollect.store.db import Db
from recollect.store.open import open_db
from recollect.store.sqlite import visible
from recollect.store.sqlite.driver import DIALECT, SqliteDb
from recollect.store.tables import events, history, memories, memory_writes, projects, sessions
from tests.builders import NOON, a_db, a_memory
from tests.databases import DATABASES, find_store

NUMBERS = count(1)
OpenAs = Callable[[Viewer | None], Db]


@pytest.fixture(params=DATABASES)
def open_as(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenAs]:
    address, opened = find_store(request.param, tmp_path), []

    def open_one(viewer: Viewer | None) -> Db:
        opened.append(open_db(address, NOON, viewer=viewer))
        return opened[-1]

    yield open_one
    for db in opened:
        db.close()


def keep(db: Db, text: str, project_id: str | None = None, **parts: Any) -> str:
    owner = db.viewer.owner_of(project_id) if db.viewer else None
    memory = a_memory(text, number=next(NUMBERS), project_id=project_id, owner=owner, **parts)
    with db.transaction():
        memory_writes.insert_memories(db, [memory])
        history.record_act(
            db, history.Act(id=memory.id, at=NOON, actor="x", action="remember", why=""), memory.id, {}, {}
        )
    return memory.id


def texts(db: Db) -> set[str]:
    return {memory.text for memory in memories.iterate_memories(db, None, every_project=True)}


def test_a_person_sees_their_own_and_everybodys(open_as: OpenAs) -> None:
    alex, bo, whole = open_as(Viewer(person="alex")), open_as(Viewer(person="bo")), open_as(None)
    own = keep(alex, "Alex likes tabs")
    keep(whole, "The port is 8080")
    assert texts(alex) == {"Alex likes tabs", "The port is 8080"}
    assert texts(bo) == {"The port is 8080"}
    assert texts(whole) == {"Alex likes tabs", "The port is 8080"}
    with pytest.raises(NotFound):
        memories.get_memory(bo, own)
    assert memories.get_memory(alex, own).owner == "alex"
    assert history.list_changes_of_memory(bo, own) == []
    assert len(history.list_changes_of_memory(alex, own)) == 1


def test_a_project_that_was_not_granted_is_not_there(open_as: OpenAs) -> None:
    whole = open_as(None)
    shop = projects.ensure_project(whole, "git:1", "shop", "01KA3SH0P00000000000000000", NOON)
    bank = projects.ensure_project(whole, "git:2", "bank", "01KA3BANK00000000000000000", NOON)
    keep(whole, "Shop ships on Friday", shop.id)
    keep(whole, "Bank closes at five", bank.id)
    bo = open_as(Viewer(person="bo", projects=(shop.id,)))
    assert texts(bo) == {"Shop ships on Friday"}
    assert [project.name for project in projects.list_projects(bo)] == ["shop"]
    nobody = open_as(Viewer(person="cy", projects=()))
    assert texts(nobody) == set() and projects.list_projects(nobody) == []


def test_sessions_with_their_events_and_notes_are_their_persons(open_as: OpenAs) -> None:
    alex, bo = open_as(Viewer(person="alex")), open_as(Viewer(person="bo"))
    with alex.transaction():
        sessions.save_session(alex, Session(id="s1", started_at=NOON, last_at=NOON))
        events.save_events(alex, [(an_event("s1"), None)])
    assert sessions.find_session(alex, "s1") is not None
    assert sessions.find_session(bo, "s1") is None
    assert len(events.list_events(alex, "s1")) == 1
    assert events.list_events(bo, "s1") == []


def test_what_a_project_shares_at_once_is_everybodys(open_as: OpenAs) -> None:
    whole = open_as(None)
    shop = projects.ensure_project(whole, "git:1", "shop", "01KA3SH0P00000000000000000", NOON)
    alex, bo = open_as(Viewer(person="alex", shares=True)), open_as(Viewer(person="bo"))
    keep(alex, "Shop ships on Friday", shop.id)
    keep(alex, "Alex likes tabs")
    assert texts(bo) == {"Shop ships on Friday"}


def test_a_name_that_could_leave_its_quotes_is_refused() -> None:
    for name in ("", "o'hara", "Alex", "a b", "-x", "x" * 65):
        with pytest.raises(BadInput):
            Viewer(person=name)
    with pytest.raises(BadInput):
        Viewer(person="alex", projects=("1') OR ('1' = '1",))


@pytest.fixture(scope="module")
def viewed() -> Iterator[SqliteDb]:
    db = a_db()
    assert db.has_vector_functions()
    db.set_viewer(Viewer(person="alex", projects=("01KA3",)))
    yield db
    db.close()


@pytest.mark.parametrize("name", sorted(sql.queries(DIALECT)))
def test_no_query_that_only_reads_goes_past_the_views(viewed: SqliteDb, name: str) -> None:
    """SQLite itself says through which view each column is read."""
    text = visible.find_query(name)
    past: list[str] = []

    def watch(action: int, one: str | None, two: str | None, _: str | None, view: str | None) -> int:
        if action == apsw.SQLITE_READ and one in visible.TABLES and not (view or "").startswith("visible_"):
            past.append(f"{one}.{two}")
        return apsw.SQLITE_OK

    parameters = dict.fromkeys(re.findall(r":(\w+)", text))
    viewed._connection.authorizer = watch
    try:
        assert viewed._connection.execute(f"EXPLAIN {text}", parameters).fetchall()
    finally:
        viewed._connection.authorizer = None
    if not re.search(r"\b(INSERT|UPDATE|DELETE)\b", text):
        assert past == []


def an_event(session: str) -> Event:
    return Event(id=f"e-{session}", type=EventType.PROMPT, at=NOON, session_id=session, text="Fix the port")
