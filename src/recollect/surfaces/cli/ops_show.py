"""Commands that show operations: `ops runs`, `log`, `events`, `cooldowns`, `health`."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import click

from recollect.api import Recollect
from recollect.errors import NotFound
from recollect.events.redact import redact
from recollect.model.ids import SHORT_LENGTH
from recollect.model.operations import OpsEvent, OpsEventType, OpsRun, OpsRunState
from recollect.model.value import asdict
from recollect.ops.workspace import RunWorkspace
from recollect.surfaces.cli import output
from recollect.surfaces.cli.ops_open import file_option, open_for_operator, read_jobs
from recollect.surfaces.cli.options import common, one_of
from recollect.surfaces.json_answers import (
    cooldowns_to_json,
    ops_events_to_json,
    runs_to_json,
    services_to_json,
)

POLL_SECONDS = 0.5
_CHUNK = 1024 * 1024
_MAX_JSON = 32 * 1024 * 1024


@click.command("runs")
@click.option("--job", default="", metavar="JOB", help="Only of this job.")
@click.option("--state", default=None, type=one_of(OpsRunState), help="Only in this state.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="At most so many.")
@file_option
@common
def runs_(job: str, state: str | None, limit: int, jobs_file: Path | None) -> None:
    """Show the newest runs: how they ended, what they cost, and who handed over to whom.

    \b
    recollect ops runs
    recollect ops runs --job health --state failed
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        runs = memory.operations.list_runs(job=job, state=state or "", limit=limit)
    if output.is_json():
        output.print_json(runs_to_json(runs))
    elif runs:
        print_runs(runs)
    else:
        output.print_line("No run yet.")


@click.command("log")
@click.argument("run_id", metavar="RUN")
@click.option("--follow", is_flag=True, help="Go on until the run has ended.")
@file_option
@common
def log_(run_id: str, follow: bool, jobs_file: Path | None) -> None:
    """Show what a run said, also while it goes on. Secrets are taken out.

    \b
    recollect ops log 01M7JG8P66WWW --follow
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        run = memory.operations.get_run(run_id)
        folder = RunWorkspace(memory.settings.db).folder_of(run.id)
        if output.is_json():
            path = folder.output if folder.output.exists() else folder.log
            output.print_json(
                {"run": run.id, "lines": redact(folder.read(path, _MAX_JSON)).text.splitlines()}
            )
        elif folder.output.exists():
            _follow_output(memory, run, folder.output, follow=follow)
        elif folder.log.exists():
            output.print_lines(folder.log.read_text("utf-8").splitlines())
        else:
            raise NotFound(f"Nothing is kept of what run {run.id} said.")


@click.command("events")
@click.option("--follow", is_flag=True, help="Go on, and show events as they come.")
@click.option("--service", default="", help="Only about this service.")
@click.option("--type", "type_", default=None, type=one_of(OpsEventType), help="Only of this type.")
@click.option("--job", default="", metavar="JOB", help="Only of this job.")
@click.option("--run", "run_id", default="", metavar="RUN", help="Only of this run.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, help="At most so many.")
@file_option
@common
def events_(
    follow: bool, service: str, type_: str | None, job: str, run_id: str, limit: int, jobs_file: Path | None
) -> None:
    """Show what happened: what agents told, memories born, reinforced, contradicted and retired, cooldowns, health.

    \b
    recollect ops events --follow
    recollect ops events --service caddy --type memory
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        whole = memory.operations.get_run(run_id).id if run_id else ""
        last = 0
        while True:
            events = memory.operations.list_events(
                after=last, service=service, type_=type_ or "", job=job, run_id=whole, limit=limit
            )
            _print_events(events, follow=follow)
            last = events[-1].num if events else last
            if not follow:
                return
            time.sleep(POLL_SECONDS)


