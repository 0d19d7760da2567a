"""Tasks: the lines of a note in the vault, which people edit by hand too."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.vault_task import PRIORITIES, STATUSES, VaultTask
from recollect.surfaces.json_answers import tasks_to_json
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

_ALL = "all"


def show(memory: Recollect, call: WebCall) -> Screen:
    """The tasks by their state; without a vault, how to make one."""
    status = call.text("status")
    if status and status not in (_ALL, *STATUSES):
        raise BadInput(reason=f"status is one of {', '.join((_ALL, *STATUSES))}, not {status[:40]!r}")
    has_vault = memory.vault.exists()
    tasks: Sequence[VaultTask] = memory.vault.tasks.list(status=status or _ALL) if has_vault else ()
    values = {
        "has_vault": has_vault,
        "tasks": tasks,
        "columns": [(name, [task for task in tasks if task.status == name]) for name in STATUSES],
        "statuses": STATUSES,
        "priorities": list(PRIORITIES),
        "status": status,
        "part_address": f"/tasks?{call.query}" if call.query else "/tasks",
    }
    return Screen(values=values, answer=lambda: tasks_to_json(tasks))


def add(memory: Recollect, call: WebCall) -> Outcome:
    """Add a task."""
    title = call.text("title").strip()
    if not title:
        raise BadInput(reason="a task needs a title")
    task = memory.vault.tasks.create(
        title,
        details=call.text("details"),
        priority=call.text("priority") or "medium",
        project=call.text("project"),
    )
    return Outcome(answer=tasks_to_json([task]), sentence=call.gettext("Added."), status=201)


def change(memory: Recollect, call: WebCall) -> Outcome:
    """Put a task in another state."""
    task = memory.vault.tasks.update(call.text("title"), call.text("status"), notes=call.text("note"))
    return Outcome(answer=tasks_to_json([task]), sentence=call.gettext("Saved."))


PAGES: Sequence[Page] = (
    Page(
        path="/tasks",
        name="tasks",
        template="tasks.html",
        part="tasks_part.html",
        show=show,
        summary="What is to be done, from the vault",
        parameters=("status",),
    ),
)
_TEXT = {"type": "string"}
ACTIONS: Sequence[Action] = (
    Action(
        method="POST",
        path="/tasks",
        act=add,
        summary="Add a task",
        body={
            "title": _TEXT,
            "details": _TEXT,
            "priority": {"type": "string", "enum": list(PRIORITIES)},
            "project": _TEXT,
        },
        required=("title",),
    ),
    Action(
        method="PUT",
        path="/tasks",
        act=change,
        summary="Put a task in another state",
        body={"title": _TEXT, "status": {"type": "string", "enum": list(STATUSES)}, "note": _TEXT},
        required=("title", "status"),
    ),
)
