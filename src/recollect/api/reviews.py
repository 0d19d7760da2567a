"""What waits for a person and what they say about it, as `memory.reviews`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.capture import change as sources
from recollect.capture import review, share
from recollect.lifecycle.confirm import auto_confirm
from recollect.lifecycle.injection_outcomes import record_shown
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.model.review import ConfirmedMemory, CorrectionReason, SessionReview, WaitingMemory
from recollect.model.source_name import ForgottenSource, SourceName, parse_source
from recollect.retrieve import reviews


@public_api
class Reviews:
    """What waits for a person, and what they say about it. Every act can be undone, and says who and why."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def pending(
        self,
        filters: Filters | None = None,
        *,
        states: Sequence[MemoryState] = (),
        limit: int = reviews.MAX_WAITING,
    ) -> Sequence[WaitingMemory]:
        """What waits for a person, newest first, with where it comes from and the evidence for it."""
        return reviews.list_waiting(self._wiring.db, filters or self._here(), states=states, limit=limit)

    def session(
        self,
        session_id: str = "last",
        filters: Filters | None = None,
        *,
        states: Sequence[MemoryState] = (),
    ) -> SessionReview:
        """What a session used, what it left for review, and what needs none."""
        return reviews.review_session(self._wiring.db, session_id, filters or self._here(), states=states)

    def confirm(self, *memory_ids: str, why: str = "") -> Sequence[Memory]:
        """A person stands by these: they are active, and need no review."""
        context, actor = self._wiring.begin_writing(), self._wiring.actor
        with context.db.transaction():
            share.check_second_person(context, memory_ids, actor)
            confirmed = review.confirm(context, memory_ids, actor=actor, why=why)
            share.grant_requests(context, confirmed)
        return confirmed

    def share(self, memory_id: str, *, why: str = "") -> Memory:
        """A memory that is one person's becomes everybody's; where its project wants it, when another agrees."""
        return share.share_memory(self._wiring.begin_writing(), memory_id, actor=self._wiring.actor, why=why)

    def correct(
        self,
        memory_id: str,
        wrong: CorrectionReason | str,
        *,
        text: str = "",
        original: str = "",
        why: str = "",
    ) -> Memory:
        """Put a memory right: new `text` if inaccurate or too specific, the `original` if a duplicate, or outdated."""
        return review.correct(
            self._wiring.begin_writing(),
            memory_id,
            CorrectionReason(wrong),
            text=text,
            original=original,
            actor=self._wiring.actor,
            why=why,
        )

    def flag(self, *memory_ids: str, why: str = "") -> Sequence[Memory]:
        """These are wrong: silent at once, until a person has looked. Agents may say so too."""
        return review.flag_for_review(
            self._wiring.begin_writing(), memory_ids, actor=self._wiring.actor, why=why
        )

    def reject(self, *memory_ids: str, why: str = "") -> Sequence[Memory]:
        """A person does not want these; `undo` brings them back. What somebody would share is theirs again."""
        return review.reject(self._wiring.begin_writing(), memory_ids, actor=self._wiring.actor, why=why)

    def merge(self, keep: str, *duplicates: str, why: str = "") -> Memory:
        """Several memories say the same: one stays and supersedes the others, in one act."""
        return review.merge(self._wiring.begin_writing(), keep, duplicates, actor=self._wiring.actor, why=why)

    def auto_confirm(self) -> Sequence[ConfirmedMemory]:
        """Take the label off what the rule confirms."""
        return auto_confirm(self._wiring.db, self._wiring.now(), self._wiring.new_id)

    def note_applied(self, session_id: str, shown: Iterable[Memory]) -> None:
        """These were put before the agent in a session. That is no access."""
        record_shown(self._wiring.db, session_id, shown, self._wiring.now())

    def source(self, source: str, *, every_project: bool = False) -> ForgottenSource:
        """Everything from a source and what was derived from it; nothing is changed."""
        self._wiring.drain_inbox()
        return sources.find_memories_from(
            self._wiring.write_context(),
            self._parse_source(source),
            self._wiring.project_id(),
            every_project=every_project,
        )

    def forget_source(
        self, source: str, *, every_project: bool = False, purge: bool = False, why: str = ""
    ) -> ForgottenSource:
        """Forget everything from a source and what was derived from it, as one act; or remove it for good."""
        if purge:
            forgotten = self.source(source, every_project=every_project)
            if forgotten.memories:
                # Loaded here: a vault and its notes are much to load.
                from recollect.api import purging

                purging.purge(self._wiring, [memory.id for memory in forgotten.memories])
            return forgotten
        return sources.forget_source(
            self._wiring.begin_writing(),
            self._parse_source(source),
            self._wiring.project_id(),
            every_project=every_project,
            actor=self._wiring.actor,
            why=why,
        )

    def _here(self) -> Filters:
        return Filters(project_id=self._wiring.project_id())

    def _parse_source(self, source: str) -> SourceName:
        """A source as this project knows it: a file is seen from the top."""
        name = parse_source(source)
        if name.kind != "file":
            return name
        return SourceName(kind="file", name=self._wiring.subjects([f"file:{name.name}"])[0].name)
