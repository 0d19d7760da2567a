"""What failures taught, as `memory.lessons`: listed, shown with their failures, stood by, put away."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api.learned_memories import LearnedMemories
from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.learn.lessons.failure_notes import list_failures_of_lesson
from recollect.model.failure import Failure
from recollect.model.learned import LessonView
from recollect.model.memory import Memory, MemoryState
from recollect.model.policy import ESCALATED_TAG

__all__ = ["LessonView", "Lessons"]


@public_api
class Lessons:
    """Avoidance rules: what fails, when, and what to do instead."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._memories = LearnedMemories(wiring, "lesson")

    def list(
        self,
        *,
        states: Sequence[MemoryState] = (MemoryState.ACTIVE, MemoryState.QUARANTINED),
        every_project: bool = False,
        limit: int = 50,
    ) -> Sequence[LessonView]:
        """The lessons there are: what escalated first, then what failed most often."""
        lessons = self._memories.list(states=states, every_project=every_project)
        views = [make_lesson_view(lesson) for lesson in lessons]
        views.sort(key=lambda view: (-view.is_escalated, -view.failures))
        return views[:limit]

    def show(self, lesson_id: str) -> LessonView:
        """One lesson with the failures it was made of, each with the step where it went wrong."""
        lesson = self._memories.get(lesson_id)
        failures = list_failures_of_lesson(self._wiring.db, lesson.id)
        return make_lesson_view(lesson, tuple(failures))

    def promote(self, lesson_id: str, *, why: str = "") -> LessonView:
        """A person stands by it: it needs no review, and its words stay as they are."""
        return make_lesson_view(self._memories.confirm(lesson_id, why))

    def retire(self, lesson_id: str, *, why: str = "") -> LessonView:
        """Out of use; the same failures do not bring it back, `undo` does."""
        return make_lesson_view(self._memories.retire(lesson_id, why))

    def undo(self, lesson_id: str) -> LessonView:
        """Take back the last act that changed it."""
        return make_lesson_view(self._memories.undo(lesson_id))


def make_lesson_view(lesson: Memory, failures: tuple[Failure, ...] = ()) -> LessonView:
    """A lesson as people look at it."""
    fields = lesson.fields
    return LessonView(
        memory=lesson,
        when=str(fields.get("when", "")),
        avoid=str(fields.get("avoid", "")),
        instead=str(fields.get("instead", "")),
        failures=read_count(lesson, "failures"),
        held=read_count(lesson, "held"),
        missed=read_count(lesson, "missed"),
        is_escalated=ESCALATED_TAG in lesson.tags,
        evidence=failures,
    )


def read_count(memory: Memory, name: str) -> int:
    """A count among the extra fields; 0 where there is none."""
    value = memory.fields.get(name)
    return value if isinstance(value, int) else 0
