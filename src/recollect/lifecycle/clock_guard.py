"""
Which time upkeep goes by. A clock can be wrong by ten years, and nothing may fade or go for that.

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

STEP = timedelta(days=30)
BACK = timedelta(days=1)
CONFIRMED_AFTER = timedelta(days=1)
_KEY = "upkeep.clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """The time upkeep goes by, and since when the clock has said something that is doubted."""

    at: datetime
    doubted: datetime | None = None


def believed(before: Belief | None, clock: datetime) -> Belief:
    """What to believe after what was believed before, now that the clock says this."""
    if before is None or timedelta(0) <= clock - before.at <= STEP:
        return Belief(at=clock)
    if before.at - BACK <= clock < before.at:  # a small correction; time waits for it
        return replace(before, doubted=None)
    # Doubt begins with the first reading; one from elsewhere (a third time) begins it anew.
    doubted = before.doubted
    if doubted is None or not timedelta(0) <= clock - doubted <= STEP:
        return replace(before, doubted=clock)
    if clock - doubted < CONFIRMED_AFTER:
        return before
    if clock < before.at:
        return Belief(at=clock)
    # Still in doubt until it has caught up, so that the next run may go on.
    return Belief(at=min(clock, before.at + STEP), doubted=doubted if clock - before.at > STEP else None)


def read(db: Db) -> Belief | None:
    """What was believed at the last run; before the first one, the time of the newest memory."""
    kept = meta.get(db, _KEY)
    if kept is None:
        newest = memories.newest_at(db)
        return Belief(at=newest) if newest else None
    said: dict[str, Any] = json.loads(kept)
    doubted = said["doubted"]
    return Belief(at=moment_from_json(said["at"]), doubted=moment_from_json(doubted) if doubted else None)


def keep(db: Db, belief: Belief) -> None:
    """Remember what is believed now."""
    doubted = moment_to_json(belief.doubted) if belief.doubted else None
    meta.put(db, _KEY, json.dumps({"at": moment_to_json(belief.at), "doubted": doubted}))
