"""
Task templates: what three verified runs of the same sort did in the same order, kept as a recipe.

A recipe that was before a run and led to a good end counts a success; one that led to a rejection or a failure counts
against it and is stale until it has worked again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from recollect.agent.run_state import RunState
from recollect.api import Recollect
from recollect.errors import RecollectError
from recollect.learn.task_pattern import are_alike, content_words, shared_pattern
from recollect.model.memory import Memory
from recollect.model.provenance import Channel

RECIPE = "workflow_recipe"
MIN_RUNS = 3
GOOD_SCORE = 80
_MAX_STEPS = 12


def record_template(memory: Recollect, state: RunState, earlier: Sequence[RunState]) -> None:
    """Make a recipe of this run and others like it, if there is none for them yet."""
    if not is_good(state) or find_templates(memory, state.command):
        return
    others = [run for run in earlier if run.run_id != state.run_id and is_good(run)]
    alike = [run for run in others if are_alike(run.command, state.command)]
    runs = [state, *alike[: MIN_RUNS - 1]]
    if len(runs) < MIN_RUNS:
        return
    steps = common_steps([generalise(run, runs) for run in runs])
    if not steps:
        return
    pattern = shared_pattern([run.command for run in reversed(runs)])
    fields: dict[str, Any] = {
        "task_pattern": pattern,
        "trigger": pattern,
        "steps": [{"description": step} for step in steps[:_MAX_STEPS]],
        "success_count": len(runs),
        "success_rate": 1.0,
        "avg_iterations": round(sum(run.iterations for run in runs) / len(runs), 1),
    }
    text = f'To do "{pattern}": {"; ".join(steps[:_MAX_STEPS])}'
    memory.remember(text, kind=RECIPE, fields=fields, session=state.run_id, channel=Channel.OBSERVED)


def count_template(memory: Recollect, state: RunState, recipe: Memory) -> None:
    """What became of a recipe that was put before this run."""
    if state.status == "completed" and state.rejections == 0:
        good, bad = _number(recipe, "success_count") + 1, _number(recipe, "failure_count")
        rate = round(good / (good + bad), 3)
        mean = recipe.fields.get("avg_iterations")
        average = mean if isinstance(mean, int | float) else float(state.iterations)
        fields = {
            **recipe.fields,
            "success_count": good,
            "success_rate": rate,
            "avg_iterations": round(average + (state.iterations - average) / good, 2),
        }
        memory.edit(recipe.id, fields=fields, why="a run followed it and was verified")
    elif state.status != "cancelled":
        memory.upkeep.recipe_failed(recipe.id, why=state.reason or "a run that had it before it was rejected")


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


def common_steps(sequences: Sequence[Sequence[str]]) -> list[str]:
    """What all have in the same order: the longest common subsequence, folded over them."""
    common = list(sequences[0])
    for other in sequences[1:]:
        common = _longest_common(common, other)
    return common


def _longest_common(first: Sequence[str], second: Sequence[str]) -> list[str]:
    table: list[list[list[str]]] = [[[] for _ in range(len(second) + 1)] for _ in range(len(first) + 1)]
    for i, step in enumerate(first):
        for k, other in enumerate(second):
            if step == other:
                table[i + 1][k + 1] = [*table[i][k], step]
            else:
                table[i + 1][k + 1] = max(table[i][k + 1], table[i + 1][k], key=len)
    return table[-1][-1]


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
        for recipe in shown:
            count_template(memory, state, recipe)
        record_template(memory, state, earlier)
    except RecollectError as error:
        return f"The template could not be kept: {error}"
    return ""
