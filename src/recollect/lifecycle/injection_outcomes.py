"""
Outcomes of injections: what an agent was shown, what it cited or opened, and what a person objected to.

Being injected is no access and proves nothing about a memory. Being cited is one, and counts as useful; a person
who objects right afterwards makes it noise. When a session is over, what led its agent to a file counts as useful if
the work passed; what was put before session after session and never used counts as noise. What is noise more often
than useful is told at fewer moments, then at none (`model/trust.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.lifecycle.upkeep_context import UPKEEP
from recollect.lifecycle.writing import apply_change
from recollect.model.history import Act
from recollect.model.injection import Injection, InjectionUse
from recollect.model.memory import Memory
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import Origin, origin_of
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import injections, memories, memory_writes

SHOWN = "shown"
# So many sessions were told something, and none made anything of it.
IGNORED_SESSIONS = 5


def record_shown(db: Db, session_id: str, shown: Iterable[Memory], now: datetime) -> None:
    """These stood before the agent in a session; the review at its end shows them."""
    with db.transaction():
        injections.save_injections(
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


def record_citations(db: Db, session_id: str, names: Sequence[str], *, at: datetime, act_id: str) -> None:
    """An agent relied on what has these names and said so: an access and a use each, once a session."""
    injected_ids = {injection.memory_id for injection in injections.list_injections(db, session_id)}
    cited_ids = [memory_id for memory_id in sorted(injected_ids) if memory_id.startswith(tuple(names))]
    fresh = [
        memory_id
        for memory_id in cited_ids
        if injections.mark_used(db, session_id, memory_id, InjectionUse.CITED, at)
    ]
    memory_writes.record_accesses(db, dict.fromkeys(fresh, 1), at)
    _judge_memories(db, fresh, "useful", f"cited in session {session_id}", at=at, act_id=act_id)


def record_opened_files(db: Db, session_id: str, files: Sequence[str], at: datetime) -> None:
    """These files were opened: what was told about them before led somewhere."""
    for memory_id in injections.list_unused_about(db, session_id, files, at):
        injections.mark_used(db, session_id, memory_id, InjectionUse.READ, at)


def record_objection(db: Db, session_id: str, *, since: datetime, at: datetime, act_id: str) -> None:
    """A person said that what was done since was wrong: what was cited for it is noise."""
    blamed = injections.list_cited_since(db, session_id, since)
    for memory_id in blamed:
        injections.mark_used(db, session_id, memory_id, InjectionUse.CORRECTED, at)
    why = f"a person corrected session {session_id} right after it was cited"
    _judge_memories(db, blamed, "noise", why, at=at, act_id=act_id)


def judge_session_injections(db: Db, session_id: str, *, passed: bool, at: datetime, act_id: str) -> None:
    """A session is over: what followed on what it was told is counted, once a memory."""
    injected = {one.memory_id: one.used for one in injections.list_injections(db, session_id)}
    followed = [memory_id for memory_id, used in injected.items() if used is InjectionUse.READ]
    if passed:
        why = f"it led to a file in session {session_id}, which passed"
        _judge_memories(db, followed, "useful", why, at=at, act_id=act_id)
    ignored = [
        memory_id
        for memory_id, used in injected.items()
        if used is InjectionUse.NOT_SEEN and _is_ignored(db, memory_id)
    ]
    why = f"put before {IGNORED_SESSIONS} sessions, and used in none"
    _judge_memories(db, ignored, "noise", why, at=at, act_id=act_id)


def _is_ignored(db: Db, memory_id: str) -> bool:
    """Whether it was told in vain so often, or a multiple of it; a person's own words are theirs to judge."""
    memory = memories.find_memory(db, memory_id)
    if memory is None or memory.pinned or origin_of(memory) is Origin.PERSON:
        return False
    sessions_told, sessions_used = injections.count_uses(db, memory_id)
    return sessions_used == 0 and sessions_told % IGNORED_SESSIONS == 0


def _judge_memories(
    db: Db, memory_ids: Sequence[str], action: str, why: str, *, at: datetime, act_id: str
) -> None:
    act = Act(id=act_id, at=at, actor=UPKEEP, action=action, why=why, by_person=False)
    for memory_id in memory_ids:
        old = memories.find_memory(db, memory_id)
        if old is None:  # a note of the session's own, or a memory that is gone
            continue
        helped = action == "useful"
        apply_change(db, act, old, replace(old, useful=old.useful + helped, noise=old.noise + (not helped)))
