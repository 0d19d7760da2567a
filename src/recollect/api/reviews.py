"""The desk where a person looks at what waits: `memory.reviews`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.api.wiring import Wiring
from recollect.capture import forget_source as sources
from recollect.capture import review
from recollect.lifecycle.confirm import auto_confirm
from recollect.lifecycle.injection_outcomes import note_applied
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.model.review import Confirmed, Correction, SessionReview, Waiting
from recollect.model.source_name import Forgotten, SourceName, parse_source
from recollect.retrieve import reviews


class Reviews:
    """What waits for a person, and what they say about it. Every act can be undone, and says who and why."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def pending(
        self,
        filters: Filters | None = None,
        *,
        states: Sequence[MemoryState] = (),
        limit: int = reviews.MOST_WAITING,
    ) -> Sequence[Waiting]:
        """What waits for a person, newest first, with where it comes from and the evidence for it."""
        return reviews.pending(self._wiring.db, filters or self._here(), states=states, limit=limit)

    def session(
        self,
        session_id: str = "last",
        filters: Filters | None = None,
        *,
        states: Sequence[MemoryState] = (),
    ) -> SessionReview:
        """What a session used, what it left for review, and what needs none."""
        return reviews.of_session(self._wiring.db, session_id, filters or self._here(), states=states)

    def confirm(self, *memory_ids: str, why: str = "") -> Sequence[Memory]:
        """A person stands by these: they are active, and need no review."""
        return review.confirm(self._wiring.door(), memory_ids, actor=self._wiring.actor, why=why)

    def correct(
        self, memory_id: str, wrong: Correction | str, *, text: str = "", original: str = "", why: str = ""
    ) -> Memory:
        """Put a memory right: new `text` if inaccurate or too specific, the `original` if a duplicate, or outdated."""
        return review.correct(
            self._wiring.door(),
            memory_id,
            Correction(wrong),
            text=text,
            original=original,
            actor=self._wiring.actor,
            why=why,
        )

    def flag(self, *memory_ids: str, why: str = "") -> Sequence[Memory]:
        """These are wrong: silent at once, until a person has looked. Agents may say so too."""
        return review.flag(self._wiring.door(), memory_ids, actor=self._wiring.actor, why=why)

    def reject(self, *memory_ids: str, why: str = "") -> Sequence[Memory]:
        """A person does not want these; `undo` brings them back."""
        return review.reject(self._wiring.door(), memory_ids, actor=self._wiring.actor, why=why)

    def auto_confirm(self) -> Sequence[Confirmed]:
        """Take the label off what the rule confirms."""
        return auto_confirm(self._wiring.db, self._wiring.now(), self._wiring.new_id)

    def note_applied(self, session_id: str, shown: Iterable[Memory]) -> None:
        """These were put before the agent in a session. That is no access."""
        note_applied(self._wiring.db, session_id, shown, self._wiring.now())

    def source(self, source: str, *, every_project: bool = False) -> Forgotten:
        """Everything from a source and what was derived from it; nothing is changed."""
        return sources.find_source(
            self._wiring.door(), self._named(source), self._wiring.project_id(), every_project=every_project
        )

    def forget_source(
        self, source: str, *, every_project: bool = False, purge: bool = False, why: str = ""
    ) -> Forgotten:
        """Forget everything from a source and what was derived from it, as one act."""
        return sources.forget_source(
            self._wiring.door(),
            self._named(source),
            self._wiring.project_id(),
            every_project=every_project,
            purge=purge,
            actor=self._wiring.actor,
            why=why,
        )

    def _here(self) -> Filters:
        return Filters(project_id=self._wiring.project_id())

    def _named(self, source: str) -> SourceName:
        """A source as this project knows it: a file is seen from the top."""
        named = parse_source(source)
        if named.kind != "file":
            return named
        return SourceName(kind="file", name=self._wiring.subjects([f"file:{named.name}"])[0].name)
