"""What the table modules keep is read back as it was, whatever database is behind them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.errors import NotFound
from recollect.model.memory import MemoryState, Relation, RelationType, Trust
from recollect.model.query import Filters
from recollect.model.scope import WorkRef
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.tables import (
    history,
    memories,
    memory_writes,
    meta,
    projects,
    reviews,
    row_checksums,
    subjects,
)
from tests.builders import NOON, a_change, a_memory, an_id
from tests.store.conftest import OpenStore

ANYWHERE = Filters(every_project=True)
WORK = WorkRef(methodology="native", hierarchy=("spec_1", "task_2"), label="Task 2")


def test_a_memory_is_read_back_as_it_was_written(db: Db) -> None:
    target = a_memory("What it bears on", number=1)
    memory = a_memory(
        "Retries are capped at three",
        number=2,
        subjects=(Subject("file", "src/retry.py"), Subject("service", "api")),
        tags=("net", "limits"),
        work=WORK,
        relations=(Relation(type=RelationType.VALIDATES, memory_id=target.id, confidence=0.5),),
        fields={"rationale": "the server bans us after four"},
        trust=Trust(verified=True, needs_review=True),
        pinned=True,
        sessions=("s1", "s2"),
        useful=2,
        noise=1,
    )
    for one in (target, memory):
        memory_writes.insert_memories(db, [one])
    assert memories.get_memory(db, memory.id) == memory
    assert memories.list_relations_from(db, memory.id, 5) == [memory.relations[0]]
    assert all(intact for _, intact in row_checksums.check_rows(db))


def test_a_memory_that_is_not_there_is_named(db: Db) -> None:
    assert memories.find_memory(db, an_id(7)) is None
    assert not memories.is_kept(db, an_id(7))
    with pytest.raises(NotFound, match=an_id(7)):
        memories.get_memory(db, an_id(7))


def test_filters_let_through_what_they_name(db: Db) -> None:
    kept = a_memory(
        "Kept", number=1, kind="gotcha", subjects=(Subject("file", "a.py"),), tags=("x",), work=WORK
    )
    put_away = a_memory("Put away", number=2, state=MemoryState.ARCHIVED)
    for memory in (kept, put_away):
        memory_writes.insert_memories(db, [memory])
    for filters in (
        ANYWHERE,
        replace(ANYWHERE, kinds=("gotcha",)),
        replace(ANYWHERE, subjects=(Subject("file", "a.py"),)),
        replace(ANYWHERE, tags=("x",)),
        replace(ANYWHERE, work=replace(WORK, hierarchy=("spec_1",))),
    ):
        assert memories.list_memories(db, filters, limit=10) == [kept]
    assert memories.count_memories(db, replace(ANYWHERE, states=(MemoryState.ARCHIVED,))) == 1
    assert not memories.has_any(db, replace(ANYWHERE, kinds=("lesson",)))


def test_an_update_replaces_what_hangs_on_a_memory(db: Db) -> None:
    memory = a_memory(number=1, subjects=(Subject("file", "a.py"),), tags=("x",))
    num = memory_writes.insert_memories(db, [memory])[0]
    changed = replace(memory, subjects=(Subject("file", "b.py"),), tags=(), confidence=0.4)
    memory_writes.update_memory(db, num, changed)
    assert memories.get_memory(db, memory.id) == changed
    assert subjects.find_memories_about(db, ["file:a.py"], ANYWHERE, 5) == []
    assert subjects.find_memories_about(db, ["file:b.py"], ANYWHERE, 5) == [num]


def test_what_is_deleted_leaves_no_words_behind(db: Db) -> None:
    memory = a_memory(number=1, subjects=(Subject("service", "billing"),))
    num = memory_writes.insert_memories(db, [memory])[0]
    fulltext.add_memories(db, {num: memory})
    assert subjects.find_subjects_named(db, ["billing"]) == {"billing": ["service:billing"]}
    fulltext.unindex_memory(db, num)
    memory_writes.delete_memory(db, memory.id)
    subjects.delete_unused_words(db)
    assert subjects.find_subjects_named(db, ["billing"]) == {}
    assert fulltext.count_holders(db, db.tokens("retries")) == {}


def test_accesses_are_counted_and_not_part_of_the_checksum(db: Db) -> None:
    memory = a_memory(number=1)
    memory_writes.insert_memories(db, [memory])
    memory_writes.record_accesses(db, {memory.id: 3}, NOON + timedelta(hours=1))
    read = memories.get_memory(db, memory.id)
    assert (read.access_count, read.last_accessed_at) == (3, NOON + timedelta(hours=1))
    assert all(intact for _, intact in row_checksums.check_rows(db))


def test_history_is_read_in_order_and_an_act_is_undone_once(db: Db) -> None:
    memory = a_memory(number=1)
    memory_writes.insert_memories(db, [memory])
    first = a_change(memory.id, act_id=an_id(8), action="edit")
    second = a_change(memory.id, act_id=an_id(9), action="pin")
    for change in (first, second):
        history.record_change(db, change)
    assert history.list_changes_of_memory(db, memory.id) == [first, second]
    assert history.find_last_act(db, memory.id) == second.act_id
    history.mark_undone(db, second.act_id, an_id(10))
    assert history.find_last_act(db, memory.id) == first.act_id


def test_merged_projects_share_their_memories(db: Db) -> None:
    one = projects.ensure_project(db, "path:/one", "one", "p1", NOON)
    other = projects.ensure_project(db, "path:/other", "other", "p2", NOON)
    memory_writes.insert_memories(db, [a_memory(number=1, project_id=one.id)])
    projects.merge_projects(db, one, other)
    assert [project.id for project in projects.list_projects(db)] == [other.id]
    assert memories.get_memory(db, an_id(1)).project_id == other.id
    assert all(intact for _, intact in row_checksums.check_rows(db))


def test_what_waits_for_a_person_is_listed_and_counted(db: Db) -> None:
    memory_writes.insert_memories(db, [a_memory("Fine", number=1)])
    waiting = a_memory("Look at me", number=2, state=MemoryState.QUARANTINED)
    memory_writes.insert_memories(db, [waiting])
    everywhere = replace(ANYWHERE, states=tuple(MemoryState))
    assert reviews.list_waiting(db, everywhere, 5) == [waiting]
    assert reviews.count_waiting(db, None) == 1


def test_another_connection_sees_a_change_and_a_new_version(db: Db, open_store: OpenStore) -> None:
    other = open_store()
    before = other.version()
    meta.save_meta(db, "key", "value")
    assert other.version() != before
    assert meta.read_meta(other, "key") == "value"


def test_a_transaction_that_fails_leaves_nothing(db: Db) -> None:
    with pytest.raises(ZeroDivisionError), db.transaction():
        memory_writes.insert_memories(db, [a_memory(number=1)])
        raise ZeroDivisionError
    assert memories.count_memories(db, ANYWHERE) == 0
    assert db.rollbacks == 1
