"""Commands about hooks: `why`, `pause`, `unpause`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby

import click

from recollect.errors import BadInput
from recollect.events.places import paths_of_folder
from recollect.hooks.paused import is_paused, pause, unpause
from recollect.model.ids import SHORT_LENGTH
from recollect.model.injection import InjectedMemory
from recollect.model.silence import SilenceReport
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import (
    common,
    find_past_session,
    find_session,
    open_memory,
    project_folder,
    read_settings,
    refuse_options,
)
from recollect.surfaces.cli.output import describe_savings
from recollect.surfaces.json_answers import injections_to_json, silence_to_json

_MAX_TEXT = 100


@click.command("why")
@click.argument("memory_id", metavar="[MEMORY]", required=False)
@click.option(
    "--session", metavar="ID", help="The session; by default the one this runs in, or the last one."
)
@click.option("--not", "explain_silence", is_flag=True, help="Why nothing, or not this MEMORY, is told.")
@click.option("--prompt", metavar="TEXT", default="", help="With --not: at a session that begins with this.")
@click.option("--file", metavar="PATH", default="", help="With --not: when this file is opened.")
@common
def why_(memory_id: str | None, session: str | None, explain_silence: bool, prompt: str, file: str) -> None:
    """Show what an agent was told unasked in a session: when, why, what it cost, and whether it was used.

    With --not the other way round: what is not told at a prompt, at a file or in the last session, and why not.

    \b
    recollect why
    recollect why --not --prompt "fix the login" --json
    recollect why --not 01KA3 --file src/auth.py
    """
    if explain_silence:
        _explain_silence(memory_id, session, prompt, file)
        return
    refuse_options(("prompt", "file"), "say --not too")
    if memory_id:
        raise click.UsageError("A memory goes with --not; `recollect show` tells about one.")
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


def _explain_silence(memory_id: str | None, session: str | None, prompt: str, file: str) -> None:
    if prompt and file:
        raise click.UsageError("--prompt and --file are two moments: name one.")
    with open_memory() as memory:
        memory.observer.drain()
        if session:
            session = find_past_session(memory, session)
        elif not prompt and not file:
            session = find_session(memory, None)
        report = memory.injections.why_not(
            memory_id, prompt=prompt, file=_to_project_path(file), session=session or ""
        )
    db = read_settings().db
    paused = "://" not in db and db != ":memory:" and is_paused(db, _top())
    if output.is_json():
        output.print_json(silence_to_json(report) | {"paused": paused})
        return
    if paused:
        output.print_line("Hooks are paused here, so nothing is told at all: recollect unpause")
    _print_silence(report)


def _to_project_path(file: str) -> str:
    """A path as memories name it: from the top of the project, with slashes."""
    if not file:
        return ""
    path = os.path.relpath(os.path.join(project_folder(), file), _top())  # noqa: PTH118
    return path.replace(os.sep, "/")


def _print_silence(report: SilenceReport) -> None:
    if report.moment == "prompt" and not report.place:
        output.print_line(
            "Nothing was asked in this session, so nothing was answered. Name a --prompt or a --file."
        )
        return
    output.print_line(report.sentence)
    for one in report.silent:
        text = output.escape_controls(" ".join(one.memory.text.split()))[:_MAX_TEXT]
        output.print_line(f"  {one.memory.id[:SHORT_LENGTH]}  {one.memory.kind}: {text}")
        output.print_line(f"  {' ' * SHORT_LENGTH}  {one.reason.why}")
        if one.reason.remedy:
            output.print_line(output.dim(f"  {' ' * SHORT_LENGTH}  {one.reason.remedy}"))


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
