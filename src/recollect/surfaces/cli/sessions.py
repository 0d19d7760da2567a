"""The commands `sessions` and `status`: what agents did here and what came of it; whether all is well."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from recollect import config
from recollect.api import Recollect
from recollect.clients.registry import find_client
from recollect.errors import StoreMissing
from recollect.events.places import paths_of_folder
from recollect.hooks import log as hook_log
from recollect.hooks.paused import is_paused
from recollect.model.event import EventType
from recollect.model.memory import Memory, MemoryState
from recollect.model.note import Note, NoteState
from recollect.model.session import Session, SessionSummary
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import (
    common,
    find_past_session,
    open_memory,
    project_folder,
    read_settings,
)
from recollect.surfaces.install import manifest
from recollect.surfaces.install.checkup import check_log
from recollect.surfaces.json_answers import memories_to_json, session_summaries_to_json

_MAX_LISTED = 200
_ID_SHOWN = 12
_MAX_TEXT = 100
_RECENT_DAYS = 7
_KEPT = NoteState.PROMOTED


@click.command("sessions")
@click.argument("session", metavar="[SESSION]", required=False)
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, _MAX_LISTED),
    default=15,
    show_default=True,
    help="At most so many.",
)
@click.option("--all-projects", is_flag=True, help="Of every project, not only this one.")
@common
def sessions_(session: str | None, limit: int, all_projects: bool) -> None:
    """List past sessions of agents with what each taught and was told; or tell about one SESSION.

    \b
    recollect sessions
    recollect sessions 43bbfe1c-c079-4867-b3b5-e76b8cf5ec6b
    """
    with open_memory() as memory:
        memory.observer.drain()
        if session:
            _print_session(memory, memory.observer.session(find_past_session(memory, session)))
            return
        summaries = memory.browse.sessions(limit=limit, every_project=all_projects)
    if output.is_json():
        output.print_json(session_summaries_to_json(summaries))
    elif summaries:
        output.print_table(
            ("session", "last heard of", "agent", "outcome", "learned", "told", "used"),
            map(_list_cells, summaries),
        )
    else:
        output.print_line(
            "No session has been heard of here yet. `recollect init` connects your coding agent;"
        )
        output.print_line("`recollect import sessions` takes in past ones.")


@click.command("status")
@common
def status_() -> None:
    """Say whether memory is on here, what happened lately, and what waits for you.

    \b
    recollect status
    """
    try:
        with open_memory() as memory:
            memory.observer.drain()
            status = _read_status(memory)
    except StoreMissing:
        status = _describe_connection()
    if output.is_json():
        output.print_json(status)
    else:
        _print_status(status)


def _list_cells(summary: SessionSummary) -> Sequence[str]:
    session = summary.session
    return (
        session.id[:_ID_SHOWN],
        f"{session.last_at:%Y-%m-%d %H:%M}",
        _title(session.client) or "–",
        _outcome(session),
        str(summary.learned),
        str(summary.told),
        str(summary.used),
    )


def _outcome(session: Session) -> str:
    return session.outcome or ("unknown" if session.ended_at else "goes on")


def _title(client: str) -> str:
    known = find_client(client)
    return known.title if known else client


def _print_session(memory: Recollect, session: Session) -> None:
    every_state = memory.filters(sessions=[session.id], every_project=True, states=tuple(MemoryState))
    learned = memory.list(every_state, limit=_MAX_LISTED)
    notes = [note for note in memory.observer.notes(session.id) if note.state is not _KEPT]
    injected = memory.injections.of_session(session.id)
    prompts = [
        event.text
        for event in memory.observer.events(session.id)
        if event.type is EventType.PROMPT and event.text and not event.data.get("machine")
    ]
    injected_counts = {
        "lines": len(injected),
        "tokens": sum(one.injection.tokens for one in injected),
        "used": sum(bool(one.injection.used) for one in injected),
    }
    if output.is_json():
        output.print_json(
            {
                "session": asdict(session),
                "prompts": prompts,
                "learned": memories_to_json(learned, len(learned))["memories"],
                "notes_not_kept": [
                    {"text": note.text, "state": note.state, "why": note.why} for note in notes
                ],
                "told": injected_counts,
            }
        )
        return
    _print_heading(session, prompts)
    _print_learned(learned)
    _print_notes(notes)
    lines = output.count_phrase(injected_counts["lines"], "line")
    more = f"; recollect why --session {session.id}" if injected else ""
    output.print_line(
        f"Told: {lines}, {injected_counts['tokens']} tokens, {injected_counts['used']} used{more}"
    )


def _print_heading(session: Session, prompts: Sequence[str]) -> None:
    place = f" on {session.branch}" if session.branch else ""
    output.print_line(f"{_title(session.client) or 'An agent'}{place}: {_outcome(session)}")
    output.print_line(
        output.dim(f"{session.started_at:%Y-%m-%d %H:%M} to {session.last_at:%Y-%m-%d %H:%M}, {session.id}")
    )
    for prompt in (prompts[0], prompts[-1]) if len(prompts) > 1 else prompts:
        output.print_line(f"Asked: {_cut(prompt)}")
    if len(prompts) > 2:
        output.print_line(output.dim(f"       and {len(prompts) - 2} more between them"))


def _print_learned(learned: Sequence[Memory]) -> None:
    output.print_line(f"Learned: {output.count_phrase(len(learned), 'memory')}")
    for memory in learned:
        state = "" if memory.state is MemoryState.ACTIVE else f" ({memory.state})"
        output.print_line(f"  {output.short_id(memory)}  {memory.kind}{state}: {_cut(memory.text)}")


def _print_notes(notes: Sequence[Note]) -> None:
    if not notes:
        return
    output.print_line(f"Noted, and not kept so far: {len(notes)}")
    for note in notes:
        output.print_line(f"  {_cut(note.text)}")
        if note.why:
            output.print_line(output.dim(f"    {note.why}"))


def _cut(text: str) -> str:
    line = output.escape_controls(" ".join(text.split()))
    return line if len(line) <= _MAX_TEXT else line[: _MAX_TEXT - 1].rstrip() + "…"


def _describe_connection() -> dict[str, Any]:
    """Who is connected, whether hooks are paused here, and what they had trouble with lately."""
    settings = read_settings()
    is_file = "://" not in settings.db and settings.db != ":memory:"
    connected = sorted({record.client for record in manifest.load(config.data_dir()).values()})
    since = datetime.now(UTC) - timedelta(days=_RECENT_DAYS)
    trouble = check_log(hook_log.log_of(settings.db), since) if is_file else []
    return {
        "database": settings.db,
        "agents": [_title(client) for client in connected],
        "paused": is_file and is_paused(settings.db, paths_of_folder(str(project_folder())).root),
        "trouble": [finding.detail for finding in trouble if finding.fix],
        "memories": 0,
        "last_session": None,
        "activity": None,
    }


def _read_status(memory: Recollect) -> dict[str, Any]:
    newest = memory.observer.sessions(limit=1)
    return {
        **_describe_connection(),
        "memories": memory.count(),
        "last_session": asdict(newest[0]) if newest else None,
        "activity": asdict(memory.browse.activity(days=_RECENT_DAYS)),
    }


def _print_status(status: dict[str, Any]) -> None:
    agents = ", ".join(status["agents"])
    if status["paused"]:
        output.print_line("Paused here: hooks record nothing and say nothing. `recollect unpause` ends that.")
    elif agents:
        output.print_line(f"On: connected to {agents}.")
    else:
        output.print_line(
            "No coding agent is connected: `recollect init` shows what it would write, and asks."
        )
    last = status["last_session"]
    if last:
        client = _title(last["client"]) or "an agent"
        output.print_line(f"Last heard of {client} on {last['last_at']:%Y-%m-%d at %H:%M} ({last['id']}).")
    else:
        output.print_line("No session has been heard of in this project yet.")
    output.print_line(
        f"{output.count_phrase(status['memories'], 'memory')} in use here, in {status['database']}"
    )
    if activity := status["activity"]:
        _print_activity(activity)
    for trouble in status["trouble"]:
        output.print_line(f"Trouble: {trouble}; `recollect doctor` says more.")


def _print_activity(activity: dict[str, Any]) -> None:
    output.print_line(
        f"In the last {activity['days']} days: {output.count_phrase(activity['sessions'], 'session')}, "
        f"{output.count_phrase(activity['memories'], 'memory')} made, "
        f"{output.count_phrase(activity['lines'], 'line')} told ({activity['tokens']} tokens), "
        f"{activity['used']} used."
    )
    if activity["waiting"]:
        output.print_line(f"{activity['waiting']} wait for your yes: `recollect review`.")
