"""
Changes that were taken back: what passes without them proves nothing about them.

A change is taken back when its file gets its earlier text again, by git (`checkout`, `restore`, `reset --hard`,
`revert`, a stash that is not popped) or by an edit that puts it back. What is edited anew afterwards stands for
itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from recollect.learn.signals.abandoned import find_reverts
from recollect.model.note import Note
from recollect.model.step import Step
from recollect.observe.steps import is_change

_STASHED = re.compile(r"\bgit\s+(?:-\S+\s+)*stash\b(?!\s+(?:pop|apply|list|show|drop|clear|branch))")
_UNSTASHED = re.compile(r"\bgit\s+(?:-\S+\s+)*stash\s+(?:pop|apply)\b")


class TakenBack:
    """Which changes of a session did not stand at its end, each as the number of its step and its file."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._changes = [step for step in steps if is_change(step)]
        self._gone = _find_gone(steps)

    def holds(self, step: Step, files: Collection[str] = ()) -> bool:
        """Whether nothing is left of a change; of what it did to these files, if it did something to them."""
        own = [file for file in step.files if not files or file in files] or list(step.files)
        return bool(own) and all((step.number, file) in self._gone for file in own)

    def holds_all(self, changes: Sequence[Step]) -> bool:
        """Whether nothing is left of several changes, of which there is at least one."""
        return bool(changes) and all(self.holds(step) for step in changes)

    def undermines(self, note: Note) -> bool:
        """
        Whether the work that a note rests on was taken back.

        That is what was done to the files it names; of a note that names none of them, the change before it was
        written, or the first one after it.
        """
        if not self._gone:
            return False
        files = {file for file in note.files if any(file in step.files for step in self._changes)}
        if files:
            about = [step for step in self._changes if files & set(step.files)]
            return all(self.holds(step, files) for step in about)
        before = [step for step in self._changes if step.at <= note.at]
        nearest = before[-1:] or self._changes[:1]
        return self.holds_all(nearest)


def _find_gone(steps: Sequence[Step]) -> set[tuple[int, str]]:
    gone: set[tuple[int, str]] = set()
    stashed: list[tuple[int, str]] = []
    begun: dict[str, list[Step]] = {}
    for step in steps:
        if _UNSTASHED.search(step.command):
            gone.difference_update(stashed)
            for number, file in stashed:
                begun.setdefault(file, []).extend(one for one in steps if one.number == number)
            stashed = []
            continue
        is_stash = bool(_STASHED.search(step.command)) and step.ok is not False
        files = (
            list(begun) if is_stash else [file for back in find_reverts(step, begun) for file in back.files]
        )
        back = [(change.number, file) for file in files for change in begun.pop(file, ())]
        if is_stash:
            stashed += back
        gone.update(back)
        if is_change(step) and not files:
            for file in step.files:
                begun.setdefault(file, []).append(step)
        elif is_change(step):
            # The edit that puts the old text back is gone with what it took back.
            gone.update((step.number, file) for file in files)
    return gone
