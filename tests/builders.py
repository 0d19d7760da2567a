"""Values with defaults, so that a test shows only what matters to it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect import Recollect
from recollect.model.history import MemoryChange
from recollect.model.ids import make_id
from recollect.model.memory import (
    Memory,
    MemoryDraft,
    MemoryState,
    Relation,
    RelationType,
    Trust,
    make_citation,
)
from recollect.model.provenance import Provenance
from recollect.model.scope import Scope
from recollect.store.open import open_db
from recollect.store.sqlite.driver import SqliteDb
from tests.hash_embedder import HashEmbedder

NOON = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


def a_draft(text: str = "Retries are capped at three", *, kind: str = "fact", **details: Any) -> MemoryDraft:
    return MemoryDraft(text=text, kind=kind, **details)


def an_id(number: int = 1) -> str:
    return make_id(NOON, number)


def a_memory(text: str = "Retries are capped at three", *, number: int = 1, **details: Any) -> Memory:
    values: dict[str, Any] = {
        "id": an_id(number),
        "kind": "fact",
        "state": MemoryState.ACTIVE,
        "confidence": 0.8,
        "scope": Scope.GLOBAL,
        "project_id": None,
        "subjects": (),
        "tags": (),
        "work": None,
        "provenance": Provenance(),
        "trust": Trust(),
        "pinned": False,
        "citation": make_citation(text),
        "half_life_days": None,
        "relations": (),
        "fields": {},
        "happened_at": NOON,
        "created_at": NOON,
        "updated_at": NOON,
        "last_accessed_at": None,
        "access_count": 0,
        "stale_at": None,
    }
    return Memory(text=text, **(values | details))


def a_relation(to: str = "src/app.py", *, kind: RelationType = RelationType.VALIDATES) -> Relation:
    return Relation(type=kind, path=to)


def a_change(memory_id: str = "", **details: Any) -> MemoryChange:
    values: dict[str, Any] = {
        "act_id": an_id(9),
        "at": NOON,
        "actor": "user",
        "action": "edit",
        "why": "",
        "before": {},
        "after": {},
    }
    return MemoryChange(memory_id=memory_id or an_id(), **(values | details))


def a_db(file: Path | str = ":memory:", **how: Any) -> SqliteDb:
    return open_db(str(file), NOON, **how)


def an_engine(file: Path | str, **how: Any) -> Recollect:
    """A memory outside any project, with the hash embedder."""
    return Recollect(file, folder=None, embedder=how.pop("embedder", HashEmbedder()), **how)
