"""What a session did, as a sequence of acts on sorts of files."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Steps
from posixpath import basename, dirname, splitext

from recollect.model.event import ToolAction
from recollect.model.signal import Sequence, SequencePart
from recollect.model.step import Step
from recollect.observe.runs import runs_of
from recollect.observe.signals.file_access import is_use

LONGEST = 200


def sequence(steps: Steps[Step]) -> Sequence:
    """The acts in order: `edit src/api/*.py`, `test`; the same act several times in a row is one."""
    parts: list[SequencePart] = []
    event_ids: list[str] = []
    for step in steps:
        for part in _parts(step):
            if not parts or parts[-1] != part:
                parts.append(part)
                event_ids.extend(step.event_ids)
    return Sequence(parts=tuple(parts[:LONGEST]), event_ids=tuple(dict.fromkeys(event_ids)))


def _parts(step: Step) -> Iterator[SequencePart]:
    if is_use(step):
        for file in step.files:
            yield SequencePart(action=str(step.action), where=file_scope(file))
    elif step.action is ToolAction.RUN and step.ok is not False:
        for run in runs_of([step], every=True):
            yield SequencePart(action=str(run.kind), where=run.tool if not run.is_check else "")


def file_scope(path: str) -> str:
    """A file as one of its sort: its folder and its ending."""
    ending = splitext(basename(path))[1]
    folder = dirname(path)
    return f"{folder}/*{ending}" if folder else f"*{ending}" if ending else basename(path)
