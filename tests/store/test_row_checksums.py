"""Whatever changes a memory seals it again; a query that would not is found here."""

from __future__ import annotations

import re

import pytest

from recollect import Recollect
from recollect.store import sql
from recollect.store.sqlite.driver import DIALECT
from recollect.store.tables import projects

pytestmark = pytest.mark.sqlite

CHANGING = re.compile(
    r"\b(?:UPDATE|INSERT (?:OR \w+ )?INTO|DELETE FROM)\s+(memory|memory_subject|memory_tag|relation)\b"
)
# Every query that changes what a seal covers, and where the seal is renewed after it. A new one belongs here once the
# function that runs it ends with `seals.renew(db, nums)`.
SEALED = {
    "memory_insert": "sealed as it is written",
    "memory_update": "memory_writes.update",
    "memory_delete": "gone, with what others said about it: memory_writes.delete",
    "memory_accessed": "counts are not sealed",
    "memory_seal": "the seal itself",
    "memory_doubted": "rebuild",
    "memory_reduced": "rebuild",
    "memory_owner_set": "whose it is is not sealed",
    "project_memories_move": "projects.merge",
    "subject_insert": "memory_writes",
    "subjects_clear": "memory_writes",
    "tag_insert": "memory_writes",
    "tags_clear": "memory_writes",
    "relation_insert": "memory_writes",
    "relations_clear": "memory_writes",
}


def test_every_query_that_changes_a_memory_is_known_to_seal_it() -> None:
    changing = {name for name, text in sql.queries(DIALECT).items() if CHANGING.search(text)}
    assert changing == set(SEALED)


def failed(memory: Recollect) -> list[str]:
    return [finding.detail for finding in memory.admin.verify() if finding.verdict != "pass"]


def test_seals_hold_through_all_that_can_be_done(memory: Recollect) -> None:
    first = memory.remember("Retries are capped at 3", about=["file:src/a.py"], tags=["b", "a"], session="s1")
    second = memory.remember("Deploys run at night", kind="decision", confidence=1, work="native:spec_042")
    ids = (first.memory.id, second.memory.id)
    memory.edit(
        ids[0], relations=[{"type": "supersedes", "memory_id": ids[1]}, {"type": "validates", "path": "x"}]
    )
    memory.edit(ids[1], text="Deploys run at noon", tags=["z", "y"], about=["service:b", "service:a"])
    memory.pin(ids[0])
    memory.forget(ids[1])
    memory.undo()
    assert failed(memory) == []
    memory.purge(ids[1])  # takes the relation of the first with it
    assert failed(memory) == []


def test_seals_hold_when_two_projects_become_one(memory: Recollect) -> None:
    lines = ['{"format": "recollect-memories", "version": 1}'] + [
        f'{{"text": "From {name}", "project": {{"key": "git:{name}", "name": "{name}"}}}}'
        for name in ("one", "two")
    ]
    memory.admin.import_memories(lambda: iter(lines))
    one, two = (projects.get_project(memory._db, name) for name in ("one", "two"))
    with memory._db.transaction():
        projects.merge_projects(memory._db, one, two)
    assert failed(memory) == []
