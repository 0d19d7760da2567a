"""What was learned from failures and successes: lessons, recipes, and the skills that recipes become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.surfaces.json_answers import lesson_to_json, recipe_to_json, skill_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

_LESSONS, _RECIPES, _SKILLS = TABS = ("lessons", "recipes", "skills")
_MAX_LISTED = 200
# The kind that "Add" offers first on each tab.
_KINDS = {_LESSONS: "lesson", _RECIPES: "workflow_recipe", _SKILLS: "workflow_recipe"}
_TO_JSON: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    _LESSONS: lesson_to_json,
    _RECIPES: recipe_to_json,
    _SKILLS: skill_to_json,
}


def show(memory: Recollect, call: WebCall) -> Screen:
    """The lessons, the recipes, or the skills."""
    tab = _read_tab(call, "tab", default=_LESSONS)
    views: Sequence[Any]
    if tab == _LESSONS:
        views = memory.lessons.list(limit=_MAX_LISTED)
    elif tab == _RECIPES:
        views = memory.recipes.list(limit=_MAX_LISTED)
    else:
        views = memory.skills.list()
    values = {
        "tab": tab,
        "tabs": TABS,
        "views": views,
        "kind": _KINDS[tab],
        "part_address": f"/learned?tab={tab}",
    }
    return Screen(values=values, answer=lambda: {tab: [_TO_JSON[tab](view) for view in views]})


def promote(memory: Recollect, call: WebCall) -> Outcome:
    """Stand by a lesson or a recipe, or write a recipe as a skill."""
    tab, name = _read_tab(call, "what"), call.text("id")
    if tab == _SKILLS:
        view = memory.skills.promote(name, force=call.flag("force"))
        sentence = call.gettext("Written: %(file)s") % {"file": view.path}
        return Outcome(answer=skill_to_json(view), sentence=sentence)
    promoted = memory.lessons.promote(name) if tab == _LESSONS else memory.recipes.promote(name)
    return Outcome(
        answer=_TO_JSON[tab](promoted), sentence=call.gettext("You stand by it."), undo=promoted.memory.id
    )


def retire(memory: Recollect, call: WebCall) -> Outcome:
    """Put a lesson or a recipe away, or take the file of a skill away."""
    tab, name, why = _read_tab(call, "what"), call.text("id"), call.text("why")
    if tab == _SKILLS:
        view = memory.skills.retire(name, why=why)
        return Outcome(
            answer=skill_to_json(view), sentence=call.gettext("The file is gone; the recipe stays.")
        )
    retired = (
        memory.lessons.retire(name, why=why) if tab == _LESSONS else memory.recipes.retire(name, why=why)
    )
    return Outcome(answer=_TO_JSON[tab](retired), sentence=call.gettext("Put away."), undo=retired.memory.id)


def _read_tab(call: WebCall, name: str, default: str = "") -> str:
    tab = call.text(name, default)
    if tab not in TABS:
        raise BadInput(reason=f"{name} is one of {', '.join(TABS)}, not {tab[:40]!r}")
    return tab


PAGES: Sequence[Page] = (
    Page(
        path="/learned",
        name="learned",
        template="learned.html",
        part="learned_part.html",
        show=show,
        summary="Lessons, recipes, or skills",
        parameters=("tab",),
    ),
)
_WHAT = {"what": {"type": "string", "enum": list(TABS)}, "id": {"type": "string"}}
ACTIONS: Sequence[Action] = (
    Action(
        method="POST",
        path="/learned/promote",
        act=promote,
        summary="Stand by a lesson or a recipe, or write a skill; only a person may",
        body={**_WHAT, "force": {"type": "boolean"}},
        required=("what", "id"),
    ),
    Action(
        method="POST",
        path="/learned/retire",
        act=retire,
        summary="Put a lesson or a recipe away, or take the file of a skill away",
        body={**_WHAT, "why": {"type": "string"}},
        required=("what", "id"),
    ),
)
