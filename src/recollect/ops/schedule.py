"""Schedules: an interval that counts from the end of the last run, or a cron line in a time zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from recollect.errors import BadSetting
from recollect.model.value import dataclass

_EVERY = re.compile(r"every\s+(\d{1,6})\s*(s|m|h|d)", re.IGNORECASE)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NAMED = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a job runs: every so often after its last end, or at the moments a cron line names."""

    plan: str
    every: timedelta | None = None
    cron: str = ""
    zone: str = "UTC"

    def find_next(self, last_end: datetime | None, now: datetime) -> datetime:
        """The moment of the next run: an interval counts from the last end, a cron line from now."""
        if self.every is not None:
            return last_end + self.every if last_end else now
        local = now.astimezone(ZoneInfo(self.zone))
        return next(CronSim(self.cron, local)).astimezone(UTC)


def parse_schedule(plan: str, zone: str, where: str) -> Schedule:
    """Read `every 1h`, or a cron line of five fields."""
    every = _EVERY.fullmatch(plan.strip())
    if every:
        seconds = int(every[1]) * _UNITS[every[2].lower()]
        if seconds < 1:
            raise BadSetting(f"{where}: {plan!r} leaves no time between two runs.")
        return Schedule(plan=plan, every=timedelta(seconds=seconds))
    cron = _NAMED.get(plan.strip(), plan.strip())
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise BadSetting(f"{where}: {zone!r} is no time zone. Write one such as Europe/Berlin.") from None
    try:
        # Also asked for its first moment: "30 February" is well formed and never comes.
        next(CronSim(cron, datetime(2026, 1, 1, tzinfo=UTC)))
    except (CronSimError, StopIteration) as error:
        raise BadSetting(
            f"{where}: {plan!r} is no schedule ({error}). Write `every 1h` or `0 3 * * *`."
        ) from None
    return Schedule(plan=f"{cron} {zone}", cron=cron, zone=zone)
