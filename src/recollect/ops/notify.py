"""Notifications: a command of the operator's is told of what matters, as JSON on its standard input."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from contextlib import suppress

from recollect.model.json_form import moment_to_json
from recollect.model.operations import OpsEvent, OpsRun, OpsRunState
from recollect.ops.jobs import OpsNotice
from recollect.ops.markers import EventLevel

SECONDS = 30.0
_ORDER = {level: place for place, level in enumerate(EventLevel)}
_ENDED_BADLY = (OpsRunState.FAILED, OpsRunState.TIMED_OUT, OpsRunState.INTERRUPTED)


def notify_of_event(notice: OpsNotice | None, event: OpsEvent, environment: Mapping[str, str]) -> None:
    """Tell of an event that is grave enough."""
    if notice is None or _ORDER[EventLevel(event.level)] < _ORDER[EventLevel(notice.level)]:
        return
    value = {
        "about": "event",
        "at": moment_to_json(event.at),
        "level": event.level,
        "type": event.type,
        "service": event.service,
        "message": event.message,
        "job": event.job,
        "run": event.run_id,
        "tier": event.tier,
    }
    _tell(notice, value, environment)


def notify_of_run(notice: OpsNotice | None, run: OpsRun, environment: Mapping[str, str]) -> None:
    """Tell of a run that did not end well."""
    if notice is None or not notice.failures or run.state not in _ENDED_BADLY:
        return
    value = {
        "about": "run",
        "at": moment_to_json(run.ended_at or run.started_at),
        "job": run.job,
        "run": run.id,
        "tier": run.tier,
        "state": run.state,
        "error": run.error,
        "summary": run.summary,
    }
    _tell(notice, value, environment)


def _tell(notice: OpsNotice, value: Mapping[str, object], environment: Mapping[str, str]) -> None:
    # A notification that cannot be given must not end the run it tells of.
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            list(notice.command),
            input=json.dumps(value, ensure_ascii=False, default=str).encode(),
            env=dict(environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
