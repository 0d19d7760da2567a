"""What was learned, as people look at it: a lesson with its failures, a recipe's steps, a skill's file."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.failure import Failure
from recollect.model.memory import Memory
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonView:
    """A lesson: when it holds, what fails, what to do instead, and how it has fared."""

    memory: Memory
    when: str = ""
    avoid: str = ""
    instead: str = ""
    # Failures like it, sessions that passed with it before them, and sessions that failed all the same.
    failures: int = 0
    held: int = 0
    missed: int = 0
    is_escalated: bool = False
    evidence: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeView:
    """A recipe: the class of task it is for, its steps in order, and how often it led to a good end."""

    memory: Memory
    name: str
    trigger: str = ""
    steps: tuple[str, ...] = ()
    successes: int = 0
    failures: int = 0
    success_rate: float = 1.0
    average_iterations: float | None = None
    # Good and frequent enough to become a skill.
    is_skill_ready: bool = False

    @property
    def runs(self) -> int:
        """How often it was followed."""
        return self.successes + self.failures


class SkillState(StrEnum):
    """Where a skill stands."""

    # A recipe is good enough; nobody has said yes.
    PROPOSED = "proposed"
    WRITTEN = "written"
    # The recipe has changed since; the file is as it was written.
    OUTDATED = "outdated"
    # A person changed the file: it is theirs.
    EDITED = "edited"
    # The file is gone.
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillView:
    """A skill: its name, when to use it, its file, and the recipe it comes from."""

    name: str
    description: str
    state: SkillState
    recipe: Memory
    text: str
    path: str = ""
