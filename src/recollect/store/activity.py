"""When the store was in use, as its own rows tell it."""

from __future__ import annotations

from datetime import datetime

from recollect.store.db import Db
from recollect.store.rows import from_micros

# Enough days to see past any leap of the clock.
_DAYS = 60


def days_of_use(db: Db) -> list[datetime]:
    """A moment of each of the last days on which something was changed, newest first."""
    return [from_micros(row["at"]) for row in db.rows("history_days", limit=_DAYS)]
