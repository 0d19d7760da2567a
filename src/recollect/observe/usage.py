"""What sessions did with what they were told: the ledger is kept from events, in the order they happened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from recollect.events.event_dict import derived_id
from recollect.events.injected import empties_the_window
from recollect.lifecycle import injection_outcomes
from recollect.model.event import Event, EventType, ToolAction, event_to_json
from recollect.model.ids import looks_like_id
from recollect.model.injection import Injection
from recollect.observe.recognise.corrections import read_correction
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import injections

# The chip that cites a memory, as `inject/citation_format.py` writes it, and as an agent may shorten it.
_CITED = re.compile(r"\[↗\s*(?:[\w-]{1,40}\s+)?([0-9A-HJKMNP-TV-Z]{10,26})\b", re.IGNORECASE)
_OPENS = frozenset({ToolAction.READ, ToolAction.EDIT})
_SHORTEST_NAME = 10


def follow(db: Db, events: Sequence[Event]) -> None:
    """Bring the ledger up to date with new events; part of the transaction that keeps them."""
    for event in sorted(events, key=lambda event: event.at):
        if event.type is EventType.INJECTED:
            injections.put(db, _injections(event))
        elif empties_the_window(event_to_json(event)):
            injections.lost(db, event.session_id, event.at)
        elif event.type is EventType.ASSISTANT_TEXT:
            _cited(db, event)
        elif event.type is EventType.TOOL_FINISHED and event.action in _OPENS and event.files:
            injection_outcomes.opened(db, event.session_id, event.files, event.at)
        elif event.type is EventType.PROMPT and not event.data.get("machine"):
            _answered(db, event)


def names_cited(text: str) -> list[str]:
    """The names of memories that a text cites, each once."""
    found = dict.fromkeys(match[1].upper() for match in _CITED.finditer(text))
    return [name for name in found if looks_like_id(name) and len(name) >= _SHORTEST_NAME]


def _cited(db: Db, event: Event) -> None:
    if names := names_cited(event.text):
        act_id = derived_id("cited", event.id)
        injection_outcomes.cited(db, event.session_id, names, at=event.at, act_id=act_id)


def _answered(db: Db, event: Event) -> None:
    """A person speaks again: what was cited since their last word is judged by this one."""
    if read_correction(event.text) is None:
        return
    since = _last_prompt(db, event)
    act_id = derived_id("objected", event.id)
    injection_outcomes.objected(db, event.session_id, since=since, at=event.at, act_id=act_id)


def _last_prompt(db: Db, event: Event) -> datetime:
    earlier = event_rows.of_session(db, event.session_id, EventType.PROMPT)
    # A clock may give two prompts the same moment; in doubt nothing is blamed.
    moments = [
        one.at for one in earlier if one.at <= event.at and one.id != event.id and not one.data.get("machine")
    ]
    return max(moments, default=event.at)


def _injections(event: Event) -> list[Injection]:
    told = event.data.get("items")
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
        for position, item in enumerate(told if isinstance(told, list) else [], start=1)
        if isinstance(item, list) and len(item) == 4
    ]
