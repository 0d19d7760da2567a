"""Tables of scheduled runs: runs, events, actions with their cooldowns, health, and what is due."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from recollect.errors import AmbiguousId, NotFound
from recollect.model.operations import (
    Allowance,
    CooldownLimit,
    HealthCheck,
    OpsAction,
    OpsEvent,
    OpsEventType,
    OpsRun,
    OpsRunState,
    ServiceHealth,
)
from recollect.model.value import asdict
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, to_micros

# An id ends in letters below this one.
_ABOVE = "~"


# -- runs ------------------------------------------------------------------------------------------------


def put_run(db: Db, run: OpsRun) -> None:
    """Keep a run that begins."""
    row = asdict(run)
    row |= {
        "state": str(run.state),
        "dry_run": int(run.dry_run),
        "structured": int(run.structured),
        "started_at": to_micros(run.started_at),
        "ended_at": _micros(run.ended_at),
    }
    db.run("ops_run_put", **row)


def set_process(db: Db, run_id: str, pid: int, birth: float) -> None:
    """Note which process the agent of a run is."""
    db.run("ops_run_started", id=run_id, pid=pid, pid_birth=birth)


def set_prompt(db: Db, run_id: str, prompt: str, memories_told: int) -> None:
    """Note what a run was asked and told."""
    db.run("ops_run_told", id=run_id, prompt=prompt, memories_told=memories_told)


def close_run(db: Db, run: OpsRun) -> bool:
    """Close a run as this value says; False when somebody else closed it before."""
    assert run.ended_at is not None
    changed = db.run(
        "ops_run_close",
        id=run.id,
        state=str(run.state),
        ended_at=to_micros(run.ended_at),
        exit_code=run.exit_code,
        model=run.model,
        agent_session=run.agent_session,
        tokens_in=run.tokens_in,
        tokens_out=run.tokens_out,
        cost_usd=run.cost_usd,
        turns=run.turns,
        summary=run.summary,
        error=run.error,
        malformed=run.malformed,
        quoted=run.quoted,
    )
    return changed > 0


def want_stop(db: Db, run_id: str) -> bool:
    """Ask a run to end; False when it has ended already."""
    return db.run("ops_run_stop", id=run_id) > 0


def is_stop_wanted(db: Db, run_id: str) -> bool:
    """Whether somebody asked a run to end."""
    row = db.row("ops_run_stop_wanted", id=run_id)
    return bool(row and row["stop_wanted"])


def get_run(db: Db, name: str) -> OpsRun:
    """The run with this id, or with an id that begins so."""
    rows = db.rows("ops_run_get", id=name.upper(), above=name.upper() + _ABOVE)
    if not rows or not name:
        raise NotFound(what="run", name=name)
    if len(rows) > 1:
        raise AmbiguousId(prefix=name, count=len(rows), examples=", ".join(row["id"] for row in rows))
    return _run(rows[0])


def list_runs(db: Db, *, job: str = "", state: str = "", limit: int = 20) -> list[OpsRun]:
    """The newest runs."""
    return [_run(row) for row in db.rows("ops_runs", job=job, state=state, limit=limit)]


def list_chain(db: Db, chain_id: str) -> list[OpsRun]:
    """All runs that one start led to, in order."""
    return [_run(row) for row in db.rows("ops_runs_of_chain", chain_id=chain_id)]


def list_open_runs(db: Db, job: str = "") -> list[OpsRun]:
    """Runs that have not ended."""
    return [_run(row) for row in db.rows("ops_runs_open", job=job)]


def find_last_end(db: Db, job: str) -> datetime | None:
    """When a job's newest run ended."""
    row = db.row("ops_run_last_end", job=job)
    return _moment(row["ended_at"]) if row else None


# -- events ----------------------------------------------------------------------------------------------


def put_event(db: Db, event: OpsEvent) -> bool:
    """Keep an event; False when it was read at this very place before."""
    row = asdict(event)
    del row["num"]
    row |= {"at": to_micros(event.at), "type": str(event.type), "level": str(event.level)}
    return db.run("ops_event_put", **row) > 0


