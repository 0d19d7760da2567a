"""Use of injected memories: the ledger is brought up to date from events, in the order they happened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from recollect.events.event_dict import derive_id
from recollect.events.injected import is_window_emptied
from recollect.lifecycle import injection_outcomes
from recollect.model.event import Event, EventType, ToolAction, event_to_json
from recollect.model.ids import looks_like_id
from recollect.model.injection import Injection
from recollect.observe.recognise.corrections import read_correction
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import injections

# The citation of a memory, as `inject/citation_format.py` writes it, and as an agent may shorten it.
_CITED = re.compile(r"\[↗\s*(?:[\w-]{1,40}\s+)?([0-9A-HJKMNP-TV-Z]{10,26})\b", re.IGNORECASE)
_OPENS = frozenset({ToolAction.READ, ToolAction.EDIT})
_MIN_NAME = 10


def update_ledger(db: Db, events: Sequence[Event]) -> None:
    """Bring the ledger up to date with new events; part of the transaction that keeps them."""
    for event in sorted(events, key=lambda event: event.at):
        if event.type is EventType.INJECTED:
            injections.save_injections(db, _list_injections(event))
        elif is_window_emptied(event_to_json(event)):
            injections.mark_lost(db, event.session_id, event.at)
        elif event.type is EventType.ASSISTANT_TEXT:
            _record_citations(db, event)
        elif event.type is EventType.TOOL_FINISHED and event.action in _OPENS and event.files:
            injection_outcomes.record_opened_files(db, event.session_id, event.files, event.at)
        elif event.type is EventType.PROMPT and not event.data.get("machine"):
            _record_objection(db, event)


def find_cited_names(text: str) -> list[str]:
    """The names of memories that a text cites, each once."""
    names = dict.fromkeys(match[1].upper() for match in _CITED.finditer(text))
    return [name for name in names if looks_like_id(name) and len(name) >= _MIN_NAME]


def _record_citations(db: Db, event: Event) -> None:
    if names := find_cited_names(event.text):
        act_id = derive_id("cited", event.id)
        injection_outcomes.record_citations(db, event.session_id, names, at=event.at, act_id=act_id)


def _record_objection(db: Db, event: Event) -> None:
    """A person speaks again: what was cited since their last word is judged by this one."""
    if read_correction(event.text) is None:
        return
    since = _time_of_last_prompt(db, event)
    act_id = derive_id("objected", event.id)
    injection_outcomes.record_objection(db, event.session_id, since=since, at=event.at, act_id=act_id)


def _time_of_last_prompt(db: Db, event: Event) -> datetime:
    earlier = event_rows.list_events(db, event.session_id, EventType.PROMPT)
    # A clock may give two prompts the same moment; in doubt nothing is blamed.
    moments = [
        prompt.at
        for prompt in earlier
        if prompt.at <= event.at and prompt.id != event.id and not prompt.data.get("machine")
    ]
    return max(moments, default=event.at)


def _list_injections(event: Event) -> list[Injection]:
    items = event.data.get("items")
    return [
        Injection(
            session_id=event.session_id,
            agent=event.agent,
            moment=str(event.data.get("moment", "")),
            memory_id=str(item[0]),
            at=event.at,
            tokens=int(item[1]),
            score=float(item[2]),
            bar=float(event.data.get("bar", 0.0)),
            position=position,
            why=str(item[3]),
        )
        for position, item in enumerate(items if isinstance(items, list) else [], start=1)
        if isinstance(item, list) and len(item) == 4
    ]
