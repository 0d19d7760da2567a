"""Draining the inbox: events that hooks left there go into the store, by whatever call comes next."""

from __future__ import annotations

import json

from recollect.events import inbox as mail
from recollect.model.event import Event, event_from_json
from recollect.model.value import dataclass, field
from recollect.observe.folders import Folders
from recollect.observe.take_in import StoredEvents, store_events
from recollect.store.db import Db

# So much waits for a server that is away; what comes then is counted as lost.
MAX_OUTBOX = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainResult:
    """What was in the inbox."""

    taken: StoredEvents = field(default_factory=StoredEvents)
    # Lines that a killed writer left half; kept beside the inbox.
    torn: int = 0


def drain_inbox(db: Db, inbox: str, folders: Folders, name: str, outbox: str = "") -> DrainResult:
    """
    Store everything that waits: what readers left who died, then the inbox. `name` is one that nobody else uses.

    With an `outbox`, each line is written there first, to be sent to a server.
    """
    result = DrainResult()
    for path in mail.list_left_over(inbox):
        with mail.claim_left_over(inbox, path) as claim:
            result = _add_results(result, _store_claim(db, claim, folders, outbox))
    if mail.has_waiting(inbox):
        with mail.claim_inbox(inbox, name) as claim:
            result = _add_results(result, _store_claim(db, claim, folders, outbox))
    return result


def _store_claim(db: Db, claim: mail.Claim | None, folders: Folders, outbox: str) -> DrainResult:
    if claim is None:
        return DrainResult()
    events: list[Event] = []
    unreadable = 0
    forms = list(claim.forms())
    if outbox:
        lines = [json.dumps(form, ensure_ascii=False, separators=(",", ":")) for form in forms]
        mail.append(outbox, lines, most_bytes=MAX_OUTBOX)
    for form in forms:
        event = _parse_event(form)
        if event is None:
            unreadable += 1
        else:
            events.append(event)
    stored = store_events(db, events, folders)
    claim.done()
    return DrainResult(taken=stored, torn=claim.torn + unreadable)


def _parse_event(form: dict[str, object]) -> Event | None:
    try:
        event = event_from_json(form)
    except (ValueError, TypeError):
        return None
    return event if event.at.tzinfo else None


def _add_results(first: DrainResult, second: DrainResult) -> DrainResult:
    return DrainResult(taken=first.taken + second.taken, torn=first.torn + second.torn)