def list_events(
    db: Db,
    *,
    after: int = 0,
    service: str = "",
    type_: str = "",
    job: str = "",
    run_id: str = "",
    limit: int = 50,
) -> list[OpsEvent]:
    """The newest events after a number, oldest first."""
    rows = db.rows(
        "ops_events", after=after, service=service, type=type_, job=job, run_id=run_id, limit=limit
    )
    return [_event(row) for row in reversed(rows)]


# -- actions and their cooldowns -------------------------------------------------------------------------


def try_action(
    db: Db, limit: CooldownLimit, service: str, *, run_id: str | None, now: datetime, spend: bool
) -> Allowance:
    """
    Ask for an action on a service, and count it if it is allowed: one transaction, so that many may ask at once.

    Every question that is answered with yes counts. `spend`: it is taken now; what the run was granted before and has
    not taken is taken instead of a new one.
    """
    since = to_micros(now - limit.window)
    with db.transaction():
        rows = db.rows("ops_actions_counted", service=service, action=limit.action, since=since)
        granted = (
            db.row("ops_action_granted", service=service, action=limit.action, run_id=run_id, since=since)
            if spend
            else None
        )
        if granted is not None:
            db.run("ops_action_spend", num=granted["num"], at=to_micros(now))
            return _allowance(limit, service, len(rows), allowed=True)
        allowed = len(rows) < limit.most
        _put_action(db, limit.action, service, now, allowed=allowed, run_id=run_id, spend=spend and allowed)
    if allowed:
        return _allowance(limit, service, len(rows) + 1, allowed=True)
    oldest = from_micros(rows[-limit.most]["at"]) if limit.most else None
    return _allowance(
        limit, service, len(rows), allowed=False, next_at=oldest + limit.window if oldest else None
    )


def look_up_allowance(db: Db, limit: CooldownLimit, service: str, now: datetime) -> Allowance:
    """Whether an action would be allowed; nothing is counted."""
    since = to_micros(now - limit.window)
    rows = db.rows("ops_actions_counted", service=service, action=limit.action, since=since)
    allowed = len(rows) < limit.most
    next_at = from_micros(rows[-limit.most]["at"]) + limit.window if not allowed and limit.most else None
    return _allowance(limit, service, len(rows), allowed=allowed, next_at=next_at)


def put_outcome(
    db: Db,
    action: str,
    service: str,
    *,
    run_id: str,
    now: datetime,
    succeeded: bool,
    message: str,
    position: int,
    place: int,
) -> bool:
    """Keep how an action ended; one that nobody had asked for counts from now on. False when it was read before."""
    with db.transaction():
        if db.row("ops_action_read", run_id=run_id, position=position, place=place):
            return False
        row = db.row("ops_action_untold", service=service, action=action, run_id=run_id)
        if row is None:
            _put_action(
                db,
                action,
                service,
                now,
                allowed=True,
                run_id=run_id,
                spend=True,
                succeeded=int(succeeded),
                message=message,
                position=position,
                place=place,
            )
        else:
            db.run(
                "ops_action_outcome",
                num=row["num"],
                at=to_micros(now),
                succeeded=int(succeeded),
                message=message,
                position=position,
                place=place,
            )
    return True


def reset_actions(db: Db, service: str, action: str, now: datetime) -> int:
    """Let the actions on a service count no longer; how many did."""
    return db.run("ops_actions_reset", service=service, action=action, at=to_micros(now))


def list_actions(db: Db, *, service: str = "", limit: int = 50) -> list[OpsAction]:
    """The newest actions, newest first."""
    return [_action(row) for row in db.rows("ops_actions", service=service, limit=limit)]


# -- health ----------------------------------------------------------------------------------------------


def put_check(db: Db, check: HealthCheck) -> ServiceHealth | None:
    """Keep a look at a service; how it is now, or None when this look was read before."""
    at = to_micros(check.at)
    with db.transaction():
        changed = db.run(
            "ops_check_put",
            service=check.service,
            healthy=int(check.healthy),
            at=at,
            message=check.message,
            run_id=check.run_id,
            position=check.position,
            place=check.place,
        )
        if not changed:
            return None
        before = db.row("ops_health_get", service=check.service)
        goes_on = before is not None and bool(before["healthy"]) == check.healthy
        row = {
            "service": check.service,
            "healthy": int(check.healthy),
            "streak": before["streak"] + 1 if before is not None and goes_on else 1,
            "since": before["since"] if before is not None and goes_on else at,
            "checked_at": at,
            "message": check.message,
            "run_id": check.run_id,
        }
        db.run("ops_health_put", **row)
    return _health(row)


