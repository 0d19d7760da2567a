"""From the inbox into the store, by whatever call comes next."""

from __future__ import annotations

from recollect.events import inbox as mail
from recollect.model.event import Event, event_from_json
from recollect.model.value import dataclass, field
from recollect.observe.folders import Folders
from recollect.observe.take_in import Taken, take_in
from recollect.store.db import Db


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What was found in the inbox."""

    taken: Taken = field(default_factory=Taken)
    # Lines that a killed writer left half; kept beside the inbox.
    torn: int = 0


def drain(db: Db, inbox: str, folders: Folders, name: str) -> Drained:
    """Store everything that waits: what readers left who died, then the inbox. `name` is one that nobody else uses."""
    done = Drained()
    for path in mail.left_over(inbox):
        with mail.claimed_again(inbox, path) as claim:
            done = _added(done, _stored(db, claim, folders))
    if mail.has_mail(inbox):
        with mail.claimed(inbox, name) as claim:
            done = _added(done, _stored(db, claim, folders))
    return done


def _stored(db: Db, claim: mail.Claim | None, folders: Folders) -> Drained:
    if claim is None:
        return Drained()
    events: list[Event] = []
    unreadable = 0
    for form in claim.forms():
        event = _event(form)
        if event is None:
            unreadable += 1
        else:
            events.append(event)
    taken = take_in(db, events, folders)
    claim.done()
    return Drained(taken=taken, torn=claim.torn + unreadable)


def _event(form: dict[str, object]) -> Event | None:
    try:
        event = event_from_json(form)
    except (ValueError, TypeError):
        return None
    return event if event.at.tzinfo else None


def _added(one: Drained, other: Drained) -> Drained:
    return Drained(taken=one.taken + other.taken, torn=one.torn + other.torn)
