"""What was learned from failures and successes: lessons, recipes, and the skills that recipes become."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.memory import MemoryState
from recollect.surfaces.json_answers import memories_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.screen import Action, Page, Screen

KINDS = {"lessons": "lesson", "recipes": "workflow_recipe"}
_MAX_LISTED = 200
_STATES = (MemoryState.ACTIVE, MemoryState.QUARANTINED)


def show(memory: Recollect, call: WebCall) -> Screen:
    """The lessons or the recipes."""
    tab = call.text("tab", "lessons")
    if tab not in KINDS:
        raise BadInput(reason=f"tab is one of {', '.join(KINDS)}, not {tab[:40]!r}")
    filters = memory.filters(kinds=[KINDS[tab]], states=_STATES)
    listed = memory.list(filters, limit=_MAX_LISTED)
    values = {
        "tab": tab,
        "tabs": list(KINDS),
        "memories": listed,
        "kind": KINDS[tab],
        "part_address": f"/learned?tab={tab}",
    }
    return Screen(values=values, answer=lambda: memories_to_json(listed, len(listed)))


PAGES: Sequence[Page] = (
    Page(
        path="/learned",
        name="learned",
        template="learned.html",
        part="learned_part.html",
        show=show,
        summary="Lessons and recipes",
        parameters=("tab",),
    ),
)
ACTIONS: Sequence[Action] = ()
