"""Commands about what was learned: `lessons`, `recipes`, `skills`; each lists, shows, promotes, retires, undoes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from recollect.api.lessons import LessonView
from recollect.api.recipes import RecipeView
from recollect.api.skills import SkillView
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import CommandGroup
from recollect.surfaces.cli.options import ask_to_agree, common, open_memory
from recollect.surfaces.json_answers import lesson_to_json, recipe_to_json, skill_to_json

_WHY = click.option("--why", default="", help="A word for the history.")
_EVERY = click.option("--all-projects", is_flag=True, help="Those of every project.")
_UNDO_HINT = "undo takes it back"


def _print_views(name: str, views: Sequence[Any], to_json: Any, to_line: Any, nothing: str) -> None:
    if output.is_json():
        output.print_json({name: [to_json(view) for view in views]})
        return
    for view in views:
        output.print_line(to_line(view))
    if not views:
        output.print_line(nothing)


# -- lessons -----------------------------------------------------------------------------------------------


@click.group("lessons", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
@_EVERY
@common
def lessons_(ctx: click.Context, all_projects: bool) -> None:
    """What failures taught: what fails, when, and what to do instead. Without a command, all of them.

    \b
    recollect lessons
    recollect lessons show 01KA3
    recollect lessons retire 01KA3 --why "the broker is gone"
    """
    if ctx.invoked_subcommand is None:
        with open_memory() as memory:
            views = memory.lessons.list(every_project=all_projects)
        nothing = "No lesson yet: three failures alike make one. To learn from sessions: recollect learn"
        _print_views("lessons", views, lesson_to_json, _lesson_line, nothing)


@lessons_.command("show")
@click.argument("lesson_id", metavar="ID")
@common
def lessons_show_(lesson_id: str) -> None:
    """One lesson with the failures it was made of, each with the step where it went wrong.

    \b
    recollect lessons show 01KA3 --json
    """
    with open_memory() as memory:
        view = memory.lessons.show(lesson_id)
    if output.is_json():
        output.print_json(lesson_to_json(view))
        return
    output.print_line(_lesson_line(view))
    for failure in view.evidence:
        output.print_line(f"  {failure.at:%Y-%m-%d} {failure.source}: {failure.what}")
        led = f" after {'; '.join(failure.acts)}" if failure.acts else ""
        output.print_line(f"    session {failure.session_id}, step {failure.step}{led}")
        way_out = failure.way_out
        if way_out:
            worked = ", ".join(filter(None, (*way_out.commands, *way_out.files, way_out.words)))
            output.print_line(f"    what worked: {worked}")


@lessons_.command("promote")
@click.argument("lesson_id", metavar="ID")
@_WHY
@common
def lessons_promote_(lesson_id: str, why: str) -> None:
    """Stand by a lesson: it needs no review, and its words stay as they are.

    \b
    recollect lessons promote 01KA3
    """
    with open_memory() as memory:
        view = memory.lessons.promote(lesson_id, why=why)
    output.print_changed([view.memory], "Confirmed", _UNDO_HINT)


@lessons_.command("retire")
@click.argument("lesson_id", metavar="ID")
@_WHY
@common
def lessons_retire_(lesson_id: str, why: str) -> None:
    """Put a lesson away; the same failures do not bring it back.

    \b
    recollect lessons retire 01KA3 --why "the broker is gone"
    """
    with open_memory() as memory:
        view = memory.lessons.retire(lesson_id, why=why)
    output.print_changed([view.memory], "Retired", _UNDO_HINT)


@lessons_.command("undo")
@click.argument("lesson_id", metavar="ID")
@common
def lessons_undo_(lesson_id: str) -> None:
    """Take back the last act that changed a lesson.

    \b
    recollect lessons undo 01KA3
    """
    with open_memory() as memory:
        view = memory.lessons.undo(lesson_id)
    output.print_changed([view.memory], "Taken back")


# -- recipes -----------------------------------------------------------------------------------------------


@click.group("recipes", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
@_EVERY
@common
def recipes_(ctx: click.Context, all_projects: bool) -> None:
    """What successes taught: steps for a class of task, and how often they led to a good end.

    \b
    recollect recipes
    recollect recipes show 01KA7
    recollect recipes promote 01KA7
    """
    if ctx.invoked_subcommand is None:
        with open_memory() as memory:
            views = memory.recipes.list(every_project=all_projects)
        nothing = "No recipe yet: three sessions that passed and did a task alike make one."
        _print_views("recipes", views, recipe_to_json, _recipe_line, nothing)


@recipes_.command("show")
@click.argument("recipe_id", metavar="ID")
@common
def recipes_show_(recipe_id: str) -> None:
    """One recipe with its steps.

    \b
    recollect recipes show 01KA7 --json
    """
    with open_memory() as memory:
        view = memory.recipes.show(recipe_id)
    if output.is_json():
        output.print_json(recipe_to_json(view))
        return
    output.print_line(_recipe_line(view))
    for number, step in enumerate(view.steps, start=1):
        output.print_line(f"  {number}. {step}")


@recipes_.command("promote")
@click.argument("recipe_id", metavar="ID")
@_WHY
@common
def recipes_promote_(recipe_id: str, why: str) -> None:
    """Stand by a recipe: it needs no review, and its steps stay as they are.

    \b
    recollect recipes promote 01KA7
    """
    with open_memory() as memory:
        view = memory.recipes.promote(recipe_id, why=why)
    output.print_changed([view.memory], "Confirmed", _UNDO_HINT)


@recipes_.command("retire")
@click.argument("recipe_id", metavar="ID")
@_WHY
@common
def recipes_retire_(recipe_id: str, why: str) -> None:
    """Put a recipe away; later runs do not bring it back.

    \b
    recollect recipes retire 01KA7 --why "releases are made by CI now"
    """
    with open_memory() as memory:
        view = memory.recipes.retire(recipe_id, why=why)
    output.print_changed([view.memory], "Retired", _UNDO_HINT)


@recipes_.command("undo")
@click.argument("recipe_id", metavar="ID")
@common
def recipes_undo_(recipe_id: str) -> None:
    """Take back the last act that changed a recipe.

    \b
    recollect recipes undo 01KA7
    """
    with open_memory() as memory:
        view = memory.recipes.undo(recipe_id)
    output.print_changed([view.memory], "Taken back")


# -- skills ------------------------------------------------------------------------------------------------


@click.group("skills", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
@_EVERY
@common
def skills_(ctx: click.Context, all_projects: bool) -> None:
    """Recipes that hold, as Agent Skills: those that are written, and those that could be.

    \b
    recollect skills
    recollect skills show release-the-package
    recollect skills promote release-the-package
    """
    if ctx.invoked_subcommand is None:
        with open_memory() as memory:
            views = memory.skills.list(every_project=all_projects)
        nothing = "No skill yet: a recipe is proposed after 10 runs of which 90 % went well."
        _print_views("skills", views, skill_to_json, _skill_line, nothing)


@skills_.command("show")
@click.argument("name")
@common
def skills_show_(name: str) -> None:
    """The SKILL.md of a skill as it is or would be written; NAME is its own or its recipe's id.

    \b
    recollect skills show release-the-package
    """
    with open_memory() as memory:
        view = memory.skills.show(name)
    if output.is_json():
        output.print_json({**skill_to_json(view), "text": view.text})
        return
    output.print_line(_skill_line(view))
    output.print_line()
    output.print_line(view.text.rstrip("\n"))


@skills_.command("promote")
@click.argument("name")
@click.option("--user", is_flag=True, help="Into your own folder of skills, for every project.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Into this folder of skills."
)
@click.option("--force", is_flag=True, help="Though the recipe is not proved by ten runs.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def skills_promote_(
    name: str, user: bool, folder: Path | None, force: bool, dry_run: bool, yes: bool
) -> None:
    """Write a skill into the project's folder of skills, after a yes. A file that somebody changed is left alone.

    \b
    recollect skills promote release-the-package --dry-run
    recollect skills promote release-the-package --user
    """
    with open_memory() as memory:
        view = memory.skills.show(name)
        if not dry_run:
            if not (yes or output.is_json()):
                output.print_line(view.text.rstrip("\n"))
            ask_to_agree(f"Write the skill {view.name}?", yes)
            view = memory.skills.promote(view.recipe.id, folder=folder, user=user, force=force)
    if output.is_json():
        output.print_json({**skill_to_json(view), "text": view.text})
    elif dry_run:
        output.print_line(view.text.rstrip("\n"))
    else:
        output.print_line(f"Written: {view.path}")


@skills_.command("retire")
@click.argument("name")
@_WHY
@common
def skills_retire_(name: str, why: str) -> None:
    """Take the file of a skill away, if it is as it was written; its recipe stays.

    \b
    recollect skills retire release-the-package
    """
    with open_memory() as memory:
        view = memory.skills.retire(name, why=why)
    _print_skill(view, f"Removed. {view.name} is {view.state} again.")


@skills_.command("undo")
@click.argument("name")
@common
def skills_undo_(name: str) -> None:
    """Take back the last act on a skill: what was written goes, what was retired is written again.

    \b
    recollect skills undo release-the-package
    """
    with open_memory() as memory:
        view = memory.skills.undo(name)
    _print_skill(view, f"Taken back. {view.name} is {view.state}.")


def _print_skill(view: SkillView, text: str) -> None:
    if output.is_json():
        output.print_json(skill_to_json(view))
    else:
        output.print_line(text)


# -- forms -------------------------------------------------------------------------------------------------


def _lesson_line(view: LessonView) -> str:
    mark = " (keeps coming back)" if view.is_escalated else ""
    waits = " [waits for your yes]" if view.memory.state == "quarantined" else ""
    counts = (
        f"{view.failures} failures, held {view.held}, missed {view.missed}" if view.failures else "one run"
    )
    return f"{output.short_id(view.memory)}  {view.memory.text}{mark}{waits}  ({counts})"


def _recipe_line(view: RecipeView) -> str:
    rate = f"{view.success_rate:.0%} of {view.runs} runs" if view.runs else "not followed yet"
    ready = ", ready to be a skill" if view.is_skill_ready else ""
    return f"{output.short_id(view.memory)}  {view.name}  ({rate}, {len(view.steps)} steps{ready})"


def _skill_line(view: SkillView) -> str:
    place = f"  {view.path}" if view.path else ""
    return f"{view.name}  [{view.state}]{place}  (recipe {output.short_id(view.recipe)})"
