"""What the person corrected: in a prompt after some work, by turning a call down, by asking again after a failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.model.correction import Correction, CorrectionKind
from recollect.model.normal import normal_form, text_hash
from recollect.model.note import NoteOrigin
from recollect.model.step import Step
from recollect.observe.recognise.corrections import read_correction, read_rejection
from recollect.observe.seen import Seen, Work
from recollect.observe.signals.asked_again import asked_again
from recollect.observe.signals.file_access import is_change

FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """One correction: what kind it is, after which step, and what was said before, where it says it anew."""

    correction: Correction
    step: int
    event_ids: tuple[str, ...]
    instead_of: str = ""


def put_right(work: Work) -> Iterator[Seen]:
    """Every correction that still means something tomorrow."""
    told: set[str] = set()
    for heard in _heard(work):
        first = heard.correction.text.strip().partition("\n")[0]
        if _outlives_the_moment(heard.correction, first) and first[:40] not in told:
            told.add(first[:40])
            files = _worked_on(work.steps, heard.step)
            yield Seen(
                origin=NoteOrigin.CORRECTION,
                kind="correction",
                keys=(f"said:{text_hash(normal_form(first))}",),
                files=files,
                step=heard.step,
                facts={"said": first, "files": files, "instead_of": heard.instead_of},
                event_ids=heard.event_ids,
            )


def _heard(work: Work) -> Iterator[_Heard]:
    for said in work.prompts:
        if not said.machine and said.after_step and (found := read_correction(said.text)):
            yield _Heard(correction=found, step=said.after_step, event_ids=(said.event_id,))
    for step in work.steps:
        if step.denied and (found := read_rejection(step.output)):
            yield _Heard(correction=found, step=step.number, event_ids=step.event_ids)
    for again in asked_again(work.steps, work.prompts):
        yield _Heard(
            correction=Correction(kind=CorrectionKind.SAID, text=again.now),
            step=again.step,
            event_ids=again.event_ids,
            instead_of=again.before,
        )


# A name of something in the project: code, a path, a quotation, an identifier.
_NAMES_SOMETHING = re.compile(r"`|[\w.]/\w|\w_\w|[a-z][A-Z]|\"[^\"]+\"|\w\.\w{1,4}\b|\w\(\)")
_OF_THE_MOMENT = frozenset({CorrectionKind.STOP, CorrectionKind.UNDO})


def _outlives_the_moment(correction: Correction, first: str) -> bool:
    """Whether it still means something tomorrow: what to use instead, what never to do, or something with a name."""
    if correction.kind in _OF_THE_MOMENT or len(first.split()) < FEWEST_WORDS:
        return False
    lasting = bool(correction.wanted and correction.unwanted) or correction.kind is CorrectionKind.DONT
    return lasting or _NAMES_SOMETHING.search(first) is not None


def _worked_on(steps: Sequence[Step], until: int) -> tuple[str, ...]:
    before = [
        step for step in steps if step.number <= until and (is_change(step) or step.denied) and step.files
    ]
    return tuple(dict.fromkeys(file for step in reversed(before[-4:]) for file in step.files))[:2]
