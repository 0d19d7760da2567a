"""Values of scheduled runs: the run, its events, the cooldown of an action, the health of a service."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from recollect.model.value import dataclass


class OpsRunState(StrEnum):
    """Where a run stands."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    # Its runner died; whoever came next closed it.
    INTERRUPTED = "interrupted"


class OpsEventType(StrEnum):
    """Where an event of operations comes from."""

    RUN = "run"
    AGENT = "agent"
    MEMORY = "memory"
    COOLDOWN = "cooldown"
    HEALTH = "health"
    MALFORMED = "malformed"
    HANDOFF = "handoff"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsRun:
    """One run of an agent. A chain is all runs that one start led to: retries and higher tiers."""

    id: str
    job: str
    chain_id: str
    trigger: str
    started_at: datetime
    tier: int = 1
    attempt: int = 1
    parent_id: str | None = None
    state: OpsRunState = OpsRunState.RUNNING
    dry_run: bool = False
    ended_at: datetime | None = None
    # The process that looks after it, then the agent's own; with a number each that tells a reused id apart.
    runner_pid: int | None = None
    runner_birth: float | None = None
    pid: int | None = None
    pid_birth: float | None = None
    exit_code: int | None = None
    model: str = ""
    agent_session: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    turns: int = 0
    prompt: str = ""
    summary: str = ""
    error: str = ""
    # How many memories it was told, and how many markers were malformed or stood in quotations.
    memories_told: int = 0
    malformed: int = 0
    quoted: int = 0
    client: str = ""
    folder: str = ""
    structured: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsEvent:
    """
    Something that happened in operations.

    `position` and `place` say where in a run's output it was read: the same output read again makes no second event.
    """

    at: datetime
    type: OpsEventType
    level: str
    message: str
    service: str = ""
    run_id: str | None = None
    job: str = ""
    tier: int = 0
    memory_id: str | None = None
    position: int | None = None
    place: int = 0
    num: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CooldownLimit:
    """So many times an action may be taken on one service within a sliding window."""

    action: str
    most: int
    window: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsAction:
    """An action that was allowed, taken or denied. `spent_at` is when a granted one was really taken."""

    action: str
    service: str
    at: datetime
    allowed: bool
    run_id: str | None = None
    spent_at: datetime | None = None
    succeeded: bool | None = None
    message: str = ""
    reset_at: datetime | None = None
    num: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The answer to whether an action may be taken: how many were within the window, and when the next may come."""

    allowed: bool
    action: str
    service: str
    used: int
    most: int
    window: timedelta
    next_at: datetime | None = None

    def to_sentence(self) -> str:
        """The answer in words."""
        hours = self.window.total_seconds() / 3600
        count = f"{self.used} of {self.most} within {hours:g} h"
        if self.allowed:
            return f"{self.action} {self.service}: allowed ({count})"
        until = f"; the next one from {self.next_at:%Y-%m-%d %H:%M} UTC on" if self.next_at else ""
        return f"{self.action} {self.service}: not allowed, its cooldown has not passed ({count}){until}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One look at a service."""

    service: str
    healthy: bool
    at: datetime
    message: str = ""
    run_id: str | None = None
    position: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceHealth:
    """How a service is, since when, and how many checks in a row said so."""

    service: str
    healthy: bool
    streak: int
    since: datetime
    checked_at: datetime
    message: str = ""
    run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsRetention:
    """How long runs, events and checks are kept."""

    runs: timedelta = timedelta(days=90)
    events: timedelta = timedelta(days=180)
    checks: timedelta = timedelta(days=30)
    logs: timedelta = timedelta(days=30)
