"""The command `tasks`: what is to be done, as lines of a note."""

from __future__ import annotations

import click

from recollect.model.vault_task import PRIORITIES, STATUSES, VaultTask
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import common, open_memory
from recollect.surfaces.json_answers import tasks_to_json


@click.group("tasks", cls=HelpGroup, invoke_without_command=True)
@click.option("--status", type=click.Choice(["all", *STATUSES]), help="Only of this state.")
@click.option("--of", "of_project", default="", help="Only of this project (its tag in the note).")
@click.pass_context
@common
def tasks_(ctx: click.Context, status: str | None, of_project: str) -> None:
    """What is to be done: tasks in the note Active Tasks of the vault, which you may edit by hand too.

    \b
    recollect tasks
    recollect tasks --status all
    recollect tasks add "Set up the test database" --priority high
    recollect tasks done "test database"
    """
    if ctx.invoked_subcommand is not None:
        return
    with open_memory() as memory:
        _print_tasks(memory.vault.tasks.list(status=status or "", project=of_project))


@tasks_.command("add")
@click.argument("title")
@click.option("--details", default="", help="What is to be done.")
@click.option("--priority", type=click.Choice(list(PRIORITIES)), default="medium", show_default=True)
@click.option("--of", "of_project", default="", help="The project it belongs to.")
@common
def add_(title: str, details: str, priority: str, of_project: str) -> None:
    """Add a task.

    \b
    recollect tasks add "Set up the test database" --priority high --of shop
    """
    with open_memory() as memory:
        _print_tasks(
            [memory.vault.tasks.create(title, details=details, priority=priority, project=of_project)]
        )


@tasks_.command("set")
@click.argument("title")
@click.argument("status", type=click.Choice(STATUSES))
@click.option("--note", default="", help="What to note under it.")
@common
def set_(title: str, status: str, note: str) -> None:
    """Put the task with this TITLE, or one close to it, in another state.

    \b
    recollect tasks set "test database" blocked --note "waits for the password"
    """
    with open_memory() as memory:
        _print_tasks([memory.vault.tasks.update(title, status, notes=note)])


@tasks_.command("done")
@click.argument("title")
@common
def done_(title: str) -> None:
    """The task with this TITLE, or one close to it, is done.

    \b
    recollect tasks done "test database"
    """
    with open_memory() as memory:
        _print_tasks([memory.vault.tasks.update(title, "done")])


def _print_tasks(tasks: list[VaultTask]) -> None:
    if output.is_json():
        output.print_json(tasks_to_json(tasks))
        return
    for task in tasks:
        output.print_line(output.escape_controls(task.written.strip()))
    if not tasks:
        output.print_line("Nothing is to be done.")