@click.command("cooldowns")
@click.option("--service", default="", help="Only of this service.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, help="At most so many.")
@file_option
@common
def cooldowns_(service: str, limit: int, jobs_file: Path | None) -> None:
    """Show which actions were allowed, taken and denied, and what each service has left.

    \b
    recollect ops cooldowns
    """
    file = read_jobs(jobs_file)
    with open_for_operator(file) as memory:
        actions = memory.operations.list_actions(service=service, limit=limit)
        pairs = dict.fromkeys((action.action, action.service) for action in actions)
        allowances = [
            memory.operations.look_up_allowance(file.limit_of(name), about) for name, about in pairs
        ]
    if output.is_json():
        output.print_json(cooldowns_to_json(allowances, actions))
        return
    for one in allowances:
        output.print_line(one.to_sentence())
    for action in actions:
        outcome = {None: "", True: "succeeded", False: "failed"}[action.succeeded]
        words = ["allowed" if action.allowed else "denied", outcome, "reset" if action.reset_at else ""]
        state = ", ".join(filter(None, words))
        output.print_line(
            f"{_time(action.at)}  {action.action} {action.service}: {state}  {action.message}".rstrip()
        )
    if not actions:
        output.print_line("No action yet.")


@click.command("health")
@file_option
@common
def health_(jobs_file: Path | None) -> None:
    """Show how services are by the checks of runs, since when, and how many checks in a row said so.

    \b
    recollect ops health
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        services = memory.operations.list_health()
    if output.is_json():
        output.print_json(services_to_json(services))
        return
    for one in services:
        word = "healthy" if one.healthy else "NOT HEALTHY"
        output.print_line(
            f"{one.service:<20} {word:<12} {one.streak} in a row since {_time(one.since)}  {one.message}".rstrip()
        )
    if not services:
        output.print_line("No check yet.")


def print_runs(runs: Iterable[OpsRun]) -> None:
    """Runs as lines for people."""
    for run in runs:
        took = f"{(run.ended_at - run.started_at).total_seconds():.0f} s" if run.ended_at else ""
        cost = f"${run.cost_usd:.2f}" if run.cost_usd is not None else ""
        words = (
            _time(run.started_at),
            run.id[:SHORT_LENGTH],
            run.job,
            f"tier {run.tier}",
            run.state,
            took,
            cost,
        )
        output.print_line("  ".join(filter(None, words)))
        for text in (run.error, run.summary):
            if text:
                output.print_line(fit_line(f"    {text[:200]}", 4))
        if run.malformed or run.quoted:
            output.print_line(f"    {run.malformed} malformed and {run.quoted} quoted markers")


def event_line(event: OpsEvent) -> str:
    """An event as a line for people."""
    about = f" {event.service}" if event.service else ""
    return fit_line(f"{_time(event.at)}  {event.level:<8} {event.type}{about}: {event.message}", 21)


def fit_line(text: str, indent: int) -> str:
    """A line broken so that a terminal shows it in step; to a file or a pipe it goes as it is."""
    if not sys.stdout.isatty():
        return text
    width = max(60, shutil.get_terminal_size().columns)
    return textwrap.fill(
        text, width, subsequent_indent=" " * indent, drop_whitespace=True, break_on_hyphens=False
    )


def _print_events(events: Sequence[OpsEvent], *, follow: bool) -> None:
    if not output.is_json():
        output.print_lines(event_line(event) for event in events)
    elif follow:
        for event in events:
            output.print_json(asdict(event))
    else:
        output.print_json(ops_events_to_json(events))


def _follow_output(memory: Recollect, run: OpsRun, path: Path, *, follow: bool) -> None:
    with path.open("rb") as stream:
        while True:
            while chunk := stream.readline(_CHUNK):
                output.print_line(redact(chunk.decode("utf-8", "replace")).text.rstrip("\n"))
            if not follow or memory.operations.get_run(run.id).state is not OpsRunState.RUNNING:
                return
            time.sleep(POLL_SECONDS)


def _time(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S}"


COMMANDS = (runs_, log_, events_, cooldowns_, health_)
