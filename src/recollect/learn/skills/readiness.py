"""When a recipe is good enough to be proposed as a skill."""

from __future__ import annotations

from recollect.learn.skills.skill_text import list_steps, read_task
from recollect.model.memory import Memory, MemoryState

MIN_RUNS = 10
MIN_RATE = 0.9


def is_skill_ready(recipe: Memory) -> bool:
    """Whether a recipe was followed ten times and led to a good end in nine of ten, and says for what and how."""
    good, bad = _read_count(recipe, "success_count"), _read_count(recipe, "failure_count")
    is_proved = good + bad >= MIN_RUNS and good >= MIN_RATE * (good + bad)
    is_in_use = recipe.state is MemoryState.ACTIVE and recipe.stale_at is None
    return is_proved and is_in_use and bool(read_task(recipe)) and bool(list_steps(recipe))


def _read_count(recipe: Memory, name: str) -> int:
    count = recipe.fields.get(name)
    return count if isinstance(count, int) else 0
