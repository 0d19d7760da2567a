"""
The clock guard: which time upkeep trusts. A clock can be wrong by ten years, and nothing may fade for that.

A step of up to a month since the last run is believed at once. A longer one, or one back by more than a day, is
doubted: that run does nothing. Only when another run, a day later by the same clock, finds it so still, it is taken for
true; forward then by a month per run at most, back at once. Someone back from a year's absence has memories that
catch up in two weeks of work; a clock that was wrong for a day has done nothing.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from recollect.model.json_form import moment_from_json, moment_to_json
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import memories, meta

MAX_STEP = timedelta(days=30)
MAX_STEP_BACK = timedelta(days=1)
CONFIRMED_AFTER = timedelta(days=1)
_KEY = "upkeep.clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedTime:
    """The time upkeep goes by, and since when the clock has said something that is doubted."""

    at: datetime
    doubted: datetime | None = None


def update_trusted_time(before: TrustedTime | None, clock: datetime) -> TrustedTime:
    """What to believe after what was believed before, now that the clock says this."""
    if before is None or timedelta(0) <= clock - before.at <= MAX_STEP:
        return TrustedTime(at=clock)
    if before.at - MAX_STEP_BACK <= clock < before.at:  # a small correction; time waits for it
        return replace(before, doubted=None)
    # Doubt begins with the first reading; one from elsewhere (a third time) begins it anew.
    doubted = before.doubted
    if doubted is None or not timedelta(0) <= clock - doubted <= MAX_STEP:
        return replace(before, doubted=clock)
    if clock - doubted < CONFIRMED_AFTER:
        return before
    if clock < before.at:
        return TrustedTime(at=clock)
    # Still in doubt until it has caught up, so that the next run may go on.
    return TrustedTime(
        at=min(clock, before.at + MAX_STEP), doubted=doubted if clock - before.at > MAX_STEP else None
    )


def read_trusted_time(db: Db) -> TrustedTime | None:
    """What was believed at the last run; before the first one, the time of the newest memory."""
    stored = meta.read_meta(db, _KEY)
    if stored is None:
        newest = memories.find_newest_time(db)
        return TrustedTime(at=newest) if newest else None
    values: dict[str, Any] = json.loads(stored)
    doubted = values["doubted"]
    return TrustedTime(
        at=moment_from_json(values["at"]), doubted=moment_from_json(doubted) if doubted else None
    )


def save_trusted_time(db: Db, belief: TrustedTime) -> None:
    """Remember what is believed now."""
    doubted = moment_to_json(belief.doubted) if belief.doubted else None
    meta.save_meta(db, _KEY, json.dumps({"at": moment_to_json(belief.at), "doubted": doubted}))
