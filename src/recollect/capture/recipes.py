"""Recording what became of a recipe that was followed: it worked again, or it failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture.intake import record_memory_anchors
from recollect.capture.write_context import Act, WriteContext, begin_act
from recollect.errors import BadInput
from recollect.lifecycle.writing import apply_change
from recollect.model.json_form import moment_to_json
from recollect.model.memory import Memory, MemoryState
from recollect.model.value import replace
from recollect.store.tables import memories

RECIPE = "workflow_recipe"
FAILED = "it was followed and failed"
# Of so many last times so much must have gone well, or it is put away.
RECENT_RUNS, MIN_RATE = 5, 0.5
_PASSED, _FAILED = "passed", "failed"


def record_success(context: WriteContext, act: Act, recipe: Memory, fields: Mapping[str, Any]) -> Memory:
    """A session that passed followed it: counted, and it holds for its files as they are now. Inside a transaction."""
    counted = {
        "success_count": max(fields["success_count"], _read_count(recipe, "success_count") + 1),
        "last_validated_at": fields["last_validated_at"],
        "recent": _add_recent(recipe, _PASSED),
    }
    fields = _add_success_rate({**recipe.fields, **counted})
    new = apply_change(context.db, act, recipe, replace(recipe, fields=fields, stale_at=None, stale_why=""))
    # Whoever follows it changes its files; that must not make it stale.
    record_memory_anchors(context, [new])
    return new


def record_following(context: WriteContext, memory_id: str, *, actor: str, why: str = "") -> Memory:
    """Somebody followed it and the work was good: counted, and no longer stale."""
    act = begin_act(context, "recipe worked", actor, why)
    with context.db.transaction():
        recipe = _get_recipe(context, memory_id)
        count = _read_count(recipe, "success_count") + 1
        fields = {"success_count": count, "last_validated_at": moment_to_json(act.at)}
        return record_success(context, act, recipe, fields)


def record_failure(context: WriteContext, memory_id: str, *, actor: str, why: str = "") -> Memory:
    """Somebody followed it and the work failed: it is stale until a session that passes has followed it again."""
    act = begin_act(context, "recipe failed", actor, why)
    with context.db.transaction():
        return count_failure(context, act, _get_recipe(context, memory_id))


def count_failure(context: WriteContext, act: Act, recipe: Memory) -> Memory:
    """Count a failure; less than half of the last five times well, it is put away. Inside a transaction."""
    recent = _add_recent(recipe, _FAILED)
    fields = _add_success_rate(
        {
            **recipe.fields,
            "failure_count": _read_count(recipe, "failure_count") + 1,
            "recent": recent,
        }
    )
    reason = f"{FAILED}: {act.why}" if act.why else FAILED
    failed = replace(recipe, fields=fields, stale_at=act.at, stale_why=reason)
    if is_to_retire(recent) and not (recipe.trust.verified or recipe.pinned):
        share = f"{recent.count(_PASSED)} of its last {len(recent)} runs went well"
        act = replace(act, action="retire", why=f"retired: {share}")
        failed = replace(failed, state=MemoryState.ARCHIVED)
    return apply_change(context.db, act, recipe, failed)


def is_to_retire(recent: Sequence[str]) -> bool:
    """Whether less than half of the last five times it was followed went well."""
    return len(recent) >= RECENT_RUNS and recent.count(_PASSED) < MIN_RATE * len(recent)


def _add_recent(recipe: Memory, end: str) -> list[str]:
    before = recipe.fields.get("recent")
    ends = [str(one) for one in before] if isinstance(before, list | tuple) else []
    return [*ends, end][-RECENT_RUNS:]


def _get_recipe(context: WriteContext, memory_id: str) -> Memory:
    recipe = memories.get_memory(context.db, memory_id)
    if recipe.kind != RECIPE:
        raise BadInput(reason=f"only a {RECIPE} can fail, and {recipe.id} is a {recipe.kind}")
    return recipe


def _read_count(recipe: Memory, name: str) -> int:
    count = recipe.fields.get(name)
    return count if isinstance(count, int) else 0


def _add_success_rate(fields: dict[str, Any]) -> dict[str, Any]:
    good, bad = fields.get("success_count", 0), fields.get("failure_count", 0)
    return {**fields, "success_rate": round(good / (good + bad), 3)} if bad and good + bad else fields
