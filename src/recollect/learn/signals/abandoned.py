"""
Approaches that were given up: the revert proxy.

A file was changed over several steps and then had its earlier text again, by `git checkout`, `restore` and the like or
by an edit that put it back; and afterwards something else was changed instead. Whether that validated is not known
here. What is put aside for a moment (a stash, a merge in progress) is not given up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.error_report import Fault
from recollect.model.signal import Abandoned
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.file_access import is_change
from recollect.observe.runs import runs_of

FEWEST_EDITS = 2
_FOR_A_MOMENT = re.compile(
    r"\bstash\b|--ours\b|--theirs\b|\b(?:rebase|merge|cherry-pick)\b|\breset\b.*\b(?:origin|upstream)/"
)


def abandoned(steps: Sequence[Step]) -> list[Abandoned]:
    """Every approach that was taken back and followed by another."""
    found: list[Abandoned] = []
    begun: dict[str, list[Step]] = {}
    for at, step in enumerate(steps):
        taken_back = list(_taken_back(step, begun))
        for way in taken_back:
            work = [edit for file in way.files for edit in begun.pop(file)]
            given_up = _given_up(steps, at, way, work)
            if given_up:
                found.append(given_up)
        if is_change(step) and not taken_back:
            for file in step.files:
                begun.setdefault(file, []).append(step)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _TakenBack:
    files: tuple[str, ...]
    command: str = ""


def _taken_back(step: Step, begun: dict[str, list[Step]]) -> Iterator[_TakenBack]:
    for run in runs_of([step], every=True):
        if run.kind is CommandKind.REVERT and run.verdict is not CheckVerdict.FAILED:
            if _FOR_A_MOMENT.search(step.command):
                return
            files = tuple(file for file in begun if not run.targets or _is_among(file, run.targets))
            if files:
                yield _TakenBack(files=files, command=step.command)
            return
    for edit in step.edits:
        earlier = begun.get(edit.file)
        if edit.after and earlier and edit.after == _text_before(earlier, edit.file):
            yield _TakenBack(files=(edit.file,))


def _is_among(file: str, targets: Sequence[str]) -> bool:
    return any(file == target or file.startswith(target.rstrip("/") + "/") for target in targets)


def _text_before(work: Sequence[Step], file: str) -> str:
    return next((edit.before for step in work for edit in step.edits if edit.file == file), "")


def _given_up(steps: Sequence[Step], at: int, way: _TakenBack, work: Sequence[Step]) -> Abandoned | None:
    later = [step for step in steps[at + 1 :] if is_change(step)]
    if len(work) < FEWEST_EDITS or not later:
        return None
    first = min(step.number for step in work)
    span = [step for step in steps[:at] if step.number >= first]
    return Abandoned(
        files=way.files,
        first_step=first,
        last_step=steps[at].number,
        command=way.command,
        fault=_last_fault(span),
        instead=tuple(dict.fromkeys(file for step in later for file in step.files)),
        event_ids=tuple(dict.fromkeys(e for step in (*work, steps[at], later[0]) for e in step.event_ids)),
    )


def _last_fault(span: Sequence[Step]) -> Fault | None:
    failed = [run for run in runs_of(span) if run.verdict is CheckVerdict.FAILED and run.fault]
    return failed[-1].fault if failed else None
