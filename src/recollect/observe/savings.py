"""
What being told in time saved a session, from its events and the ledger.

A file is opened for the first time. If something told before named it, and nothing was searched since the last file,
the search for it was saved. If nothing had named it, the searches since the last file are what finding it took.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from recollect.model.event import Event, EventType, ToolAction
from recollect.model.injection import Injection
from recollect.model.memory import Memory
from recollect.model.savings import LOOKS_BACK, Saved
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import injections, sessions

_OPENS = frozenset({ToolAction.READ, ToolAction.EDIT})
# What is told about a file when it is open already names nothing in time.
_TOO_LATE = frozenset({"file", "failure", "shown"})
# Fields of a memory that name files.
_NAMING = ("always_read", "frequently_read", "canonical_files")
_CUT = re.compile(r"\[… ([\d,]{1,15}) characters cut …\]")


def saved_in(db: Db, session_id: str) -> Saved:
    """What one session saved, and what finding files took in it."""
    finished = event_rows.of_session(db, session_id, EventType.TOOL_FINISHED)
    told = injections.of_session(db, session_id)
    lines = [one for one in told if one.moment not in _TOO_LATE]
    named = _named(lines, injections.memories_named(db, {line.memory_id for line in lines}))
    return sum(
        (_of_agent(own, named.get(agent, {})) for agent, own in _by_agent(finished).items()),
        Saved(lines=len(told), used=sum(bool(one.used) for one in told)),
    )


def saved_lately(db: Db, project_id: str | None, *, every_project: bool = False) -> Saved:
    """The same over the newest sessions of a project, or of all: what one session is compared with."""
    newest = sessions.newest(db, project_id, every_project=every_project, limit=LOOKS_BACK)
    return sum((saved_in(db, session_id) for session_id in newest), Saved())


def _named(lines: Sequence[Injection], memories: Mapping[str, Memory]) -> dict[str, dict[str, Injection]]:
    """For each agent, the files that were named to it, each with the line that did so first."""
    named: dict[str, dict[str, Injection]] = {}
    for line in lines:
        memory = memories.get(line.memory_id)
        for file in _files(memory) if memory else ():
            named.setdefault(line.agent, {}).setdefault(file, line)
    return named


def _files(memory: Memory) -> Iterable[str]:
    yield from (subject.name for subject in memory.subjects if subject.type == "file")
    for field in _NAMING:
        listed = memory.fields.get(field)
        if isinstance(listed, list | tuple):
            yield from map(str, listed)


def _of_agent(finished: Sequence[Event], named: Mapping[str, Injection]) -> Saved:
    opened: set[str] = set()
    paid: set[str] = set()
    direct = found = searched = told = since = 0
    for event in finished:
        if event.action is ToolAction.SEARCH:
            since += _tokens(event)
        if event.action not in _OPENS or event.ok is False:
            continue
        for file in event.files:
            line = named.get(file)
            if file in opened:
                continue
            if line is None or line.at > event.at:
                found, searched = found + 1, searched + since
            elif not since:
                direct += 1
                told += 0 if line.memory_id in paid else line.tokens
                paid.add(line.memory_id)
            # What a search turned up is paid for by the first file of it.
            since = 0
            opened.add(file)
    return Saved(direct=direct, told=told, found=found, searched=searched)


def _by_agent(finished: Iterable[Event]) -> dict[str, list[Event]]:
    by_agent: dict[str, list[Event]] = {}
    for event in sorted(finished, key=lambda event: event.at):
        by_agent.setdefault(event.agent, []).append(event)
    return by_agent


def _tokens(event: Event) -> int:
    """What a search cost: its words and its answer, with what was cut from it when it was kept."""
    cut = sum(int(number.replace(",", "")) for number in _CUT.findall(event.output))
    return (len(event.command) + len(event.output) + cut) // CHARACTERS_PER_TOKEN
