"""
What a hook says to a session: when it begins, is asked something, starts a subagent or was compacted. Or nothing.

The reading half of a memory is enough for it. Sub-APIs and the write side are not loaded: an agent waits for this.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from recollect import config
from recollect.api.read_wiring import ReadWiring
from recollect.events.inbox import list_waiting_events, read_waiting
from recollect.git import identity
from recollect.hooks.hook_context import HookContext
from recollect.hooks.inject_once import inject_once
from recollect.inject import layout as layouts
from recollect.inject.assemble import assemble_injection
from recollect.inject.injection import InjectionText
from recollect.inject.layout import CODING, Layout, needs_predicted_files
from recollect.inject.slot_candidates import (
    Situation,
    find_slot_candidates,
    write_task_anchor,
    write_waiting_count,
)
from recollect.model.complexity import estimate_complexity
from recollect.model.event import EventType
from recollect.model.injection import InjectionUse
from recollect.model.kinds import Kinds
from recollect.model.phase import Phase
from recollect.model.policy import MIRRORED_AT
from recollect.model.query import Filters
from recollect.model.value import replace
from recollect.store.open import open_db
from recollect.store.tables import events, injections, memories, meta, reviews, sessions

# A hook cannot wait its turn for as long as a command can.
BUSY_MILLISECONDS = 150
_MAX_OWN = 200


class SessionText:
    """The texts for one session."""

    def __init__(self, reading: ReadWiring, context: HookContext, now: Callable[[], datetime]) -> None:
        self._reading = reading
        self._db = reading.db
        self._context = context
        self._now = now

    def write_brief(self) -> InjectionText | None:
        """A session begins."""
        waiting = reviews.count_waiting(self._db, self._reading.project_id())
        aside = " ".join(filter(None, (write_waiting_count(waiting), self._say_age())))
        return self._inject(layouts.BRIEF, aside=aside)

    def _say_age(self) -> str:
        """How old the mirror of a server is, where it was not reached for an hour."""
        at = meta.read_meta(self._db, MIRRORED_AT) if self._reading.settings.text("url") else None
        hours = (self._now() - datetime.fromisoformat(at)).total_seconds() // 3600 if at else 0
        return (
            f"The team's memory is as of {hours:.0f} h ago; its server was not reached since."
            if hours
            else ""
        )

    def write_after_compaction(self) -> InjectionText | None:
        """The conversation was summarised: what it is about, and what was told before."""
        prompts = self._list_prompts()
        first, last = (prompts[0], prompts[-1]) if prompts else ("", "")
        anchor = write_task_anchor(first, last, events.list_changed_files(self._db, self._context.session_id))
        return self._inject(layouts.COMPACTION, lost=self._list_lost_ids(), lead=anchor)

    def write_prompt_answer(self, question: str, *, opening: bool = False) -> InjectionText | None:
        """A person asked something. `opening`: this client had no ear for a brief when the session began."""
        first = layouts.OPENING if opening else layouts.FIRST_PROMPT
        return self._inject(first if self.is_first_prompt() else layouts.PROMPT, question=question)

    def is_first_prompt(self) -> bool:
        """Whether nothing was asked in this session before the prompt that was just recorded."""
        return len(self._list_prompts()) <= 1

    def write_subagent_brief(self) -> InjectionText | None:
        """A subagent begins, and knows nothing of what its session was told."""
        prompts = self._list_prompts()
        return self._inject(layouts.SUBAGENT, question=prompts[-1] if prompts else "")

    def _inject(
        self,
        moment: str,
        *,
        question: str = "",
        lost: Sequence[str] = (),
        lead: Sequence[str] = (),
        aside: str = "",
    ) -> InjectionText | None:
        context, layout = self._context, self._layout(moment)
        situation = self._with_predicted_files(layout, self._situation(question, lost))
        candidates = find_slot_candidates(self._reading.read_context, layout, situation)
        return inject_once(
            context,
            lambda told: assemble_injection(
                layout,
                candidates,
                told_ids=told,
                boundary=context.boundary(),
                lead=lead,
                aside=aside,
                phase=situation.phase,
                predicted_files=situation.predicted_files,
                question=situation.question,
            ),
            lambda: (
                injections.list_visible_ids(self._db, context.session_id, context.agent)
                | self._list_own_ids()
            ),
        )

    def _layout(self, moment: str) -> Layout:
        """Ours, or the one that the user wrote in its place."""
        written = self._reading.settings.users_layouts().get(moment)
        if written is None:
            return CODING[moment]
        # Loaded for those few alone who wrote one.
        from recollect.inject.user_layouts import parse_user_layout

        return parse_user_layout(moment, *written, Kinds().names())

    def _situation(self, question: str, lost: Sequence[str]) -> Situation:
        session = sessions.find_session(self._db, self._context.session_id)
        return Situation(
            now=self._now(),
            kinds=Kinds().names(),
            project_id=self._reading.project_id(),
            branch=session.branch if session else "",
            work=session.work if session else "",
            question=question,
            lost=tuple(lost),
            phase=Phase(session.phase) if session and session.phase in set(Phase) else None,
            complexity=estimate_complexity(question),
        )

    def _with_predicted_files(self, layout: Layout, situation: Situation) -> Situation:
        """With the files that the session will probably open, where the layout has a place for them."""
        if not needs_predicted_files(layout):
            return situation
        predicted = self._reading.predict_files(
            prompt=situation.question,
            branch=situation.branch or identity.read_branch(Path(self._context.folder)) or "",
            folder=self._context.folder,
            session_id=self._context.session_id,
        )
        return replace(situation, predicted_files=predicted)

    def _list_prompts(self) -> list[str]:
        """What the person asked in this session, in order; some of it may still wait in the inbox."""
        session_id = self._context.session_id
        stored = events.list_events(self._db, session_id, EventType.PROMPT)
        texts = {event.id: event.text for event in stored if not event.data.get("machine")}
        for event in list_waiting_events(read_waiting(self._context.inbox), session_id, [EventType.PROMPT]):
            if not event.get("data", {}).get("machine"):
                texts[event["id"]] = event.get("text", "")
        return [text for text in texts.values() if text]

    def _list_own_ids(self) -> set[str]:
        """What this very session wrote, and no summary took away: it needs no telling."""
        session_id = self._context.session_id
        if self._context.agent or events.list_events(self._db, session_id, EventType.COMPACTED):
            return set()
        own = memories.list_memories(self._db, Filters(sessions=(session_id,)), limit=_MAX_OWN)
        return {memory.id for memory in own}

    def _list_lost_ids(self) -> list[str]:
        """What the agent had before it, what it used first."""
        injected = injections.list_injections(self._db, self._context.session_id)
        lost = [injection for injection in injected if injection.lost_at is not None and not injection.agent]
        lost.sort(key=lambda injection: injection.used is not InjectionUse.CITED)
        return list(dict.fromkeys(injection.memory_id for injection in lost))


def answer_prompt(context: HookContext, question: str) -> InjectionText | None:
    """What fits a prompt."""
    with _open_for_search(context) as session:
        return session.write_prompt_answer(question) if session else None


def answer_subagent(context: HookContext) -> InjectionText | None:
    """What a subagent should know that was just started."""
    with _open_for_search(context) as session:
        return session.write_subagent_brief() if session else None


def is_later_prompt(context: HookContext) -> bool:
    """Whether something was asked in this session before; False without a store."""
    if not os.path.exists(context.db):  # noqa: PTH110
        return False
    with open_session_text(context, lambda: datetime.now(UTC)) as session:
        return not session.is_first_prompt()


@contextmanager
def _open_for_search(context: HookContext) -> Iterator[SessionText | None]:
    # Our matrices are small: a second thread costs more to start than it saves. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not os.path.exists(context.db):  # noqa: PTH110
        yield None
        return
    with open_session_text(context, lambda: datetime.now(UTC)) as session:
        yield session


@contextmanager
def open_session_text(context: HookContext, now: Callable[[], datetime]) -> Iterator[SessionText]:
    """The session of a hook, to be spoken to; nothing is written to the store."""
    db = open_db(context.db, now(), read_only=True, create=False)
    try:
        db.wait_at_most(BUSY_MILLISECONDS)
        settings = config.load_settings(config.project_folder(Path(context.folder)))
        yield SessionText(ReadWiring(db, folder=context.folder or None, settings=settings), context, now)
    finally:
        db.close()
