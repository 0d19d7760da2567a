"""
Task templates: what three verified runs of the same sort did in the same order, aligned and kept as a recipe.

A recipe that was before a run and led to a good end counts a success; one that led to a rejection or a failure counts
against it and is stale until it has worked again. Below half of its last five runs it is put away; where the last runs
share other steps, they take the place of the old ones.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from recollect.agent.run_state import RunState
from recollect.api import Recollect
from recollect.errors import RecollectError
from recollect.learn.alignment import align_steps
from recollect.learn.task_pattern import are_alike, content_words, names_a_task, shared_pattern
from recollect.model.memory import Memory
from recollect.model.provenance import Channel

RECIPE = "workflow_recipe"
MIN_RUNS = 3
# So many of the newest good runs say how it is done.
MAX_RUNS = 8
GOOD_SCORE = 80
_MAX_STEPS = 12


def record_template(memory: Recollect, state: RunState, earlier: Sequence[RunState]) -> None:
    """Make a recipe of this run and others like it, or refine the one there is if steps have changed."""
    if not is_good(state):
        return
    known = find_templates(memory, state.command)
    runs = [state, *_list_alike(state, earlier)[: MAX_RUNS - 1]]
    if len(runs) < MIN_RUNS:
        return
    steps = align_steps([generalise(run, runs) for run in reversed(runs)])[:_MAX_STEPS]
    pattern = shared_pattern([run.command for run in reversed(runs)])
    if not steps or not names_a_task(pattern):
        return
    if known:
        _refine(memory, known[0], steps, runs)
        return
    fields: dict[str, Any] = {
        "task_pattern": pattern,
        "trigger": pattern,
        "steps": [{"description": step} for step in steps],
        "success_count": len(runs),
        "success_rate": 1.0,
        "avg_iterations": round(sum(run.iterations for run in runs) / len(runs), 1),
    }
    text = _write_text(pattern, steps)
    memory.remember(text, kind=RECIPE, fields=fields, session=state.run_id, channel=Channel.OBSERVED)


def _list_alike(state: RunState, earlier: Sequence[RunState]) -> list[RunState]:
    """Other good runs of such commands, the newest first, as they come."""
    others = [run for run in earlier if run.run_id != state.run_id and is_good(run)]
    return [run for run in others if are_alike(run.command, state.command)]


def _refine(memory: Recollect, recipe: Memory, steps: Sequence[str], runs: Sequence[RunState]) -> None:
    """Other steps that the newest runs share take the place of the old ones; a person's recipe stays theirs."""
    described = [{"description": step} for step in steps]
    is_persons = recipe.trust.verified or recipe.pinned
    # As many runs as make a recipe must have gone the new way.
    newest = align_steps([generalise(run, runs) for run in reversed(runs[:MIN_RUNS])], min_share=1.0)
    if is_persons or list(_read_steps(recipe)) == list(steps) or newest[:_MAX_STEPS] != list(steps):
        return
    pattern = str(recipe.fields.get("task_pattern", ""))
    memory.edit(
        recipe.id,
        text=_write_text(pattern, steps),
        fields={**recipe.fields, "steps": described},
        why=f"the last {MIN_RUNS} good runs did it so",
    )


def _read_steps(recipe: Memory) -> tuple[str, ...]:
    steps = recipe.fields.get("steps")
    lines = (
        [step.get("description", "") for step in steps if isinstance(step, dict)]
        if isinstance(steps, list | tuple)
        else []
    )
    return tuple(str(line) for line in lines)


def _write_text(pattern: str, steps: Sequence[str]) -> str:
    return f"To do “{pattern}”: {'; '.join(steps)}"


def count_template(memory: Recollect, state: RunState, recipe: Memory) -> None:
    """What became of a recipe that was put before this run, or that it followed by itself."""
    if state.status == "completed" and state.rejections == 0:
        worked = memory.upkeep.recipe_worked(recipe.id, why="a run followed it and was verified")
        mean = worked.fields.get("avg_iterations")
        average = mean if isinstance(mean, int | float) else float(state.iterations)
        average += (state.iterations - average) / _number(worked, "success_count")
        fields = {**worked.fields, "avg_iterations": round(average, 2)}
        memory.edit(recipe.id, fields=fields, why="a run followed it and was verified")
    elif state.status != "cancelled":
        why = state.reason or "a run that had it before it was rejected"
        memory.upkeep.recipe_failed(recipe.id, why=why)


def follows(state: RunState, recipe: Memory) -> bool:
    """Whether a run did the steps of a recipe in their order, told to or not."""
    steps = _read_steps(recipe)
    own = [_step(label) for label, _, ok in state.actions if ok]
    return bool(steps) and len(align_steps([list(steps), own], min_share=1.0)) == len(steps)


def find_templates(memory: Recollect, command: str) -> list[Memory]:
    """The recipes for commands of this sort, best first."""
    filters = memory.filters(kinds=(RECIPE,))
    recipes = [hit.memory for hit in memory.recall(command, limit=5, filters=filters)]
    return [
        recipe
        for recipe in recipes
        if are_alike(str(recipe.fields.get("task_pattern", recipe.text)), command)
    ]


def is_good(state: RunState) -> bool:
    """Whether a run was verified with a good score."""
    return state.status == "completed" and state.score is not None and state.score >= GOOD_SCORE


def generalise(run: RunState, runs: Sequence[RunState]) -> list[str]:
    """The steps of a run that went well, with … for the words that only its own command has."""
    shared = set(content_words(run.command)).intersection(*(content_words(other.command) for other in runs))
    own = [word for word in content_words(run.command) if word not in shared]
    steps = []
    for label, _, ok in run.actions:
        if ok:
            step = _step(label)
            for word in own:
                step = step.replace(word, "…")
            steps.append(step)
    return steps


def _step(label: str) -> str:
    """A call in a few words: the tool and what it was about."""
    tool, _, arguments = label.partition(" ")
    try:
        arguments_sent = json.loads(arguments)
    except ValueError:
        arguments_sent = {}
    named = [
        str(arguments_sent[name])
        for name in ("path", "command", "pattern", "topic")
        if name in arguments_sent
    ]
    return f"{tool} {named[0][:80]}" if named else tool


def _number(recipe: Memory, name: str) -> int:
    value = recipe.fields.get(name)
    return value if isinstance(value, int) else 0


def update_templates(
    memory: Recollect, state: RunState, earlier: Sequence[RunState], shown: Sequence[Memory]
) -> str:
    """Record and count templates; what went wrong in a sentence, empty if nothing did."""
    try:
        before = {recipe.id: recipe for recipe in shown}
        for recipe in find_templates(memory, state.command):
            if follows(state, recipe):
                before.setdefault(recipe.id, recipe)
        for recipe in before.values():
            count_template(memory, state, recipe)
        record_template(memory, state, earlier)
    except RecollectError as error:
        return f"The template could not be kept: {error}"
    return ""
