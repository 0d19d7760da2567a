"""The same thing asked again in other words, right after it had failed: what the person changed is the correction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

from recollect.model.check import CheckVerdict
from recollect.model.signal import AskedAgain
from recollect.model.step import Said, Step
from recollect.observe.runs import runs_of

SOON = timedelta(seconds=120)
# So much of the words must be the same for it to be the same request.
SAME_WORDS = 0.5
_WORD = re.compile(r"\w+")


def asked_again(steps: Sequence[Step], prompts: Sequence[Said]) -> Iterator[AskedAgain]:
    """Every prompt that says the one before it anew, within two minutes of a failure."""
    own = [said for said in prompts if not said.machine and said.text.strip()]
    for before, now in pairwise(own):
        if _is_reworded(before.text, now.text) and (failed := _failed(steps, before, now)):
            yield AskedAgain(
                before=before.text.strip(),
                now=now.text.strip(),
                step=now.after_step,
                event_ids=tuple(dict.fromkeys((before.event_id, *failed.event_ids, now.event_id))),
            )


def _is_reworded(before: str, now: str) -> bool:
    one, other = set(_WORD.findall(before.lower())), set(_WORD.findall(now.lower()))
    return one != other and len(one & other) >= SAME_WORDS * max(len(one), len(other))


def _failed(steps: Sequence[Step], before: Said, now: Said) -> Step | None:
    """The last step between the two, if it failed or was stopped shortly before the second."""
    between = [step for step in steps if before.after_step < step.number <= now.after_step]
    last = between[-1] if between else None
    if last is None or not timedelta() <= now.at - (last.finished_at or last.at) <= SOON:
        return None
    failed = last.ok is False or last.interrupted or now.interrupted
    return last if failed or any(run.verdict is CheckVerdict.FAILED for run in runs_of([last])) else None
