"""Doing something once, however often it is asked for: the answer is kept in the transaction that does it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from recollect.api.recollect import Recollect
from recollect.errors import BadInput
from recollect.store.tables import team

# So long an answer is kept for a client that did not hear it.
ANSWERS_KEPT = timedelta(days=2)
MAX_KEY = 200


def answer_once(memory: Recollect, person: str, key: str, name: str, act: Callable[[], str]) -> str:
    """The answer of an act; a second request with the same key gets the first one's answer, and changes nothing."""
    if not 0 < len(key) <= MAX_KEY or not key.isprintable():
        raise BadInput(reason=f"the key of a request has at most {MAX_KEY} characters that can be shown")
    db, now = memory._wiring.db, memory._wiring.now
    # What writing needs is made before: a look for a model may write, and must not be taken back with the act.
    memory._wiring.begin_writing()

    def find_answer() -> str | None:
        known = team.find_answer(db, person, key)
        if known is not None and known[0] != name:
            raise BadInput(reason=f"this key was given to {known[0]} before; a request has a key of its own")
        return known[1] if known else None

    def answer() -> str:
        with db.transaction():
            known = find_answer()
            if known is not None:
                return known
            made = act()
            team.save_answer(db, person, key, name, made, now())
            return made

    return find_answer() or db.retried(answer)


def record_act(memory: Recollect, person: str, act: str, *, token: str, target: str) -> None:
    """Write down who did what; in the transaction that does it, where there is one."""
    team.record_audit(memory._wiring.db, memory._wiring.now(), person, act, token=token, target=target)
