"""The clients whose hooks we understand, by name: one payload in, events out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form, NewId, Payload

# Each has its module here; only the one that is asked for is loaded.
CLIENTS = ("claude-code", "codex", "gemini", "opencode", "cursor")
# Written from documentation alone: no payload of these was ever captured.
UNVERIFIED = frozenset({"cursor"})


def events_of(client: str, payload: Payload, now: str, new_id: NewId) -> list[Form]:
    """What a hook payload tells, as events; one that this version does not know is kept raw."""
    module = __import__(f"recollect.clients.{client.replace('-', '_')}.payload", fromlist=["events"])
    found: list[Form] = module.events(payload, now, new_id)
    return found
