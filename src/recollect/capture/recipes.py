"""What became of a recipe when it was followed: it worked once more, or it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.capture.note_anchors import note_shapes
from recollect.capture.write_context import Act, Door, begin
from recollect.errors import BadInput
from recollect.lifecycle.writing import applied
from recollect.model.memory import Memory
from recollect.model.value import replace
from recollect.store.tables import memories

RECIPE = "workflow_recipe"
FAILED = "it was followed and failed"


def worked(door: Door, act: Act, recipe: Memory, fields: Mapping[str, Any]) -> Memory:
    """A session that passed followed it: counted, and it holds for its files as they are now. Inside a transaction."""
    told = {
        "success_count": max(fields["success_count"], _count(recipe, "success_count") + 1),
        "last_validated_at": fields["last_validated_at"],
    }
    fields = _with_rate({**recipe.fields, **told})
    new = applied(door.db, act, recipe, replace(recipe, fields=fields, stale_at=None, stale_why=""))
    # Whoever follows it changes its files; that must not make it stale.
    note_shapes(door, [new])
    return new


def failed(door: Door, memory_id: str, *, actor: str, why: str = "") -> Memory:
    """Somebody followed it and the work failed: it is stale until a session that passes has followed it again."""
    act = begin(door, "recipe failed", actor, why)
    with door.db.transaction():
        recipe = memories.get(door.db, memory_id)
        if recipe.kind != RECIPE:
            raise BadInput(reason=f"only a {RECIPE} can fail, and {recipe.id} is a {recipe.kind}")
        fields = _with_rate({**recipe.fields, "failure_count": _count(recipe, "failure_count") + 1})
        said = f"{FAILED}: {act.why}" if act.why else FAILED
        return applied(door.db, act, recipe, replace(recipe, fields=fields, stale_at=act.at, stale_why=said))


def _count(recipe: Memory, name: str) -> int:
    count = recipe.fields.get(name)
    return count if isinstance(count, int) else 0


def _with_rate(fields: dict[str, Any]) -> dict[str, Any]:
    good, bad = fields.get("success_count", 0), fields.get("failure_count", 0)
    return {**fields, "success_rate": round(good / (good + bad), 3)} if bad and good + bad else fields