def list_health(db: Db) -> list[ServiceHealth]:
    """How all services are, those in trouble first."""
    return [_health(row) for row in db.rows("ops_health_all")]


# -- schedule --------------------------------------------------------------------------------------------


def get_due(db: Db, job: str) -> tuple[str, datetime | None, Mapping[str, str]]:
    """The plan a job was last scheduled by, when it is due, and what its triggers saw; empty when it is new."""
    row = db.row("ops_due_get", job=job)
    return (row["plan"], _moment(row["due_at"]), json.loads(row["seen"])) if row else ("", None, {})


def put_due(db: Db, job: str, plan: str, due_at: datetime | None, seen: Mapping[str, str]) -> None:
    """Keep when a job is due, and what its triggers saw."""
    db.run("ops_due_put", job=job, plan=plan, due_at=_micros(due_at), seen=json.dumps(dict(seen)))


def drop_old(
    db: Db, *, runs: datetime, events: datetime, checks: datetime, limit: int = 200
) -> Sequence[str]:
    """Let go of what is older than it is kept; the runs that are gone now."""
    with db.transaction():
        rows = db.rows("ops_runs_old", before=to_micros(runs), limit=limit)
        db.run("ops_runs_drop", before=to_micros(runs))
        db.run("ops_events_drop", before=to_micros(events))
        db.run("ops_actions_drop", before=to_micros(events))
        db.run("ops_checks_drop", before=to_micros(checks))
    return [row["id"] for row in rows]


# -- rows and values -------------------------------------------------------------------------------------


def _put_action(
    db: Db,
    action: str,
    service: str,
    now: datetime,
    *,
    allowed: bool,
    run_id: str | None,
    spend: bool,
    succeeded: int | None = None,
    message: str = "",
    position: int | None = None,
    place: int | None = None,
) -> None:
    at = to_micros(now)
    db.run(
        "ops_action_put",
        action=action,
        service=service,
        at=at,
        allowed=int(allowed),
        run_id=run_id,
        spent_at=at if spend else None,
        succeeded=succeeded,
        message=message,
        position=position,
        place=place,
    )


def _allowance(
    limit: CooldownLimit, service: str, used: int, *, allowed: bool, next_at: datetime | None = None
) -> Allowance:
    return Allowance(
        allowed=allowed,
        action=limit.action,
        service=service,
        used=used,
        most=limit.most,
        window=limit.window,
        next_at=next_at,
    )


def _run(row: Row) -> OpsRun:
    values = row | {
        "state": OpsRunState(row["state"]),
        "started_at": from_micros(row["started_at"]),
        "ended_at": _moment(row["ended_at"]),
    }
    return OpsRun(**_with_flags(values, ("dry_run", "structured")))


def _event(row: Row) -> OpsEvent:
    return OpsEvent(**(row | {"at": from_micros(row["at"]), "type": OpsEventType(row["type"])}))


def _action(row: Row) -> OpsAction:
    values = row | {
        "at": from_micros(row["at"]),
        "spent_at": _moment(row["spent_at"]),
        "reset_at": _moment(row["reset_at"]),
        "succeeded": None if row["succeeded"] is None else bool(row["succeeded"]),
    }
    return OpsAction(**_with_flags(values, ("allowed",)))


def _health(row: Row) -> ServiceHealth:
    values = row | {"since": from_micros(row["since"]), "checked_at": from_micros(row["checked_at"])}
    return ServiceHealth(**_with_flags(values, ("healthy",)))


def _with_flags(row: Row, names: Iterable[str]) -> Row:
    return row | {name: bool(row[name]) for name in names}


def _micros(at: datetime | None) -> int | None:
    return to_micros(at) if at else None


def _moment(micros: int | None) -> datetime | None:
    return from_micros(micros) if micros is not None else None
