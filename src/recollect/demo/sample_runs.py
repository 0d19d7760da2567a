"""The scheduled runs of the sample project: health checks by the hour, a night that went wrong, and what came of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from recollect.demo.sample_clock import SampleClock
from recollect.model.operations import (
    CooldownLimit,
    HealthCheck,
    OpsEvent,
    OpsEventType,
    OpsRun,
    OpsRunState,
)
from recollect.model.value import replace
from recollect.ops.workspace import RunWorkspace

if TYPE_CHECKING:
    from recollect.api.operations import Operations

_RESTART = CooldownLimit(action="restart", most=2, window=timedelta(hours=4))
_TROUBLES = {"jellyfin": "health check timed out", "caddy": "no route to host"}
_SERVICES = ("caddy", "postgres", "jellyfin", "grafana")


class SampleRun(NamedTuple):
    """A run: how many hours ago, what it was for, how it ended, and what it found."""

    hours: float
    job: str
    seconds: int
    tokens: int
    turns: int
    told: int
    troubled: tuple[str, ...] = ()
    restarts: tuple[str, ...] = ()
    error: str = ""
    summary: str = ""
    tier: int = 1
    trigger: str = "schedule"


RUNS: tuple[SampleRun, ...] = (
    SampleRun(
        20.1, "backup", 212, 15_310, 9, 2, summary="Dumped 3 databases, 4.1 GB; the oldest copy was removed."
    ),
    SampleRun(9, "health", 38, 8_140, 5, 4, summary="All four services answer."),
    SampleRun(8, "health", 36, 7_990, 5, 4, summary="All four services answer."),
    SampleRun(
        7,
        "health",
        74,
        12_420,
        11,
        5,
        ("caddy",),
        ("caddy",),
        "WireGuard is down and tier 1 may not restart it",
    ),
    SampleRun(
        6.9,
        "health",
        121,
        31_880,
        14,
        6,
        summary="WireGuard came back after its key was renewed; Caddy followed.",
        tier=2,
        trigger="handoff",
    ),
    SampleRun(5, "health", 41, 8_230, 6, 5, summary="All four services answer."),
    SampleRun(4, "health", 35, 8_010, 5, 5, summary="All four services answer."),
    SampleRun(
        2,
        "health",
        88,
        13_650,
        10,
        5,
        ("jellyfin",),
        ("jellyfin",),
        summary="Jellyfin restarted; its database was locked.",
    ),
    SampleRun(
        1,
        "health",
        93,
        14_020,
        11,
        6,
        ("jellyfin",),
        ("jellyfin",),
        summary="Restarted Jellyfin a second time; it takes about 60 s to start.",
    ),
    SampleRun(
        0.2,
        "health",
        52,
        9_480,
        7,
        6,
        ("jellyfin",),
        ("jellyfin",),
        summary="Jellyfin still starts; a third restart within 4 h was denied.",
    ),
)


def play_operations(operations: Operations, workspace: RunWorkspace, clock: SampleClock) -> None:
    """Every run with its checks, restarts, events and its log."""
    chain_id = parent_id = ""
    for sample in RUNS:
        clock.set(days=sample.hours / 24)
        run_id = operations.new_id()
        is_chained = sample.trigger == "handoff"
        run = OpsRun(
            id=run_id,
            job=sample.job,
            chain_id=chain_id if is_chained else run_id,
            parent_id=parent_id if is_chained else None,
            trigger=sample.trigger,
            tier=sample.tier,
            started_at=clock(),
            model="sonnet" if sample.tier > 1 else "haiku",
            client="claude-code",
        )
        operations.put_run(run)
        operations.set_prompt(run_id, "Look after the services and say what you find.", sample.told)
        lines = list(_play_run(operations, run, sample))
        workspace.make(run_id).log.write_text("\n".join(lines) + "\n", "utf-8")
        operations.close_run(_end(run, sample))
        chain_id, parent_id = run.chain_id, run_id


def _play_run(operations: Operations, run: OpsRun, sample: SampleRun) -> list[str]:
    lines = [f"[{run.job}] tier {run.tier}, {sample.told} memories told"]
    if sample.job == "health":
        lines += _check_services(operations, run, sample)
    for service in sample.restarts:
        allowance = operations.try_action(_RESTART, service, run_id=run.id, spend=True)
        words = "restarted, waits for its health" if allowance.allowed else "restart denied: cooling down"
        _tell(operations, run, "warning", "cooldown", words, service)
        lines.append(f"restart {service}: {words}")
    if sample.error:
        _tell(operations, run, "critical", "handoff", sample.error, "caddy")
        lines.append(f"handing over to tier 2: {sample.error}")
    elif sample.tier > 1:
        _tell(operations, run, "info", "agent", sample.summary, "caddy")
    lines.append(sample.summary or "gave up")
    return lines


def _check_services(operations: Operations, run: OpsRun, sample: SampleRun) -> list[str]:
    lines = []
    for place, service in enumerate(_SERVICES):
        is_healthy = service not in sample.troubled
        message = "" if is_healthy else _TROUBLES[service]
        check = HealthCheck(
            service=service,
            healthy=is_healthy,
            at=operations.now(),
            message=message,
            run_id=run.id,
            position=place,
        )
        operations.put_check(check)
        lines.append(f"check {service}: {message or 'ok'}")
        if not is_healthy:
            _tell(operations, run, "error", "health", message, service)
    _tell(operations, run, "info", "health", f"{len(_SERVICES)} services checked")
    return lines


def _tell(
    operations: Operations, run: OpsRun, level: str, kind: str, message: str, service: str = ""
) -> None:
    operations.put_event(
        OpsEvent(
            at=operations.now(),
            type=OpsEventType(kind),
            level=level,
            message=message,
            service=service,
            run_id=run.id,
            job=run.job,
            tier=run.tier,
        )
    )


def _end(run: OpsRun, sample: SampleRun) -> OpsRun:
    dollars_a_million = 9.0 if sample.tier > 1 else 2.4
    return replace(
        run,
        state=OpsRunState.FAILED if sample.error else OpsRunState.SUCCEEDED,
        ended_at=run.started_at + timedelta(seconds=sample.seconds),
        exit_code=1 if sample.error else 0,
        tokens_in=sample.tokens * 9 // 10,
        tokens_out=sample.tokens - sample.tokens * 9 // 10,
        cost_usd=round(sample.tokens * dollars_a_million / 1_000_000, 4),
        turns=sample.turns,
        memories_told=sample.told,
        error=sample.error,
        summary=sample.summary,
    )
