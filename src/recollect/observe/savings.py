"""
Savings: which searches a session was spared by injected memories, from its events and the ledger.

A file is opened for the first time. If something told before named it, and nothing was searched since the last file,
the search for it was saved. If nothing had named it, the searches since the last file are what finding it took.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from recollect.model.event import Event, EventType, ToolAction
from recollect.model.injection import Injection, SessionSavings
from recollect.model.memory import Memory
from recollect.model.policy import SESSIONS_COMPARED
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import injections, sessions

_OPENS = frozenset({ToolAction.READ, ToolAction.EDIT})
# What is told about a file when it is open already names nothing in time.
_TOO_LATE = frozenset({"file", "failure", "command", "shown"})
# Fields of a memory that name files.
_FILE_FIELDS = ("always_read", "frequently_read", "canonical_files")
_CUT = re.compile(r"\[… ([\d,]{1,15}) characters cut …\]")


def compute_session_savings(db: Db, session_id: str) -> SessionSavings:
    """What one session saved, and what finding files took in it."""
    finished = event_rows.list_events(db, session_id, EventType.TOOL_FINISHED)
    injected = injections.list_injections(db, session_id)
    lines = [injection for injection in injected if injection.moment not in _TOO_LATE]
    line_by_file = _list_named_files(
        lines, injections.read_memories_by_id(db, {line.memory_id for line in lines})
    )
    return sum(
        (
            _compute_agent_savings(agent_events, line_by_file.get(agent, {}))
            for agent, agent_events in _group_by_agent(finished).items()
        ),
        SessionSavings(lines=len(injected), used=sum(bool(injection.used) for injection in injected)),
    )


def compute_recent_savings(db: Db, project_id: str | None, *, every_project: bool = False) -> SessionSavings:
    """The same over the newest sessions of a project, or of all: what one session is compared with."""
    newest = sessions.list_newest_sessions(
        db, project_id, every_project=every_project, limit=SESSIONS_COMPARED
    )
    return sum((compute_session_savings(db, session_id) for session_id in newest), SessionSavings())


def _list_named_files(
    lines: Sequence[Injection], memories: Mapping[str, Memory]
) -> dict[str, dict[str, Injection]]:
    """For each agent, the files that were named to it, each with the line that did so first."""
    line_by_file: dict[str, dict[str, Injection]] = {}
    for line in lines:
        memory = memories.get(line.memory_id)
        for file in _files_of(memory) if memory else ():
            line_by_file.setdefault(line.agent, {}).setdefault(file, line)
    return line_by_file


def _files_of(memory: Memory) -> Iterable[str]:
    yield from (subject.name for subject in memory.subjects if subject.type == "file")
    for field in _FILE_FIELDS:
        listed = memory.fields.get(field)
        if isinstance(listed, list | tuple):
            yield from map(str, listed)


def _compute_agent_savings(
    finished: Sequence[Event], line_by_file: Mapping[str, Injection]
) -> SessionSavings:
    files_opened: set[str] = set()
    memories_counted: set[str] = set()
    files_direct = files_found = tokens_searched = tokens_told = tokens_since = 0
    for event in finished:
        if event.action is ToolAction.SEARCH:
            tokens_since += _search_tokens(event)
        if event.action not in _OPENS or event.ok is False:
            continue
        for file in event.files:
            line = line_by_file.get(file)
            if file in files_opened:
                continue
            if line is None or line.at > event.at:
                files_found, tokens_searched = files_found + 1, tokens_searched + tokens_since
            elif not tokens_since:
                files_direct += 1
                tokens_told += 0 if line.memory_id in memories_counted else line.tokens
                memories_counted.add(line.memory_id)
            # What a search turned up is paid for by the first file of it.
            tokens_since = 0
            files_opened.add(file)
    return SessionSavings(direct=files_direct, told=tokens_told, found=files_found, searched=tokens_searched)


def _group_by_agent(finished: Iterable[Event]) -> dict[str, list[Event]]:
    by_agent: dict[str, list[Event]] = {}
    for event in sorted(finished, key=lambda event: event.at):
        by_agent.setdefault(event.agent, []).append(event)
    return by_agent


def _search_tokens(event: Event) -> int:
    """What a search cost: its words and its answer, with what was cut from it when it was kept."""
    cut = sum(int(number.replace(",", "")) for number in _CUT.findall(event.output))
    return (len(event.command) + len(event.output) + cut) // CHARACTERS_PER_TOKEN
