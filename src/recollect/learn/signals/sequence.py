"""
What a session did, as a sequence of acts: files changed, files read for it, commands run.

Every act stands once, a check where it was last run and all else where it was first done: an agent that edits, tests
and edits again has done the same as one that got it right at once. A file that was changed is not told to have been
read before, and what merely looks about (a search, `git status`) is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Steps
from posixpath import basename, dirname, splitext

from recollect.model.check import CommandKind
from recollect.model.event import ToolAction
from recollect.model.path_kinds import is_handwritten
from recollect.model.signal import Sequence, SequencePart
from recollect.model.step import Step
from recollect.observe.phrases import shorten_command
from recollect.observe.runs import CommandRun, list_runs
from recollect.observe.steps import is_change, is_use

MAX_ACTS = 120


def build_sequence(steps: Steps[Step]) -> Sequence:
    """The acts in order: `edit src/api/*.py`, `read docs/api.md`, `test`."""
    acts: dict[tuple[str, str], SequencePart] = {}
    for step in steps:
        for key, part, is_moved in _list_acts(step):
            if is_moved:
                acts.pop(key, None)
            acts.setdefault(key, part)
    changed = {name for sort, name in acts if sort == "change"}
    parts = [part for (sort, name), part in acts.items() if sort != "read" or name not in changed]
    if len(parts) > MAX_ACTS:
        parts = [part for part in parts if part.action != ToolAction.READ]
    return Sequence(parts=tuple(parts[:MAX_ACTS]))


def file_scope(path: str) -> str:
    """A file as one of its sort: its folder and its ending."""
    ending = splitext(basename(path))[1]
    folder = dirname(path)
    return f"{folder}/*{ending}" if folder else f"*{ending}" if ending else basename(path)


def _list_acts(step: Step) -> Iterator[tuple[tuple[str, str], SequencePart, bool]]:
    event_id = step.event_ids[0] if step.event_ids else ""
    if is_use(step):
        for file in filter(is_handwritten, step.files):
            part = SequencePart(
                action=str(step.action), where=file_scope(file), exact=file, event_id=event_id
            )
            yield ("change" if is_change(step) else "read", file), part, False
    elif step.action is ToolAction.RUN and step.ok is not False:
        for run in list_runs([step], every=True):
            if run.is_check or run.kind is CommandKind.FORMAT:
                short_command = shorten_command(run.command, run.tool)
                part = SequencePart(action=str(run.kind), exact=short_command, event_id=event_id)
                yield (str(run.kind), ""), part, True
            elif run.kind is CommandKind.INSTALL:
                short_command = shorten_command(run.command, run.tool)
                part = SequencePart(action=str(run.kind), exact=short_command, event_id=event_id)
                yield (str(run.kind), ""), part, False
            elif run.kind is CommandKind.OTHER and run.could_mend:
                name = _name_command(run)
                shown = shorten_command(run.command, run.tool)
                part = SequencePart(action="run", where=name, exact=shown, event_id=event_id)
                yield ("run", name), part, False


def _name_command(run: CommandRun) -> str:
    """A command without what differs from one time to the next: `make proto`, `npm run codegen`."""
    words = shorten_command(run.command, run.tool).split()
    plain_words = [word for word in words if not word.startswith("-")]
    return " ".join(plain_words[:3] if "run" in plain_words[1:2] else plain_words[:2])
