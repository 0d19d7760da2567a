"""Commands about hooks: `why`, `pause`, `unpause`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import click

from recollect.errors import BadInput
from recollect.events.places import paths_of_folder
from recollect.hooks.paused import pause, unpause
from recollect.model.ids import SHORT_LENGTH
from recollect.model.injection import InjectedMemory
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import (
    common,
    find_past_session,
    find_session,
    open_memory,
    project_folder,
    read_settings,
)
from recollect.surfaces.cli.output import describe_savings
from recollect.surfaces.json_answers import injections_to_json


@click.command("why")
@click.option(
    "--session", metavar="ID", help="The session; by default the one this runs in, or the last one."
)
@common
def why_(session: str | None) -> None:
    """Show what an agent was told unasked in a session: when, why, what it cost, and whether it was used.

    \b
    recollect why
    recollect why --session 43bbfe1c-c079-4867-b3b5-e76b8cf5ec6b --json
    """
    with open_memory() as memory:
        memory.observer.drain()
        session_id = find_past_session(memory, session) if session else find_session(memory, None)
        injected = memory.injections.of_session(session_id)
        savings = memory.injections.saved(session_id)
    if output.is_json():
        output.print_json(injections_to_json(session_id, injected, savings))
    else:
        _show(session_id, injected)
        if injected:
            output.print_line(describe_savings(savings))


@click.command("pause")
@common
def pause_() -> None:
    """Keep hooks still in this repository and all its worktrees: they record nothing and say nothing.

    \b
    recollect pause
    """
    fresh = pause(_db(), _top())
    _paused(fresh, paused=True, message="Paused here." if fresh else "It was paused here already.")


@click.command("unpause")
@common
def unpause_() -> None:
    """Let hooks record and speak again in this repository.

    \b
    recollect unpause
    """
    fresh = unpause(_db(), _top())
    _paused(fresh, paused=False, message="Hooks work here again." if fresh else "It was not paused here.")


def _paused(changed: bool, *, paused: bool, message: str) -> None:
    if output.is_json():
        output.print_json({"paused": paused, "changed": changed, "folder": _top()})
    else:
        output.print_line(message)


def _db() -> str:
    db = read_settings().db
    if db == ":memory:" or "://" in db:
        raise BadInput(reason=f"hooks write beside a database that is a file, and {db} is none")
    return db


def _top() -> str:
    return paths_of_folder(str(project_folder())).root


def _show(session_id: str, injected: Sequence[InjectedMemory]) -> None:
    if not injected:
        output.print_line(f"Nothing was told in session {session_id}.")
        return
    for (moment, at), group in groupby(injected, key=lambda one: (one.injection.moment, one.injection.at)):
        output.print_line(output.dim(f"{at:%Y-%m-%d %H:%M:%S}  {moment}"))
        for one in group:
            output.print_line(f"  {_name(one):{SHORT_LENGTH}}  {one.kind or 'gone'}: {one.text}")
            output.print_line(output.dim(f"  {' ' * 13}  {_because(one)}"))
    output.print_line(
        f"{len(injected)} told, {_tokens(injected)} tokens, {sum(bool(o.injection.used) for o in injected)} used."
    )


def _name(one: InjectedMemory) -> str:
    """By which it can be shown; a file that was named has none."""
    return "" if one.kind == "file" else one.injection.memory_id[:SHORT_LENGTH]


def _because(one: InjectedMemory) -> str:
    line = one.injection
    parts = [
        line.why,
        f"score {line.score:.2f}, bar {line.bar:.2f}",
        f"{line.tokens} tokens",
        str(line.used) or "not seen in use",
        "lost in a compaction" if line.lost_at else "",
        f"to subagent {line.agent}" if line.agent else "",
    ]
    return "; ".join(filter(None, parts))


def _tokens(injected: Sequence[InjectedMemory]) -> int:
    return sum(one.injection.tokens for one in injected)
