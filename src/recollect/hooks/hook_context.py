"""What a hook knows of its call, and how what it hears is written down: cleaned, cut, one line an event."""

from __future__ import annotations

import json
import os

from recollect.clients.registry import CLIENT_NAMES, find_client
from recollect.events.event_dict import as_text
from recollect.events.inbox import append
from recollect.events.places import paths_of_folder
from recollect.events.sanitize import sanitize_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recollect.events.event_dict import EventDict, NewId, Payload


class HookContext:
    """The call of a hook: the store and its inbox, the project's top folder, the session, the moment."""

    __slots__ = (
        "agent",
        "at",
        "client",
        "db",
        "folder",
        "inbox",
        "most_bytes",
        "new_id",
        "session_id",
        "top",
    )

    # By hand: a hook at a tool's result has no time to load dataclasses.
    def __init__(
        self,
        *,
        db: str,
        inbox: str,
        most_bytes: int,
        top: str,
        folder: str,
        session_id: str,
        agent: str,
        client: str,
        at: str,
        new_id: Callable[[], str],
    ) -> None:
        self.db = db
        self.inbox = inbox
        self.most_bytes = most_bytes
        self.top = top
        self.folder = folder
        self.session_id = session_id
        self.agent = agent
        self.client = client
        self.at = at
        self.new_id = new_id

    def record(self, events: Sequence[EventDict]) -> None:
        """Write events into the inbox."""
        append(self.inbox, [event_to_line(event) for event in events], most_bytes=self.most_bytes)

    def boundary(self) -> str:
        """A border around a text that nobody could have known before."""
        return os.urandom(6).hex()


def read_lines(client: str, payload: Payload, now: str, new_id: NewId, *, root: str = "") -> list[str]:
    """What a payload tells, as lines of an inbox."""
    return [event_to_line(event) for event in read_events(client, payload, now, new_id, root=root)]


def read_events(
    client: str, payload: Payload, now: str, new_id: NewId, *, root: str = "", excluded: Sequence[str] = ()
) -> list[EventDict]:
    """What a payload of a client tells, cleaned and cut, and nothing of files that are excluded."""
    row = find_client(client)
    if row is None:
        raise ValueError(f"there is no client {client!r}; the clients are {', '.join(CLIENT_NAMES)}")
    return [
        sanitize_event(event, paths_of_folder(as_text(event.get("folder")), root), excluded)
        for event in row.load_payload_reader()(payload, now, new_id)
    ]


def event_to_line(event: EventDict) -> str:
    """An event as one line of JSON."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))
