"""
A recipe as an Agent Skill: the text of its SKILL.md, by the public specification (agentskills.io).

A name of at most 64 lower-case letters, digits and single hyphens, which is its folder's too; a description of at most
1,024 characters that says what it does and when to use it; then the steps.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from recollect.learn.task_pattern import GAP
from recollect.model.memory import Memory
from recollect.model.value import dataclass

MAX_NAME = 64
MAX_DESCRIPTION = 1_024
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillText:
    """What a skill is written from: name and description, and the whole file."""

    name: str
    description: str
    text: str


def write_skill(recipe: Memory) -> SkillText:
    """The skill that a recipe makes. A count that grows changes nothing in it: else every run would outdate it."""
    task, steps = read_task(recipe), list_steps(recipe)
    name, description = make_name(task or recipe.id), _describe(task, steps)
    lines = [
        "---",
        f"name: {name}",
        # A JSON text is a YAML text, whatever stands in it.
        f"description: {json.dumps(description, ensure_ascii=False)}",
        "metadata:",
        f"  recollect-recipe: {json.dumps(recipe.id)}",
        "---",
        "",
        f"# {_title(task)}",
        "",
        "Steps that such tasks shared when they went well:",
        "",
        *(f"{number}. {step}" for number, step in enumerate(steps, start=1)),
    ]
    if GAP in task:
        lines += ["", f"`{GAP}` stands for what differs from one task to the next."]
    return SkillText(name=name, description=description, text="\n".join(lines) + "\n")


def read_task(recipe: Memory) -> str:
    """The class of task a recipe is for."""
    patterns = (recipe.fields.get("task_pattern"), recipe.fields.get("trigger"))
    return next((" ".join(text.split()) for text in patterns if isinstance(text, str) and text.strip()), "")


def list_steps(recipe: Memory) -> tuple[str, ...]:
    """The steps of a recipe in words, in order."""
    steps = recipe.fields.get("steps")
    if not isinstance(steps, list | tuple):
        return ()
    lines = [step.get("description") if isinstance(step, dict) else step for step in steps]
    return tuple(" ".join(line.split()) for line in lines if isinstance(line, str) and line.strip())


def make_name(task: str) -> str:
    """A name for a folder: letters without their accents, words with a hyphen between."""
    plain = unicodedata.normalize("NFKD", task).encode("ascii", "ignore").decode()
    name = _NOT_IN_A_NAME.sub("-", plain.lower()).strip("-")
    cut = name[:MAX_NAME].rstrip("-")
    return cut or "recipe"


def _describe(task: str, steps: Sequence[str]) -> str:
    what = f"How to do tasks like “{task}” in this project" if task else "A way of working in this project"
    first = "; ".join(steps)
    text = f"{what}: {first}. Use it when a task of this sort is asked for."
    return text if len(text) <= MAX_DESCRIPTION else f"{text[: MAX_DESCRIPTION - 1].rstrip()}…"


def _title(task: str) -> str:
    return task[:1].upper() + task[1:] if task else "Recipe"
