"""The desk for what agents were told unasked: `memory.ledger`."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api.wiring import Wiring
from recollect.model.injection import Told
from recollect.model.savings import Savings
from recollect.observe.savings import saved_in, saved_lately
from recollect.retrieve import injections


class Ledger:
    """What was put before agents that did not ask for it, and what came of it."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def of_session(self, session_id: str) -> Sequence[Told]:
        """All that the agents of a session were told, in the order they were."""
        self._wiring.take_in_mail_quietly()
        return injections.in_session(self._wiring.db, session_id)

    def saved(self, session_id: str | None = None, *, every_project: bool = False) -> Savings:
        """
        What being told in time saved: a session, or the newest sessions of this project or of all.

        It is counted, never guessed.
        """
        db = self._wiring.db
        known = saved_lately(db, self._wiring.project_id(), every_project=every_project)
        return Savings(here=saved_in(db, session_id) if session_id else known, known=known)
