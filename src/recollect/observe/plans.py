"""Plans: the to-do list of an agent as its tools were told it, and how much of it is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.model.step import Step
from recollect.model.value import dataclass

MAX_TASKS = 50
MAX_TASK_LENGTH = 200
_DONE = frozenset({"completed", "done", "complete", "finished"})
_DROPPED = frozenset({"cancelled", "canceled", "deleted"})
# What agents call the words of a task.
_WORDS = ("content", "step", "subject", "description", "text", "title")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTask:
    """One task of a plan."""

    text: str
    is_done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The tasks as they stand at the end, and how many there were when the plan was first made."""

    tasks: tuple[PlannedTask, ...] = ()
    first_count: int = 0

    @property
    def open_tasks(self) -> tuple[str, ...]:
        """What is left to do."""
        return tuple(task.text for task in self.tasks if not task.is_done)

    @property
    def done_tasks(self) -> tuple[str, ...]:
        """What is done."""
        return tuple(task.text for task in self.tasks if task.is_done)


def read_plan(steps: Sequence[Step]) -> Plan:
    """The last plan of a session's own agent; empty where it kept none."""
    listed: tuple[PlannedTask, ...] = ()
    single: dict[str, PlannedTask] = {}
    first_count, acted = 0, False
    for step in steps:
        if step.agent or step.denied or step.ok is False:
            continue
        if tasks := _read_list(step.data.get("todos") or step.data.get("plan")):
            # A finished list is followed by that of the next piece of work.
            if not listed or all(task.is_done for task in listed):
                first_count = len(tasks)
            listed = tasks
        elif _read_task(step, single) and not acted:
            first_count = len(single)
        # Tasks that are made one by one are the first plan until something is done.
        acted = acted or bool(step.files and single)
    tasks = listed or tuple(single.values())[:MAX_TASKS]
    return Plan(tasks=tasks, first_count=first_count)


def _read_list(value: object) -> tuple[PlannedTask, ...]:
    if not isinstance(value, list):
        return ()
    rows = [
        row for row in value[:MAX_TASKS] if isinstance(row, Mapping) and row.get("status") not in _DROPPED
    ]
    return tuple(
        PlannedTask(text=text, is_done=str(row.get("status")) in _DONE)
        for row in rows
        if (text := _text_of(row))
    )


def _read_task(step: Step, tasks: dict[str, PlannedTask]) -> bool:
    """Take in one task that was made or changed; tasks are numbered in the order they were made."""
    if step.tool == "TaskCreate" and (text := _text_of(step.data)):
        tasks[str(len(tasks) + 1)] = PlannedTask(text=text)
        return True
    number, status = str(step.data.get("taskId") or ""), step.data.get("status")
    if number in tasks and status in _DROPPED:
        del tasks[number]
    elif number in tasks and status:
        tasks[number] = PlannedTask(text=tasks[number].text, is_done=status in _DONE)
    return False


def _text_of(row: Mapping[str, Any]) -> str:
    words = next((row[name] for name in _WORDS if isinstance(row.get(name), str) and row[name].strip()), "")
    return " ".join(words.split())[:MAX_TASK_LENGTH]


def join_tasks(tasks: Iterable[str], most: int) -> str:
    """Tasks as one line; of many the first few."""
    names = list(tasks)
    more = len(names) - most
    return "; ".join(name.rstrip(".") for name in names[:most]) + (f"; and {more} more" if more > 0 else "")
