"""Commands for an operator on what runs learned: `ops memories` with `add`, `edit`, `reactivate`, `delete`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from recollect.api import Recollect
from recollect.model.ids import SHORT_LENGTH
from recollect.model.json_form import memory_to_json
from recollect.model.memory import AlreadyKnown, Memory, MemoryState, Refused
from recollect.model.operations import OpsEvent, OpsEventType, OpsRun
from recollect.model.subject import Subject
from recollect.ops.injection import SERVICE, format_confidence, service_of
from recollect.ops.markers import GENERAL, EventLevel
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.ops_open import file_option, open_for_operator, read_jobs
from recollect.surfaces.cli.options import ask_to_agree, common

_SHOWN = (MemoryState.ACTIVE,)
_ALL = (MemoryState.ACTIVE, MemoryState.QUARANTINED, MemoryState.INACTIVE)


@click.group("memories", cls=HelpGroup, invoke_without_command=True)
@click.option("--service", default="", help="Only about this service; general for those about none.")
@click.option("--category", default="", help="Only of this category.")
@click.option("--all", "every", is_flag=True, help="Also those that are inactive or wait for review.")
@file_option
@common
@click.pass_context
def memories_(
    context: click.Context, service: str, category: str, every: bool, jobs_file: Path | None
) -> None:
    """Show what runs learned, surest first, with the tier and the run each comes from.

    \b
    recollect ops memories --service jellyfin
    recollect ops memories add "Start it after WireGuard" --category dependency --service caddy
    """
    if context.invoked_subcommand is not None:
        return
    with open_for_operator(read_jobs(jobs_file)) as memory:
        memories = [
            one
            for one in memory.operations.list_memories(_ALL if every else _SHOWN)
            if service in ("", service_of(one)) and category in ("", one.kind)
        ]
        runs = memory.operations.list_runs(limit=10_000)
    memories.sort(key=lambda one: (-one.confidence, one.id))
    if output.is_json():
        output.print_json({"memories": [{**memory_to_json(one), **_origin(one, runs)} for one in memories]})
        return
    for one in memories:
        origin = _origin(one, runs)
        by = (
            f"tier {origin['tier']}, run {str(origin['run'])[:SHORT_LENGTH]}"
            if origin["run"]
            else one.provenance.channel
        )
        state = "" if one.state is MemoryState.ACTIVE else f" ({one.state})"
        sure = format_confidence(one.confidence)
        output.print_line(
            f"{one.id[:SHORT_LENGTH]}  {sure:<4} [{one.kind}:{service_of(one)}] {one.text}{state}"
        )
        output.print_line(f"               {output.dim(str(by))}")
    if not memories:
        output.print_line("Nothing is remembered yet.")


@memories_.command("add")
@click.argument("text")
@click.option("--category", required=True, help="timing, dependency, behavior, remediation, maintenance …")
@click.option("--service", default="", help="The service it is about; none when it holds for all.")
@click.option("--confidence", type=click.FloatRange(0, 1), default=None, help="How sure you are.")
@click.option("--pinned", is_flag=True, help="It does not age.")
@file_option
@common
def add_(
    text: str, category: str, service: str, confidence: float | None, pinned: bool, jobs_file: Path | None
) -> None:
    """Add a memory by hand.

    \b
    recollect ops memories add "Needs VACUUM FULL weekly" --category maintenance --service postgres
    """
    about = [Subject(SERVICE, service)] if service and service != GENERAL else []
    with open_for_operator(read_jobs(jobs_file)) as memory:
        intake = memory.remember(
            text, kind=category, about=about, confidence=confidence, pinned=pinned, why="operator"
        )
        if isinstance(intake, Refused):
            output.print_note(f"Refused: {intake.reason}.")
            click.get_current_context().exit(1)
        known = isinstance(intake, AlreadyKnown)
        _done(memory, intake.memory, "knew already" if known else "added")


@memories_.command("edit")
@click.argument("memory_id", metavar="ID")
@click.argument("text", required=False)
@click.option("--category", default=None, help="Another category.")
@click.option("--service", default=None, help="Another service; general for none.")
@click.option("--confidence", type=click.FloatRange(0, 1), default=None, help="How sure it is.")
@file_option
@common
def edit_(
    memory_id: str,
    text: str | None,
    category: str | None,
    service: str | None,
    confidence: float | None,
    jobs_file: Path | None,
) -> None:
    """Change the words, category, service or confidence of a memory.

    \b
    recollect ops memories edit 01M7JG8P66WWW "Takes 90s to start" --confidence 0.9
    """
    changes: dict[str, Any] = {}
    if text is not None:
        changes["text"] = text
    if category is not None:
        changes["kind"] = category
    if service is not None:
        changes["about"] = [] if service in ("", GENERAL) else [Subject(SERVICE, service)]
    if confidence is not None:
        changes["confidence"] = confidence
    if not changes:
        raise click.UsageError("Say what is to change.")
    with open_for_operator(read_jobs(jobs_file)) as memory:
        _done(memory, memory.edit(memory_id, why="operator", **changes), "edited")


@memories_.command("reactivate")
@click.argument("memory_id", metavar="ID")
@file_option
@common
def reactivate_(memory_id: str, jobs_file: Path | None) -> None:
    """Bring an inactive memory back, at 0.3 at least; one that waits for review is confirmed by it.

    \b
    recollect ops memories reactivate 01M7JG8P66WWW
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        one = memory.show(memory_id)
        if one.state is MemoryState.QUARANTINED:
            memory.reviews.confirm(one.id)
        else:
            memory.upkeep.revive(one.id)
        _done(memory, memory.show(one.id), "reactivated")


