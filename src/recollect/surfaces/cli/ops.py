"""Commands for scheduled agents: `ops init`, `run`, `start`, `stop`, `install`, `allow`, `reset`, `hook`."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import click

from recollect.errors import BadInput, NotFound, OnlyAPerson
from recollect.model.operations import OpsEvent
from recollect.model.value import asdict
from recollect.ops import guard
from recollect.ops.chain import close_orphans, run_chain
from recollect.ops.environment import find_run_in_environment
from recollect.ops.install import example_file, make_cron_lines, make_unit
from recollect.ops.jobs import FILE_NAME
from recollect.ops.runner import Runner
from recollect.ops.scheduler import Scheduler, run_command
from recollect.ops.webhook import WebhookServer, read_token
from recollect.ops.workspace import RunWorkspace
from recollect.surfaces.cli import ops_memory, ops_show, output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.ops_open import (
    file_option,
    open_for_operator,
    open_for_run,
    read_jobs,
)
from recollect.surfaces.cli.options import common, project_folder


@click.group("ops", cls=HelpGroup)
def ops_() -> None:
    """Run agents on a schedule that remember what earlier runs learned.

    \b
    recollect ops init
    recollect ops run health
    recollect ops start
    recollect ops events --follow
    """


@ops_.command("init")
@common
def init_() -> None:
    """Write a jobs file to begin with into this folder.

    \b
    recollect ops init
    """
    path = project_folder() / FILE_NAME
    if path.exists():
        raise BadInput(reason=f"{path} is there already")
    path.write_text(example_file(), "utf-8")
    if output.is_json():
        output.print_json({"file": str(path)})
    else:
        output.print_line(f"Wrote {path}. Try `recollect ops run health --dry-run`.")


@ops_.command("run")
@click.argument("name", metavar="JOB")
@click.option("--tier", type=click.IntRange(1, 9), default=1, help="Begin at this tier.")
@click.option(
    "--prompt", metavar="TEXT", default="", help="Ask this instead of the job's own prompt; - reads it."
)
@click.option("--dry-run", is_flag=True, help="Look and report only, and stop before the second tier.")
@click.option("--if-due", is_flag=True, help="Do nothing unless the job's interval has passed.")
@click.option("--trigger", default="manual", metavar="WORD", help="What started it, for the record.")
@file_option
@common
def run_(
    name: str, tier: int, prompt: str, dry_run: bool, if_due: bool, trigger: str, jobs_file: Path | None
) -> None:
    """Run a job now: its first tier, and those it hands over to.

    \b
    recollect ops run health
    recollect ops run health --tier 2 --prompt "Why is caddy slow?"
    """
    file = read_jobs(jobs_file)
    job = file.get(name)
    # Whoever ends us politely gives us the time to end the agent.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open_for_run(file) as memory:
        if if_due and job.schedule is not None and job.schedule.every is not None:
            due = job.schedule.find_next(memory.operations.find_last_end(name), memory.operations.now())
            if due > memory.operations.now():
                return
        runner = Runner(memory, file, on_event=_show_event)
        task = sys.stdin.read() if prompt == "-" else prompt
        report = run_chain(runner, job, trigger=trigger, tier=tier, prompt=task, dry_run=dry_run)
    if output.is_json():
        output.print_json({"runs": [asdict(run) for run in report.runs], "skipped": report.skipped})
    elif report.skipped:
        output.print_note(f"Skipped: {report.skipped}.")
    else:
        ops_show.print_runs(report.runs)
    click.get_current_context().exit(0 if report.succeeded or report.skipped else 1)


@ops_.command("start")
@file_option
@common
def start_(jobs_file: Path | None) -> None:
    """Run the scheduler in the foreground, until it is interrupted.

    \b
    recollect ops start
    """
    file = read_jobs(jobs_file)
    if not file.jobs:
        raise NotFound(f"There are no jobs at {file.path}. `recollect ops init` writes a file with one.")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open_for_run(file) as memory:
        for run in close_orphans(Runner(memory, file)):
            output.print_note(f"{run.job}: run {run.id} was interrupted")
        server = None
        if any(job.webhook for job in file.jobs.values()):
            token, place = read_token(file, RunWorkspace(memory.settings.db).path)
            server = WebhookServer(file, token)
            server.start()
            output.print_note(
                f"Webhook: POST http://127.0.0.1:{server.port}/run/JOB, the token is in {place}"
            )
        scheduler = Scheduler(
            memory.operations,
            file,
            run_command(file.path, memory.settings.db),
            requests=server.fetch if server else lambda: (),
            on_note=output.print_note,
        )
        output.print_note(f"Scheduling {', '.join(file.jobs)} from {file.path}")
        try:
            scheduler.run()
        finally:
            if server is not None:
                server.stop()


@ops_.command("stop")
@click.argument("run_id", metavar="RUN")
@file_option
@common
def stop_(run_id: str, jobs_file: Path | None) -> None:
    """End a run that goes on, with everything it started.

    \b
    recollect ops stop 01M7JG8P66WWW
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        run = memory.operations.get_run(run_id)
        is_open = memory.operations.want_stop(run.id)
    if output.is_json():
        output.print_json({"run": run.id, "asked": is_open})
    else:
        output.print_line(f"{run.id} is asked to end." if is_open else f"{run.id} has ended already.")


