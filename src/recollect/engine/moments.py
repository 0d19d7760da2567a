"""
What a hook does when a session begins, is asked something, starts a subagent or was compacted: it speaks, or keeps
silent.

Opened by itself, without the desks: a session waits for this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config
from recollect.engine.tool_time import write_and_say
from recollect.engine.wiring import Wiring
from recollect.inject import layout as layouts
from recollect.inject.assemble import assembled
from recollect.inject.layout import CODING, Layout
from recollect.inject.moments import Situation, candidates, count_waiting, task_anchor
from recollect.inject.spoken import Spoken
from recollect.model.event import Event, EventType
from recollect.model.injection import Used
from recollect.model.kinds import Kinds
from recollect.model.provenance import Channel
from recollect.model.session import Session
from recollect.record.here import Here
from recollect.store import events, ledger, reviews, scratchpad, sessions
from recollect.store.open import open_db

__all__ = ["Moments", "Spoken", "opened"]

if TYPE_CHECKING:
    from collections.abc import Iterator


# A hook cannot wait its turn for as long as a command can.
_BUSY_MILLISECONDS = 150
_SILENT = timedelta(hours=6)


class Moments:
    """One session, spoken to by a hook."""

    def __init__(self, wiring: Wiring, here: Here) -> None:
        self._wiring = wiring
        self._here = here
        self._project_id = wiring.project_id()

    def learning_is_due(self, *, others_are_over: bool = False) -> bool:
        """Whether earlier sessions are over and not learned from. Where a client tells no end, a new session is one."""
        db, now = self._wiring.db, self._wiring.now()
        if others_are_over:
            for session_id in sessions.left_open(db, self._project_id, self._here.client):
                if session_id != self._here.session_id and _has_come_to_rest(events.last(db, session_id)):
                    sessions.end(db, session_id)
        return bool(scratchpad.to_learn(db, now - _SILENT, 1))

    def brief(self) -> Spoken | None:
        """A session begins."""
        waiting = reviews.waiting_count(self._wiring.db, self._project_id)
        return self._say(CODING[layouts.BRIEF], aside=count_waiting(waiting))

    def after_compaction(self) -> Spoken | None:
        """The conversation was summarised: what it is about, and what was told before."""
        prompts = self._prompts()
        first, last = (prompts[0], prompts[-1]) if prompts else ("", "")
        anchor = task_anchor(first, last, events.files_changed(self._wiring.db, self._here.session_id))
        return self._say(CODING[layouts.COMPACTION], lost=self._lost(), lead=anchor)

    def prompted(self, question: str, *, opening: bool) -> Spoken | None:
        """A person asked something. `opening`: this client has no ear for a brief when a session begins."""
        is_first = len(self._prompts()) <= 1
        first = layouts.OPENING if opening else layouts.FIRST_PROMPT
        return self._say(CODING[first if is_first else layouts.PROMPT], question=question)

    def subagent_started(self) -> Spoken | None:
        """A subagent begins, and knows nothing of what its session was told."""
        prompts = self._prompts()
        return self._say(CODING[layouts.SUBAGENT], question=prompts[-1] if prompts else "")

    def _say(
        self,
        layout: Layout,
        *,
        question: str = "",
        lost: Sequence[str] = (),
        lead: Sequence[str] = (),
        aside: str = "",
    ) -> Spoken | None:
        here, db = self._here, self._wiring.db
        session = sessions.by_id(db, here.session_id)
        found = candidates(self._wiring.ground, layout, self._situation(session, question, lost))
        return write_and_say(
            here,
            [],
            lambda told: assembled(
                layout, found, told=told, boundary=here.boundary(), lead=lead, aside=aside
            ),
            lambda: ledger.told(db, here.session_id, here.agent),
        )

    def _situation(self, session: Session | None, question: str, lost: Sequence[str]) -> Situation:
        return Situation(
            now=self._wiring.now(),
            kinds=self._wiring.kinds.names(),
            project_id=self._project_id,
            branch=session.branch if session else "",
            work=session.work if session else "",
            question=question,
            lost=tuple(lost),
        )

    def _prompts(self) -> list[str]:
        told = events.of_session(self._wiring.db, self._here.session_id, EventType.PROMPT)
        return [event.text for event in told if not event.data.get("machine") and event.text]

    def _lost(self) -> list[str]:
        """What the agent had before it, what it used first."""
        told = ledger.of_session(self._wiring.db, self._here.session_id)
        lost = [one for one in told if one.lost_at is not None and not one.agent]
        lost.sort(key=lambda one: one.used is not Used.CITED)
        return list(dict.fromkeys(one.memory_id for one in lost))


@contextmanager
def opened(here: Here, clock: Callable[[], datetime]) -> Iterator[Moments]:
    """The session of a hook, with all that was written down before it."""
    settings = config.load(config.project_folder(Path(here.folder)))
    db = open_db(here.db, clock())
    db.pragma("busy_timeout", _BUSY_MILLISECONDS)
    wiring = Wiring(
        db,
        folder=here.folder,
        settings=settings,
        embedder=None,
        kinds=Kinds(),
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    )
    try:
        wiring.take_in_mail_quietly()
        yield Moments(wiring, here)
    finally:
        wiring.close()


def _has_come_to_rest(last: Event | None) -> bool:
    return last is not None and last.type in (EventType.ASSISTANT_TEXT, EventType.INJECTED)
