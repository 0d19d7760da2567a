"""The same thing asked again in other words, right after it had failed: what the person changed is the correction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

from recollect.model.check import CheckVerdict
from recollect.model.signal import RepeatedRequest
from recollect.model.step import Message, Step
from recollect.observe.runs import list_runs

SOON = timedelta(seconds=120)
# So much of the words must be the same for it to be the same request.
SAME_WORDS = 0.5
_WORD = re.compile(r"\w+")


def find_repeated_requests(steps: Sequence[Step], prompts: Sequence[Message]) -> Iterator[RepeatedRequest]:
    """Every prompt that says the one before it anew, within two minutes of a failure."""
    requests = [prompt for prompt in prompts if not prompt.machine and prompt.text.strip()]
    for before, now in pairwise(requests):
        if _is_reworded(before.text, now.text) and (failed := _find_failed_step(steps, before, now)):
            yield RepeatedRequest(
                before=before.text.strip(),
                now=now.text.strip(),
                step=now.after_step,
                event_ids=tuple(dict.fromkeys((before.event_id, *failed.event_ids, now.event_id))),
            )


def _is_reworded(before: str, now: str) -> bool:
    earlier_words, later_words = set(_WORD.findall(before.lower())), set(_WORD.findall(now.lower()))
    return earlier_words != later_words and len(earlier_words & later_words) >= SAME_WORDS * max(
        len(earlier_words), len(later_words)
    )


def _find_failed_step(steps: Sequence[Step], before: Message, now: Message) -> Step | None:
    """The last step between the two, if it failed or was stopped shortly before the second."""
    between = [step for step in steps if before.after_step < step.number <= now.after_step]
    last = between[-1] if between else None
    if last is None or not timedelta() <= now.at - (last.finished_at or last.at) <= SOON:
        return None
    failed = last.ok is False or last.interrupted or now.interrupted
    return last if failed or any(run.verdict is CheckVerdict.FAILED for run in list_runs([last])) else None
