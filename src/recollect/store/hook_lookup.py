"""
A quick read-only look at the store, for the hook that runs after every file an agent reads.

Opening a store properly takes longer than such a hook may: this reads one file of queries, checks nothing, writes
nothing, and is closed at once. Who may speak is decided in the queries; a test compares them with `model/trust.py`.
"""

from __future__ import annotations

import json
import os

import apsw

from recollect.events.gate_words import MAX_GATE_WORDS
from recollect.model.policy import (
    MIN_PROOFS_TO_SPEAK,
    PERSON_TOOL_RESULT_KINDS,
    SILENT_AT,
    TOOL_RESULT_KINDS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Row = dict[str, Any]

_QUERIES = os.path.join(os.path.dirname(__file__), "sql", "queries", "hook_lookup.sqlite.sql")  # noqa: PTH118, PTH120
_BUSY_MILLISECONDS = 100


class HookStore:
    """A store, open to be read by one hook."""

    def __init__(self, path: str) -> None:
        self._connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        self._connection.set_busy_timeout(_BUSY_MILLISECONDS)
        self._read_queries = _read_queries()

    def rows(self, query: str, /, **parameters: object) -> list[Row]:
        """All rows of a query."""
        cursor = self._connection.execute(self._read_queries[query], parameters)
        try:
            names = [column[0] for column in cursor.getdescription()]
        except apsw.ExecutionCompleteError:  # no row came
            return []
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()


def find_project(store: HookStore, folder: str) -> str | None:
    """The project that was seen at a folder."""
    rows = store.rows("glance_project", path=folder)
    return str(rows[0]["project_id"]) if rows else None


def list_about_file(
    store: HookStore,
    project_id: str | None,
    file: str,
    *,
    session_id: str,
    kinds: str,
    least: float,
    limit: int,
) -> list[Row]:
    """
    What may be said unasked about a file and what stands in it; `kinds` is a JSON list.

    What a person said is told in more kinds, and however sure it is.
    """
    return store.rows(
        "glance_about",
        project_id=project_id,
        file=f"file:{file}",
        symbols=f"symbol:{file}::",
        beyond=f"symbol:{file}:;",
        session_id=session_id,
        kinds=kinds,
        person_kinds=json.dumps((*TOOL_RESULT_KINDS, *PERSON_TOOL_RESULT_KINDS)),
        least=least,
        min_proofs=MIN_PROOFS_TO_SPEAK,
        silent_at=SILENT_AT,
        limit=limit,
    )


def list_said(store: HookStore, project_id: str | None, *, limit: int) -> list[Row]:
    """What people said in a project, what they typed first."""
    kinds = json.dumps((*TOOL_RESULT_KINDS, *PERSON_TOOL_RESULT_KINDS))
    return store.rows("glance_said", project_id=project_id, kinds=kinds, limit=limit)


def list_said_anywhere(store: HookStore) -> list[Row]:
    """What people said in any project, each with a subject; one more than the gate looks for, at most."""
    kinds = json.dumps((*TOOL_RESULT_KINDS, *PERSON_TOOL_RESULT_KINDS))
    return store.rows("glance_said_anywhere", kinds=kinds, limit=MAX_GATE_WORDS + 1)


def list_known_errors(store: HookStore, project_id: str | None, *, least: float, limit: int) -> list[Row]:
    """The errors a project knows a way out of."""
    return store.rows(
        "glance_errors",
        project_id=project_id,
        least=least,
        min_proofs=MIN_PROOFS_TO_SPEAK,
        silent_at=SILENT_AT,
        limit=limit,
    )


def has_error_notes(store: HookStore, project_id: str | None) -> bool:
    """Whether a project has a note about an error that was mended and is no memory yet."""
    return bool(store.rows("glance_has_error_notes", project_id=project_id))


def list_error_notes(
    store: HookStore, project_id: str | None, session_id: str, keys: Sequence[str], *, limit: int
) -> list[Row]:
    """Notes of other sessions about an error that they mended once, known by any key of its fingerprint."""
    return store.rows(
        "glance_error_notes",
        project_id=project_id,
        session_id=session_id,
        keys=json.dumps(list(keys)),
        limit=limit,
    )


def list_notes_about(store: HookStore, session_id: str, agent: str, file: str, *, limit: int) -> list[Row]:
    """What others noted about a file in this session, or its own agent before it was compacted."""
    return store.rows("glance_notes", session_id=session_id, agent=agent, file=f"file:{file}", limit=limit)


def list_visible_ids(store: HookStore, session_id: str, agent: str) -> set[str]:
    """What an agent still has before it."""
    rows = store.rows("glance_told", session_id=session_id, agent=agent)
    return {row["memory_id"] for row in rows}


def count_commits(store: HookStore) -> str:
    """How many transactions have changed the store."""
    rows = store.rows("glance_commits")
    return str(rows[0]["value"]) if rows else ""


def list_spoken_subjects(store: HookStore, kinds: tuple[str, ...]) -> list[str]:
    """What memories of these kinds are about, `type:name` each; one more than the gate looks for, at most."""
    rows = store.rows("glance_subjects", kinds=json.dumps(kinds), limit=MAX_GATE_WORDS + 1)
    return [row["subject"] for row in rows]


def knows_errors(store: HookStore) -> bool:
    """Whether a way out of any error is known."""
    return bool(store.rows("glance_knows_errors"))


def _read_queries() -> dict[str, str]:
    with open(_QUERIES, encoding="utf-8") as stream:  # noqa: PTH123
        blocks = stream.read().split("-- name: ")[1:]
    parted = (block.partition("\n") for block in blocks)
    return {name: body for name, _, body in parted}
