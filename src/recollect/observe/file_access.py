"""Which files a session used, how often, and whether it changed them."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.event import ToolAction
from recollect.model.signal import FileAccess
from recollect.model.step import Step

CHANGES = frozenset({ToolAction.EDIT, ToolAction.CREATE, ToolAction.DELETE})
# An answer to a search names many files; only a read or a change is use of one.
USES = CHANGES | {ToolAction.READ}


def file_accesses(steps: Sequence[Step]) -> list[FileAccess]:
    """Every file read or changed, in the order it was first used."""
    by_file: dict[str, list[Step]] = {}
    for step in steps:
        if is_use(step):
            for file in step.files:
                by_file.setdefault(file, []).append(step)
    return [_access(file, used) for file, used in by_file.items()]


def is_use(step: Step) -> bool:
    """Whether a step read or changed a file, and was let to."""
    return step.action in USES and step.ok is not False and not step.denied


def is_change(step: Step) -> bool:
    """Whether a step changed a file."""
    return step.action in CHANGES and step.ok is not False and not step.denied


def _access(file: str, used: Sequence[Step]) -> FileAccess:
    edits = sum(is_change(step) for step in used)
    return FileAccess(
        file=file,
        reads=len(used) - edits,
        edits=edits,
        first_step=used[0].number,
        event_ids=tuple(event_id for step in used for event_id in step.event_ids),
    )
