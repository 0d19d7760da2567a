"""Files that held the agent up far longer than the others of the session."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from statistics import median_low

from recollect.model.signal import TimeAnomaly
from recollect.model.step import Step
from recollect.observe.steps import is_use

# A pause this long belongs to the person, not to the file.
MAX_DWELL = timedelta(minutes=10)
TIMES_THE_USUAL = 5
MIN_DWELL = timedelta(minutes=2)
MIN_FILES = 4


def find_time_anomalies(steps: Sequence[Step]) -> list[TimeAnomaly]:
    """Files whose time, from each use to the next step, is many times what a file of this session usually took."""
    dwell: dict[str, timedelta] = {}
    used: dict[str, list[Step]] = {}
    for step, after in pairwise(steps):
        if is_use(step) and step.files:
            share = min(after.at - step.at, MAX_DWELL) / len(step.files)
            for file in step.files:
                dwell[file] = dwell.get(file, timedelta()) + max(share, timedelta())
                used.setdefault(file, []).append(step)
    if len(dwell) < MIN_FILES:
        return []
    usual = timedelta(seconds=median_low(spent.total_seconds() for spent in dwell.values()))
    return [
        TimeAnomaly(
            file=file,
            dwell=spent,
            usual=usual,
            reads=len(used[file]),
            event_ids=tuple(event_id for step in used[file] for event_id in step.event_ids),
        )
        for file, spent in dwell.items()
        if spent >= MIN_DWELL and spent >= TIMES_THE_USUAL * usual
    ]
