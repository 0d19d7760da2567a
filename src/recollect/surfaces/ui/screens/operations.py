"""Scheduled agents: runs with their logs, the events as they come, the health of services, and cooldowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api import Recollect
from recollect.errors import BadInput, OnlyAPerson
from recollect.events.redact import redact
from recollect.model.operations import OpsEventType, OpsRunState
from recollect.ops.jobs_file import load_jobs_of_folder
from recollect.ops.workspace import RunWorkspace
from recollect.surfaces.json_answers import (
    cooldowns_to_json,
    ops_events_to_json,
    runs_to_json,
    services_to_json,
)
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

_MAX_RUNS = 60
_MAX_EVENTS = 120
_MAX_LOG = 200_000


class OperationsScreen:
    """Runs, events, services and cooldowns."""

    def __init__(self, memories: OpenMemories) -> None:
        self._memories = memories

    def pages(self) -> Sequence[Page]:
        """One page each."""
        return (
            Page(
                path="/runs",
                name="runs",
                template="runs.html",
                part="runs_part.html",
                show=show_runs,
                summary="The newest runs: how they ended and what they cost",
                parameters=("job", "state", "limit"),
            ),
            Page(
                path="/runs/{id}",
                name="runs",
                template="run.html",
                part="run_part.html",
                show=show_run,
                summary="One run with what it said",
            ),
            Page(
                path="/events",
                name="events",
                template="events.html",
                part="events_part.html",
                show=show_events,
                summary="What happened in operations, oldest first",
                parameters=("service", "type", "job", "after", "limit"),
            ),
            Page(
                path="/services",
                name="services",
                template="services.html",
                part="services_part.html",
                show=show_services,
                summary="How services are by the checks of runs",
            ),
            Page(
                path="/cooldowns",
                name="cooldowns",
                template="cooldowns.html",
                part="cooldowns_part.html",
                show=self.show_cooldowns,
                summary="Which actions were allowed, taken and denied, and what each service has left",
                parameters=("service", "limit"),
            ),
        )

    def actions(self) -> Sequence[Action]:
        """Stopping a run, resetting a cooldown."""
        text = {"type": "string"}
        return (
            Action(method="POST", path="/runs/{id}/stop", act=stop_run, summary="Ask a run to end"),
            Action(
                method="POST",
                path="/cooldowns/reset",
                act=reset_cooldown,
                summary="Let the actions on a service count no longer; only a person may",
                body={"service": text, "action": text},
                required=("service",),
            ),
        )

    def show_cooldowns(self, memory: Recollect, call: WebCall) -> Screen:
        """What each service has left, and every action."""
        file = load_jobs_of_folder(self._memories.folder or Path())
        limit = call.number("limit", _MAX_EVENTS, low=1, high=1000)
        actions = memory.operations.list_actions(service=call.text("service"), limit=limit)
        pairs = dict.fromkeys((action.action, action.service) for action in actions)
        left = [memory.operations.look_up_allowance(file.limit_of(name), service) for name, service in pairs]
        values = {"left": left, "actions": actions, "part_address": "/cooldowns"}
        return Screen(values=values, answer=lambda: cooldowns_to_json(left, actions))


def show_runs(memory: Recollect, call: WebCall) -> Screen:
    """The newest runs."""
    state = call.text("state")
    if state and state not in set(OpsRunState):
        raise BadInput(reason=f"state is one of {', '.join(OpsRunState)}, not {state[:40]!r}")
    limit = call.number("limit", _MAX_RUNS, low=1, high=1000)
    runs = memory.operations.list_runs(job=call.text("job"), state=state, limit=limit)
    values = {
        "runs": runs,
        "states": list(OpsRunState),
        "state": state,
        "job": call.text("job"),
        "part_address": f"/runs?{call.query}" if call.query else "/runs",
        "cost": sum(run.cost_usd or 0 for run in runs),
    }
    return Screen(values=values, answer=lambda: runs_to_json(runs))


def show_run(memory: Recollect, call: WebCall) -> Screen:
    """One run with its log, also while it goes on."""
    run = memory.operations.get_run(call.path["id"])
    folder = RunWorkspace(memory.settings.db).folder_of(run.id)
    path = folder.output if folder.output.exists() else folder.log
    text = redact(folder.read(path, _MAX_LOG)).text if path.exists() else ""
    events = memory.operations.list_events(run_id=run.id, limit=_MAX_EVENTS)
    values = {
        "run": run,
        "log": text,
        "events": events,
        "chain": memory.operations.list_chain(run.chain_id),
        "part_address": f"/runs/{run.id}",
    }

    def answer() -> Mapping[str, Any]:
        return {**runs_to_json([run]), "run": run.id, "lines": text.splitlines()}

    return Screen(values=values, answer=answer)


def show_events(memory: Recollect, call: WebCall) -> Screen:
    """What happened, the newest last, as a log."""
    kind = call.text("type")
    if kind and kind not in set(OpsEventType):
        raise BadInput(reason=f"type is one of {', '.join(OpsEventType)}, not {kind[:40]!r}")
    events = memory.operations.list_events(
        after=call.number("after", 0, high=2**53),
        service=call.text("service"),
        type_=kind,
        job=call.text("job"),
        limit=call.number("limit", _MAX_EVENTS, low=1, high=1000),
    )
    values = {
        "events": events,
        "types": list(OpsEventType),
        "type": kind,
        "service": call.text("service"),
        "part_address": f"/events?{call.query}" if call.query else "/events",
    }
    return Screen(values=values, answer=lambda: ops_events_to_json(events))


def show_services(memory: Recollect, call: WebCall) -> Screen:
    """How services are."""
    services = memory.operations.list_health()
    return Screen(
        values={"services": services, "part_address": "/services"},
        answer=lambda: services_to_json(services),
    )


def stop_run(memory: Recollect, call: WebCall) -> Outcome:
    """Ask a run to end."""
    run = memory.operations.get_run(call.path["id"])
    if not memory.operations.by_person:
        raise OnlyAPerson(what="stop a run from the dashboard")
    stopped = memory.operations.want_stop(run.id)
    sentence = (
        call.gettext("The run was asked to end.") if stopped else call.gettext("The run has ended already.")
    )
    return Outcome(answer={"run": run.id, "stopping": stopped}, sentence=sentence)


def reset_cooldown(memory: Recollect, call: WebCall) -> Outcome:
    """Let the actions on a service count no longer."""
    if not memory.operations.by_person:
        raise OnlyAPerson(what="reset a cooldown")
    service = call.text("service").strip()
    if not service:
        raise BadInput(reason="name the service")
    count = memory.operations.reset_actions(service, call.text("action"))
    return Outcome(
        answer={"service": service, "reset": count}, sentence=call.gettext("The cooldown is reset.")
    )
