"""The ledger of injections: what was put before which agent, and what it did with that."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recollect.model.injection import Injection, InjectionUse
from recollect.model.memory import Memory
from recollect.store.db import Db, Row
from recollect.store.tables.memories import memory_from_row
from recollect.store.tables.row_values import from_micros, json_list, to_micros


def save_injections(db: Db, injections: Iterable[Injection]) -> None:
    """Keep what was told."""
    db.run_many("injection_put", map(_injection_to_row, injections))


def list_injections(db: Db, session_id: str) -> list[Injection]:
    """All that the agents of a session were told, in the order they were."""
    return [injection_from_row(row) for row in db.rows("injections_of_session", session_id=session_id)]


def list_sessions_shown(db: Db, memory_id: str) -> list[str]:
    """The sessions that a memory was put before, the oldest first."""
    return [row["session_id"] for row in db.rows("injections_of_memory", memory_id=memory_id)]


def count_uses(db: Db, memory_id: str) -> tuple[int, int]:
    """How many sessions a memory was put before, and in how many of them it was used."""
    [row] = db.rows("injection_uses", memory_id=memory_id)
    return int(row["told"]), int(row["used"])


def list_visible_ids(db: Db, session_id: str, agent: str = "") -> set[str]:
    """What an agent still has before it; a compaction takes things away."""
    return {row["memory_id"] for row in db.rows("injections_told", session_id=session_id, agent=agent)}


def mark_lost(db: Db, session_id: str, at: datetime) -> None:
    """A compaction took away all that was told before it. Subagents have a window of their own."""
    db.run("injections_lost", session_id=session_id, at=to_micros(at))


def mark_used(db: Db, session_id: str, memory_id: str, how: InjectionUse, at: datetime) -> bool:
    """Something told before was used so; whether that is new."""
    at_micros = to_micros(at)
    changed = db.run(
        "injection_used", session_id=session_id, memory_id=memory_id, used=str(how), at=at_micros
    )
    return changed > 0


def list_cited_since(db: Db, session_id: str, since: datetime) -> list[str]:
    """What the agent of a session cited since a moment."""
    rows = db.rows("injections_cited_since", session_id=session_id, since=to_micros(since))
    return [row["memory_id"] for row in rows]


def list_unused_about(db: Db, session_id: str, files: Iterable[str], at: datetime) -> list[str]:
    """What was told before a moment about these files, unasked and before they were opened, and not used yet."""
    subjects = json_list(f"file:{file}" for file in files)
    rows = db.rows("injections_about", session_id=session_id, subjects=subjects, at=to_micros(at))
    return [row["memory_id"] for row in rows]


def delete_old_injections(db: Db, before: datetime, *, but_newest: int, limit: int) -> int:
    """Let go of some of what was told before a moment; never of a project's newest sessions. How many."""
    return db.run("injections_drop", before=to_micros(before), newest=but_newest, limit=limit)


def read_memories_by_id(db: Db, memory_ids: Iterable[str]) -> dict[str, Memory]:
    """The memories with these ids, as far as they are still kept."""
    rows = db.rows("memories_by_ids", ids=json_list(memory_ids))
    return {row["id"]: memory_from_row(row) for row in rows}


def _injection_to_row(injection: Injection) -> dict[str, object]:
    return {
        "session_id": injection.session_id,
        "agent": injection.agent,
        "moment": injection.moment,
        "memory_id": injection.memory_id,
        "at": to_micros(injection.at),
        "tokens": injection.tokens,
        "score": float(injection.score),
        "bar": float(injection.bar),
        "position": injection.position,
        "why": injection.why,
    }


def injection_from_row(row: Row) -> Injection:
    """A line of the ledger from its row."""
    return Injection(
        session_id=row["session_id"],
        agent=row["agent"],
        moment=row["moment"],
        memory_id=row["memory_id"],
        at=from_micros(row["at"]),
        tokens=row["tokens"],
        score=row["score"],
        bar=row["bar"],
        position=row["position"],
        why=row["why"],
        used=InjectionUse(row["used"]),
        used_at=_moment_from_row(row["used_at"]),
        lost_at=_moment_from_row(row["lost_at"]),
    )


def _moment_from_row(micros: int | None) -> datetime | None:
    return from_micros(micros) if micros is not None else None