@ops_.command("install")
@click.option("--cron", is_flag=True, help="Lines for a crontab instead of a systemd unit.")
@file_option
@common
def install_(cron: bool, jobs_file: Path | None) -> None:
    """Print a systemd unit for the scheduler, or cron lines for its jobs; nothing is installed.

    \b
    recollect ops install > ~/.config/systemd/user/recollect-ops.service
    recollect ops install --cron
    """
    file = read_jobs(jobs_file)
    with open_for_operator(file) as memory:
        db = str(Path(memory.settings.db).absolute())
    text = "\n".join(make_cron_lines(file, db)) if cron else make_unit(file, db)
    if output.is_json():
        output.print_json({"text": text})
    else:
        output.print_line(text.rstrip())


@ops_.command("allow")
@click.argument("action")
@click.argument("service")
@click.option("--look", is_flag=True, help="Only tell; count nothing.")
@file_option
@common
def allow_(action: str, service: str, look: bool, jobs_file: Path | None) -> None:
    """Ask whether an action on a service is within its limit, and count it if it is. Exit code 1 means no.

    \b
    recollect ops allow restart jellyfin
    """
    file = read_jobs(jobs_file)
    limit = file.limit_of(action)
    with open_for_operator(file) as memory:
        if look:
            answer = memory.operations.look_up_allowance(limit, service)
        else:
            answer = memory.operations.try_action(limit, service, run_id=find_run_in_environment())
    if output.is_json():
        output.print_json({**asdict(answer), "window": answer.window.total_seconds()})
    else:
        output.print_line(answer.to_sentence())
    click.get_current_context().exit(0 if answer.allowed else 1)


@ops_.command("reset")
@click.argument("service")
@click.argument("action", default="")
@file_option
@common
def reset_(service: str, action: str, jobs_file: Path | None) -> None:
    """Let the actions on a service count no longer; only a person may.

    \b
    recollect ops reset jellyfin
    recollect ops reset jellyfin restart
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        if not memory.operations.by_person:
            raise OnlyAPerson(what="reset a cooldown")
        count = memory.operations.reset_actions(service, action)
        ops_memory.tell(memory, "cooldown", f"Operator reset {count} actions of {service}", service=service)
    if output.is_json():
        output.print_json({"service": service, "reset": count})
    else:
        output.print_line(f"{output.count_phrase(count, 'action')} of {service} count no longer.")


@ops_.command("hook", hidden=True)
@click.option("--run", "run_id", default=None)
@file_option
@common
def hook_(run_id: str | None, jobs_file: Path | None) -> None:
    """Answer a client's hook before a tool is used. Whatever goes wrong, the tool is not used.

    \b
    recollect ops hook --run 01M7JG8P66WWW < payload.json
    """
    context = click.get_current_context()
    try:
        payload = json.load(sys.stdin)
        file = read_jobs(jobs_file)
        run = run_id or find_run_in_environment()
        verdict = guard.judge_call(lambda: open_for_run(file), file, payload, run)
    except Exception as error:  # noqa: BLE001 - it must fail closed, whatever it is
        output.print_note(
            f"recollect cannot tell whether this is within its cooldown ({error}); it is refused."
        )
        context.exit(guard.REFUSED)
    if not verdict.allowed:
        output.print_line(verdict.to_hook_output())


def _show_event(event: OpsEvent) -> None:
    if not output.is_json():
        output.print_note(ops_show.event_line(event))


for _command in (*ops_show.COMMANDS, *ops_memory.COMMANDS):
    ops_.add_command(_command)
