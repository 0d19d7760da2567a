"""
Approaches that were given up: the revert proxy.

A file was changed over several steps and then had its earlier text again, by `git checkout`, `restore` and the like or
by an edit that put it back; and afterwards something else was changed instead. Whether that validated is not known
here. What is put aside for a moment (a stash, a merge in progress) is not given up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.observation import Fault
from recollect.model.signal import AbandonedWork
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.runs import list_runs
from recollect.observe.steps import is_change

MIN_EDITS = 2
_TEMPORARY_REVERT = re.compile(
    r"\bstash\b|--ours\b|--theirs\b|\b(?:rebase|merge|cherry-pick)\b|\breset\b.*\b(?:origin|upstream)/"
)


def find_abandoned(steps: Sequence[Step]) -> list[AbandonedWork]:
    """Every approach that was taken back and followed by another."""
    abandoned: list[AbandonedWork] = []
    begun: dict[str, list[Step]] = {}
    for at, step in enumerate(steps):
        taken_back = list(find_reverts(step, begun))
        for revert in taken_back:
            work = [edit for file in revert.files for edit in begun.pop(file)]
            abandoned_work = _make_abandoned(steps, at, revert, work)
            if abandoned_work:
                abandoned.append(abandoned_work)
        if is_change(step) and not taken_back:
            for file in step.files:
                begun.setdefault(file, []).append(step)
    return abandoned


@dataclass(frozen=True, slots=True, kw_only=True)
class Revert:
    """Files that have their earlier text again, and the command that gave it to them."""

    files: tuple[str, ...]
    command: str = ""


def find_reverts(step: Step, begun: Mapping[str, Sequence[Step]]) -> Iterator[Revert]:
    """What a step takes back of the files that were begun."""
    for run in list_runs([step], every=True):
        if run.kind is CommandKind.REVERT and run.verdict is not CheckVerdict.FAILED:
            if _TEMPORARY_REVERT.search(step.command):
                return
            files = tuple(file for file in begun if not run.targets or _is_among(file, run.targets))
            if files:
                yield Revert(files=files, command=step.command)
            return
    for edit in step.edits:
        earlier = begun.get(edit.file)
        if edit.after and earlier and edit.after == _text_before(earlier, edit.file):
            yield Revert(files=(edit.file,))


def _is_among(file: str, targets: Sequence[str]) -> bool:
    return any(file == target or file.startswith(target.rstrip("/") + "/") for target in targets)


def _text_before(work: Sequence[Step], file: str) -> str:
    return next((edit.before for step in work for edit in step.edits if edit.file == file), "")


def _make_abandoned(
    steps: Sequence[Step], at: int, revert: Revert, work: Sequence[Step]
) -> AbandonedWork | None:
    later = [step for step in steps[at + 1 :] if is_change(step)]
    if len(work) < MIN_EDITS or not later:
        return None
    first = min(step.number for step in work)
    span = [step for step in steps[:at] if step.number >= first]
    return AbandonedWork(
        files=revert.files,
        first_step=first,
        last_step=steps[at].number,
        command=revert.command,
        fault=_last_fault(span),
        instead=tuple(dict.fromkeys(file for step in later for file in step.files)),
        event_ids=tuple(dict.fromkeys(e for step in (*work, steps[at], later[0]) for e in step.event_ids)),
    )


def _last_fault(span: Sequence[Step]) -> Fault | None:
    failed = [run for run in list_runs(span) if run.verdict is CheckVerdict.FAILED and run.fault]
    return failed[-1].fault if failed else None
