"""What the person corrected: in a prompt after some work, by turning a call down, by asking again after a failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.learn.findings import ObservedWork, RuleFinding
from recollect.learn.signals.repeated_request import find_repeated_requests
from recollect.model.normal_form import normal_form, text_hash
from recollect.model.note import NoteOrigin
from recollect.model.observation import Correction, CorrectionKind
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.recognise.corrections import read_correction, read_rejection
from recollect.observe.steps import is_change

MIN_WORDS = 5
MAX_CORRECTION = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """One correction: what kind it is, after which step, and what was said before, where it says it anew."""

    correction: Correction
    step: int
    event_ids: tuple[str, ...]
    instead_of: str = ""


def find_corrections(work: ObservedWork) -> Iterator[RuleFinding]:
    """Every correction that still means something tomorrow."""
    openings: set[str] = set()
    for heard in _heard(work):
        line = _in_a_line(heard.correction.text)
        if _outlives_the_moment(heard.correction, line) and line[:40] not in openings:
            openings.add(line[:40])
            files = _worked_on(work.steps, heard.step)
            yield RuleFinding(
                origin=NoteOrigin.CORRECTION,
                kind="correction",
                keys=(f"said:{text_hash(normal_form(line))}",),
                files=files,
                step=heard.step,
                facts={"said": line, "files": files, "instead_of": heard.instead_of},
                event_ids=heard.event_ids,
            )


def _heard(work: ObservedWork) -> Iterator[_Heard]:
    for prompt in work.prompts:
        if not prompt.machine and prompt.after_step and (correction := read_correction(prompt.text)):
            yield _Heard(correction=correction, step=prompt.after_step, event_ids=(prompt.event_id,))
    for step in work.steps:
        if step.denied and (correction := read_rejection(step.output)):
            yield _Heard(correction=correction, step=step.number, event_ids=step.event_ids)
    for again in find_repeated_requests(work.steps, work.prompts):
        yield _Heard(
            correction=Correction(kind=CorrectionKind.SAID, text=again.now),
            step=again.step,
            event_ids=again.event_ids,
            instead_of=again.before,
        )


# A name of something in the project: code, a path, a quotation, an identifier.
_NAMES_SOMETHING = re.compile(r"`|[\w.]/\w|\w_\w|[a-z][A-Z]|\"[^\"]+\"|\w\.\w{1,4}\b|\w\(\)")
_OF_THE_MOMENT = frozenset({CorrectionKind.STOP, CorrectionKind.UNDO})
# It tells how things were when it was said.
_NOW = re.compile(
    r"\b(?:right now|currently|at the moment|for now|this time|just now|yesterday|today)\b", re.IGNORECASE
)
_EVER = re.compile(
    r"\b(?:never|always|ever|anymore|from now on|in general|wherever|whenever)\b", re.IGNORECASE
)
_WORDING = ('"', "“", "'")


def _outlives_the_moment(correction: Correction, line: str) -> bool:
    """Whether it still means something tomorrow: what to use instead, what never to do, or something with a name."""
    if correction.kind in _OF_THE_MOMENT or len(line.split()) < MIN_WORDS or _NOW.search(line):
        return False
    if correction.wanted and correction.unwanted:
        # One wording for another is done once it is done.
        return not correction.unwanted.startswith(_WORDING)
    if correction.kind is CorrectionKind.DONT and _EVER.search(line):
        return True
    return _NAMES_SOMETHING.search(line) is not None


def _in_a_line(text: str) -> str:
    """What was said up to the first empty line, as one line."""
    line = " ".join(re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0].split())
    return line if len(line) <= MAX_CORRECTION else line[: MAX_CORRECTION - 1].rstrip() + "…"


def _worked_on(steps: Sequence[Step], until: int) -> tuple[str, ...]:
    before = [
        step for step in steps if step.number <= until and (is_change(step) or step.denied) and step.files
    ]
    return tuple(dict.fromkeys(file for step in reversed(before[-4:]) for file in step.files))[:2]
