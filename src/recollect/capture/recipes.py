"""Recording what became of a recipe that was followed: it worked again, or it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.capture.intake import record_memory_anchors
from recollect.capture.write_context import Act, WriteContext, begin_act
from recollect.errors import BadInput
from recollect.lifecycle.writing import apply_change
from recollect.model.json_form import moment_to_json
from recollect.model.memory import Memory
from recollect.model.value import replace
from recollect.store.tables import memories

RECIPE = "workflow_recipe"
FAILED = "it was followed and failed"


def record_success(context: WriteContext, act: Act, recipe: Memory, fields: Mapping[str, Any]) -> Memory:
    """A session that passed followed it: counted, and it holds for its files as they are now. Inside a transaction."""
    counted = {
        "success_count": max(fields["success_count"], _read_count(recipe, "success_count") + 1),
        "last_validated_at": fields["last_validated_at"],
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
        recipe = _get_recipe(context, memory_id)
        fields = _add_success_rate(
            {**recipe.fields, "failure_count": _read_count(recipe, "failure_count") + 1}
        )
        reason = f"{FAILED}: {act.why}" if act.why else FAILED
        return apply_change(
            context.db, act, recipe, replace(recipe, fields=fields, stale_at=act.at, stale_why=reason)
        )


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
