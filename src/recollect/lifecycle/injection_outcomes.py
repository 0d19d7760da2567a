"""
The ledger as sessions write it: what was put before an agent, what it made of that, what a compaction took away.

Being told unasked is no access and proves nothing about a memory. Being cited is one, and counts as useful; a person
who objects right afterwards makes it noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.lifecycle.upkeep_context import UPKEEP
from recollect.lifecycle.writing import applied
from recollect.model.history import Act
from recollect.model.injection import Injection, Used
from recollect.model.memory import Memory
from recollect.model.tokens import estimate_tokens
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import injections, memories, memory_writes

SHOWN = "shown"


def note_applied(db: Db, session_id: str, shown: Iterable[Memory], now: datetime) -> None:
    """These stood before the agent in a session; the review at its end shows them."""
    with db.transaction():
        injections.put(
            db,
            (
                Injection(
                    session_id=session_id,
                    moment=SHOWN,
                    memory_id=memory.id,
                    at=now,
                    tokens=estimate_tokens(memory.text),
                    score=0.0,
                    bar=0.0,
                    position=position,
                )
                for position, memory in enumerate(shown, start=1)
            ),
        )


def cited(db: Db, session_id: str, names: Sequence[str], *, at: datetime, act_id: str) -> None:
    """An agent relied on what has these names and said so: an access and a use each, once a session."""
    told = {injection.memory_id for injection in injections.of_session(db, session_id)}
    named = [memory_id for memory_id in sorted(told) if memory_id.startswith(tuple(names))]
    fresh = [memory_id for memory_id in named if injections.used(db, session_id, memory_id, Used.CITED, at)]
    memory_writes.accessed(db, dict.fromkeys(fresh, 1), at)
    _judge(db, fresh, "useful", f"cited in session {session_id}", at=at, act_id=act_id)


def opened(db: Db, session_id: str, files: Sequence[str], at: datetime) -> None:
    """These files were opened: what was told about them before led somewhere."""
    for memory_id in injections.told_about(db, session_id, files, at):
        injections.used(db, session_id, memory_id, Used.READ, at)


def objected(db: Db, session_id: str, *, since: datetime, at: datetime, act_id: str) -> None:
    """A person said that what was done since was wrong: what was cited for it is noise."""
    blamed = injections.cited_since(db, session_id, since)
    for memory_id in blamed:
        injections.used(db, session_id, memory_id, Used.CORRECTED, at)
    why = f"a person corrected session {session_id} right after it was cited"
    _judge(db, blamed, "noise", why, at=at, act_id=act_id)


def _judge(db: Db, memory_ids: Sequence[str], action: str, why: str, *, at: datetime, act_id: str) -> None:
    act = Act(id=act_id, at=at, actor=UPKEEP, action=action, why=why, by_person=False)
    for memory_id in memory_ids:
        old = memories.by_id(db, memory_id)
        if old is None:  # a note of the session's own, or a memory that is gone
            continue
        helped = action == "useful"
        applied(db, act, old, replace(old, useful=old.useful + helped, noise=old.noise + (not helped)))
