"""What successes taught, as `memory.recipes`: steps for a class of task, and how often they led to a good end."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api.learned_memories import LearnedMemories
from recollect.api.lessons import read_count
from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.learn.skills.readiness import is_skill_ready
from recollect.learn.skills.skill_text import list_steps, read_task
from recollect.model.learned import RecipeView
from recollect.model.memory import Memory, MemoryState

__all__ = ["RecipeView", "Recipes"]


@public_api
class Recipes:
    """Ways of doing a class of task that went well several times."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._memories = LearnedMemories(wiring, "workflow_recipe")

    def list(
        self,
        *,
        states: Sequence[MemoryState] = (MemoryState.ACTIVE, MemoryState.QUARANTINED),
        every_project: bool = False,
        limit: int = 50,
    ) -> Sequence[RecipeView]:
        """The recipes there are, those that were followed most often first."""
        recipes = self._memories.list(states=states, every_project=every_project)
        views = [make_recipe_view(recipe) for recipe in recipes]
        views.sort(key=lambda view: (-view.runs, -view.success_rate))
        return views[:limit]

    def show(self, recipe_id: str) -> RecipeView:
        """One recipe."""
        return make_recipe_view(self._memories.get(recipe_id))

    def promote(self, recipe_id: str, *, why: str = "") -> RecipeView:
        """A person stands by it: it needs no review, and its steps stay as they are."""
        return make_recipe_view(self._memories.confirm(recipe_id, why))

    def retire(self, recipe_id: str, *, why: str = "") -> RecipeView:
        """Out of use; later runs do not bring it back, `undo` does."""
        return make_recipe_view(self._memories.retire(recipe_id, why))

    def undo(self, recipe_id: str) -> RecipeView:
        """Take back the last act that changed it."""
        return make_recipe_view(self._memories.undo(recipe_id))


def make_recipe_view(recipe: Memory) -> RecipeView:
    """A recipe as people look at it."""
    good, bad = read_count(recipe, "success_count"), read_count(recipe, "failure_count")
    average = recipe.fields.get("avg_iterations")
    return RecipeView(
        memory=recipe,
        name=read_task(recipe) or recipe.text.partition("\n")[0],
        trigger=str(recipe.fields.get("trigger") or recipe.fields.get("task_pattern") or ""),
        steps=list_steps(recipe),
        successes=good,
        failures=bad,
        success_rate=round(good / (good + bad), 3) if good + bad else 1.0,
        average_iterations=float(average) if isinstance(average, int | float) else None,
        is_skill_ready=is_skill_ready(recipe),
    )
