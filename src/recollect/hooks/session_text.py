"""
Speaking to a session: when it begins, is asked something, starts a subagent or was compacted. Or keeping silent.

The reading half of a memory is enough for it. The desks and the write side are not loaded: an agent waits for this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path

from recollect import config
from recollect.api.read_wiring import Reading
from recollect.events.inbox import peek
from recollect.events.waiting import of_session
from recollect.git import identity
from recollect.hooks.hook_context import Here
from recollect.hooks.inject_once import say_once
from recollect.inject import layout as layouts
from recollect.inject.assemble import assembled
from recollect.inject.injection import Spoken
from recollect.inject.layout import CODING, Layout, looks_ahead
from recollect.inject.moments import Situation, candidates, count_waiting, task_anchor
from recollect.model.complexity import complexity_of_task
from recollect.model.event import EventType
from recollect.model.injection import Used
from recollect.model.kinds import Kinds
from recollect.model.phase import Phase
from recollect.model.value import replace
from recollect.store.open import open_db
from recollect.store.tables import events, injections, reviews, sessions

__all__ = ["Moments", "Spoken", "opened"]

# A hook cannot wait its turn for as long as a command can.
BUSY_MILLISECONDS = 150


class Moments:
    """One session, spoken to by a hook."""

    def __init__(self, reading: Reading, here: Here, now: Callable[[], datetime]) -> None:
        self._reading = reading
        self._db = reading.db
        self._here = here
        self._now = now

    def brief(self) -> Spoken | None:
        """A session begins."""
        waiting = reviews.waiting_count(self._db, self._reading.project_id())
        return self._say(layouts.BRIEF, aside=count_waiting(waiting))

    def after_compaction(self) -> Spoken | None:
        """The conversation was summarised: what it is about, and what was told before."""
        prompts = self._prompts()
        first, last = (prompts[0], prompts[-1]) if prompts else ("", "")
        anchor = task_anchor(first, last, events.files_changed(self._db, self._here.session_id))
        return self._say(layouts.COMPACTION, lost=self._lost(), lead=anchor)

    def prompted(self, question: str, *, opening: bool = False) -> Spoken | None:
        """A person asked something. `opening`: this client had no ear for a brief when the session began."""
        first = layouts.OPENING if opening else layouts.FIRST_PROMPT
        return self._say(first if self.is_first_prompt() else layouts.PROMPT, question=question)

    def is_first_prompt(self) -> bool:
        """Whether nothing was asked in this session before the prompt that was just recorded."""
        return len(self._prompts()) <= 1

    def subagent_started(self) -> Spoken | None:
        """A subagent begins, and knows nothing of what its session was told."""
        prompts = self._prompts()
        return self._say(layouts.SUBAGENT, question=prompts[-1] if prompts else "")

    def _say(
        self,
        moment: str,
        *,
        question: str = "",
        lost: Sequence[str] = (),
        lead: Sequence[str] = (),
        aside: str = "",
    ) -> Spoken | None:
        here, layout = self._here, self._layout(moment)
        situation = self._looking_ahead(layout, self._situation(question, lost))
        found = candidates(self._reading.ground, layout, situation)
        return say_once(
            here,
            lambda told: assembled(
                layout,
                found,
                told=told,
                boundary=here.boundary(),
                lead=lead,
                aside=aside,
                phase=situation.phase,
                foreseen=situation.foreseen,
                question=situation.question,
            ),
            lambda: injections.told(self._db, here.session_id, here.agent),
        )

    def _layout(self, moment: str) -> Layout:
        """Ours, or the one that the user wrote in its place."""
        written = self._reading.settings.users_layouts().get(moment)
        if written is None:
            return CODING[moment]
        # Loaded for those few alone who wrote one.
        own = import_module("recollect.inject.user_layouts")
        layout: Layout = own.own_layout(moment, *written, Kinds().names())
        return layout

    def _situation(self, question: str, lost: Sequence[str]) -> Situation:
        session = sessions.by_id(self._db, self._here.session_id)
        return Situation(
            now=self._now(),
            kinds=Kinds().names(),
            project_id=self._reading.project_id(),
            branch=session.branch if session else "",
            work=session.work if session else "",
            question=question,
            lost=tuple(lost),
            phase=Phase(session.phase) if session and session.phase in set(Phase) else None,
            complexity=complexity_of_task(question),
        )

    def _looking_ahead(self, layout: Layout, situation: Situation) -> Situation:
        """With the files that the session will probably open, where the layout has a place for them."""
        if not looks_ahead(layout):
            return situation
        # Loaded only where files are named: most prompts go on with a session, and name none.
        foreseeing = import_module("recollect.api.file_prediction")
        found = foreseeing.foreseen(
            self._reading,
            prompt=situation.question,
            branch=situation.branch or identity.branch(Path(self._here.folder)) or "",
            folder=self._here.folder,
            session_id=self._here.session_id,
        )
        return replace(situation, foreseen=found)

    def _prompts(self) -> list[str]:
        """What the person asked in this session, in order; some of it may still wait in the inbox."""
        session_id = self._here.session_id
        stored = events.of_session(self._db, session_id, EventType.PROMPT)
        told = {event.id: event.text for event in stored if not event.data.get("machine")}
        for form in of_session(peek(self._here.inbox), session_id, [EventType.PROMPT]):
            if not form.get("data", {}).get("machine"):
                told[form["id"]] = form.get("text", "")
        return [text for text in told.values() if text]

    def _lost(self) -> list[str]:
        """What the agent had before it, what it used first."""
        told = injections.of_session(self._db, self._here.session_id)
        lost = [one for one in told if one.lost_at is not None and not one.agent]
        lost.sort(key=lambda one: one.used is not Used.CITED)
        return list(dict.fromkeys(one.memory_id for one in lost))


@contextmanager
def opened(here: Here, now: Callable[[], datetime]) -> Iterator[Moments]:
    """The session of a hook, to be spoken to; nothing is written to the store."""
    db = open_db(here.db, now(), read_only=True, create=False)
    try:
        db.wait_at_most(BUSY_MILLISECONDS)
        settings = config.load(config.project_folder(Path(here.folder)))
        yield Moments(Reading(db, folder=here.folder or None, settings=settings), here, now)
    finally:
        db.close()