@memories_.command("delete")
@click.argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@file_option
@common
def delete_(memory_ids: tuple[str, ...], yes: bool, jobs_file: Path | None) -> None:
    """Remove memories for good. `recollect forget` takes them out of use instead.

    \b
    recollect ops memories delete 01M7JG8P66WWW --yes
    """
    with open_for_operator(read_jobs(jobs_file)) as memory:
        whole = [memory.show(memory_id) for memory_id in memory_ids]
        ask_to_agree(f"Remove {output.count_phrase(len(whole), 'memory')} for good?", yes)
        memory.purge(*(one.id for one in whole))
        for one in whole:
            service = "" if service_of(one) == GENERAL else service_of(one)
            tell(memory, "memory", f"Operator deleted a memory: [{one.kind}]", service=service)
    if output.is_json():
        output.print_json({"deleted": [one.id for one in whole]})
    else:
        output.print_line(f"Removed {output.count_phrase(len(whole), 'memory')}.")


def tell(
    memory: Recollect, type_: str, message: str, *, service: str = "", memory_id: str | None = None
) -> None:
    """Let an act of the operator show among the events."""
    memory.operations.put_event(
        OpsEvent(
            at=memory.operations.now(),
            type=OpsEventType(type_),
            level=EventLevel.INFO,
            message=message,
            service=service,
            memory_id=memory_id,
        )
    )


def _done(memory: Recollect, one: Memory, verb: str) -> None:
    service = service_of(one)
    who = "Operator" if memory.operations.by_person else "An agent"
    message = f"{who} {verb}: [{one.kind}:{service}] {one.text}"
    tell(memory, "memory", message, service="" if service == GENERAL else service, memory_id=one.id)
    if output.is_json():
        output.print_json({"memory": memory_to_json(one)})
    else:
        output.print_line(f"{verb.capitalize()}: {one.id[:SHORT_LENGTH]} {one.text}")


def _origin(one: Memory, runs: Sequence[OpsRun]) -> dict[str, Any]:
    """The run that a memory comes from: of the runs of its chain, the last that had begun. `runs` are newest first."""
    of_chain = (run for run in runs if run.chain_id == one.provenance.session_id)
    run = next((run for run in of_chain if run.started_at <= one.created_at), None)
    return {"run": run.id if run else None, "tier": run.tier if run else None}


COMMANDS = (memories_,)
