"""
Tasks as lines of a note, in the form of Obsidian's Tasks plugin: `- [ ] Title #project/shop ⏫ ➕ 2026-05-08`.

A line keeps everything a person wrote in it: only its checkbox, the mark of being blocked and the day it ended change.
Pure: text in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from difflib import SequenceMatcher

from recollect.errors import BadInput, NotFound
from recollect.model.vault_task import PRIORITIES, VaultTask
from recollect.vault.properties import find_newline, split_lines

BLOCKED = "#blocked"
# A title this much like the one asked for is meant, if no other is.
CLOSE = 0.75
_MARKS = {"todo": " ", "in_progress": "/", "blocked": " ", "done": "x", "cancelled": "-"}
_STATUS_OF_MARK = {" ": "todo", "/": "in_progress", "x": "done", "X": "done", "-": "cancelled", "!": "todo"}
_PRIORITY_OF_SIGN = {"🔺": "high", "⏫": "high", "🔼": "medium", "🔽": "low", "⏬": "low"}
_LINE = re.compile(
    r"(?P<lead>[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[)(?P<mark>.)(?P<close>\][ \t]+)(?P<text>.*?)(?P<end>\r?\n?)\Z"
)
_SIGN = re.compile(
    r"[ \t]*(?:[➕⏳🛫📅✅❌]\ufe0f?[ \t]*\d{4}-\d\d-\d\d|[🔺⏫🔼🔽⏬]\ufe0f?|🆔[ \t]*[\w-]+|⛔\ufe0f?[ \t]*[\w,-]+"
    r"|🔁[^➕⏳🛫📅✅❌🔺⏫🔼🔽⏬🆔⛔🏁]*|🏁[ \t]*\w+|\[\w+::[^\]]*\]|\(\w+::[^)]*\)|#[\w/-]+|\^[\w-]+)[ \t]*\Z"
)
_PROJECT = re.compile(r"#project/([\w/-]+)")
_ENDED = re.compile(r"[ \t]*[✅❌]\ufe0f?[ \t]*\d{4}-\d\d-\d\d")
_BOLD = re.compile(r"\*\*(.+?)\*\*")


def parse_tasks(text: str) -> list[VaultTask]:
    """Every task in a note, in its order; what stands in a code block is none."""
    lines = split_lines(text)
    tasks: list[VaultTask] = []
    fence = ""
    for place, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
            continue
        match = None if fence else _LINE.match(line)
        if match:
            tasks.append(_task(place, match, lines))
    return tasks


def add_task(
    text: str, title: str, *, details: str = "", priority: str = "medium", project: str = "", today: date
) -> str:
    """The note with one task more, after the last one."""
    title = " ".join(title.split())
    if not title:
        raise BadInput(reason="a task needs a title")
    if any(
        task.title.lower() == title.lower() and task.status not in ("done", "cancelled")
        for task in parse_tasks(text)
    ):
        raise BadInput(reason=f"there is a task {title!r} already; change it with task_update")
    newline = find_newline(text)
    tags = f" #project/{_slug(project)}" if project.strip() else ""
    line = f"- [ ] {title}{tags} {PRIORITIES[priority]} ➕ {today.isoformat()}{newline}"
    under = [f"    - {' '.join(one.split())}{newline}" for one in details.splitlines() if one.strip()]
    lines = split_lines(text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline
    place = _after_last(lines, parse_tasks(text))
    if place is None:
        gap = [newline] if lines and lines[-1].strip() else []
        return "".join((*lines, *gap, line, *under))
    return "".join((*lines[:place], line, *under, *lines[place:]))


def change_task(text: str, title: str, status: str, *, notes: str = "", today: date) -> tuple[str, VaultTask]:
    """The note with a task in another state, and the task; a title that fits several is not guessed."""
    task = find_task(parse_tasks(text), title)
    lines = split_lines(text)
    match = _LINE.match(lines[task.line])
    assert match is not None, "it was parsed from this line"
    newline = find_newline(text)
    lines[task.line] = (
        match["lead"]
        + _MARKS[status]
        + match["close"]
        + _restated(match["text"], status, today)
        + match["end"]
    )
    if notes.strip():
        indent = re.match(r"[ \t>]*", lines[task.line])
        lead = f"{indent.group() if indent else ''}    - "
        if not lines[task.line].endswith("\n"):
            lines[task.line] += newline
        end = _end_of(lines, task.line)
        lines[end:end] = [f"{lead}{today.isoformat()}: {' '.join(notes.split())}{newline}"]
    changed = "".join(lines)
    return changed, next(one for one in parse_tasks(changed) if one.line == task.line)


def select_tasks(tasks: Sequence[VaultTask], status: str = "", project: str = "") -> list[VaultTask]:
    """The tasks of a state and project; without a state, all that are not ended."""
    wanted = _slug(project).lower() if project.strip() else ""
    return [
        task
        for task in tasks
        if (
            status == "all"
            or task.status == status
            or (not status and task.status not in ("done", "cancelled"))
        )
        and (not wanted or task.project.lower() == wanted)
    ]


def find_task(tasks: Sequence[VaultTask], title: str) -> VaultTask:
    """The one task that is meant: by its title, or by one so much like it that no other can be."""
    wanted = " ".join(title.lower().split())
    fitting = (
        [task for task in tasks if task.title.lower() == wanted],
        [task for task in tasks if wanted and wanted in task.title.lower()],
        [task for task in tasks if SequenceMatcher(None, wanted, task.title.lower()).ratio() >= CLOSE],
    )
    for matches in fitting:
        # One that is still open comes before one of the same name that is done.
        still_open = [task for task in matches if task.status not in ("done", "cancelled")]
        if matches:
            return _only(still_open or matches, title)
    raise NotFound(what="task", name=title)


def _only(tasks: Sequence[VaultTask], title: str) -> VaultTask:
    if len(tasks) > 1:
        listed = "; ".join(task.title for task in tasks[:5])
        raise BadInput(reason=f"{title!r} fits several tasks, give the whole title: {listed}")
    return tasks[0]


def _task(place: int, match: re.Match[str], lines: Sequence[str]) -> VaultTask:
    text, signs = match["text"], ""
    while sign := _SIGN.search(text):
        signs = text[sign.start() :] + signs
        text = text[: sign.start()]
    status = _STATUS_OF_MARK.get(match["mark"], "todo")
    if status == "todo" and re.search(rf"{BLOCKED}\b", match["text"]):
        status = "blocked"
    project = _PROJECT.search(match["text"])
    end = _end_of(lines, place)
    return VaultTask(
        line=place,
        title=" ".join(_BOLD.sub(r"\1", text).split()),
        status=status,
        priority=next((name for sign, name in _PRIORITY_OF_SIGN.items() if sign in signs), ""),
        project=project[1] if project else "",
        details="\n".join(line.strip() for line in lines[place + 1 : end]),
        written=match.group().rstrip("\r\n"),
    )


def _restated(text: str, status: str, today: date) -> str:
    """The text of a task in another state: its mark of being blocked and the day it ended."""
    block = ""
    if anchor := re.search(r"[ \t]+\^[\w-]+[ \t]*\Z", text):
        text, block = text[: anchor.start()], anchor.group()
    text = re.sub(rf"[ \t]*{BLOCKED}\b", "", text)
    text = _ENDED.sub("", text).rstrip()
    if status == "blocked":
        signs = re.search(r"[ \t]*(?:[➕⏳🛫📅🔺⏫🔼🔽⏬🆔⛔🔁🏁].*)?\Z", text)
        place = signs.start() if signs else len(text)
        text = f"{text[:place]} {BLOCKED}{text[place:]}"
    ended = {"done": f" ✅ {today.isoformat()}", "cancelled": f" ❌ {today.isoformat()}"}
    return text + ended.get(status, "") + block


def _after_last(lines: Sequence[str], tasks: Sequence[VaultTask]) -> int | None:
    return _end_of(lines, tasks[-1].line) if tasks else None


def _end_of(lines: Sequence[str], place: int) -> int:
    """Where the lines under a task end: those that are indented deeper than it."""
    depth = _depth(lines[place])
    end = place + 1
    while end < len(lines) and lines[end].strip() and _depth(lines[end]) > depth:
        if _LINE.match(lines[end]):
            break
        end += 1
    return end


def _depth(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _slug(name: str) -> str:
    return re.sub(r"[^\w/-]+", "-", name.strip()).strip("-/") or "project"
