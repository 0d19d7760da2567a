"""
What was put before an agent, as an event like any other: hooks write it into the inbox, and the ledger is made from it.

So a hook needs no write to the database, and what still waits in the inbox counts as told.
"""

from __future__ import annotations

from recollect.events.event_dict import make_event
from recollect.events.inbox import list_waiting_events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.events.event_dict import EventDict

INJECTED = "injected"
# After these an agent no longer sees what it was told before.
_FORGETFUL_STARTS = ("compact", "clear")


def make_injected_event(
    injected: Sequence[tuple[str, int, float, str]],
    *,
    moment: str,
    bar: float,
    id: str,
    at: str,
    **where: str,
) -> EventDict:
    """These were told, each with its id, tokens, score and why; `where` has session_id, client, folder and agent."""
    items = [[name, tokens, round(score, 4), why] for name, tokens, score, why in injected]
    data = {"moment": moment, "bar": bar, "items": items}
    session_id = where.pop("session_id")
    return make_event(INJECTED, id=id, at=at, session_id=session_id, **where, data=data)


def is_window_emptied(event: EventDict) -> bool:
    """Whether an agent has forgotten what it was told before this."""
    if event.get("type") == "compacted":
        return True
    source = (event.get("data") or {}).get("source")
    return event.get("type") == "session_started" and source in _FORGETFUL_STARTS


def read_told_ids(waiting: bytes, session_id: str, agent: str = "") -> tuple[set[str], bool]:
    """What lines of an inbox say was told to an agent, and whether it has forgotten all that was told before them."""
    told_ids: set[str] = set()
    forgot = False
    for event in list_waiting_events(waiting, session_id, _TELLING):
        if event["type"] == INJECTED:
            if event.get("agent", "") == agent:
                told_ids.update(item[0] for item in event["data"]["items"])
        elif not agent and is_window_emptied(event):
            told_ids, forgot = set(), True
    return told_ids, forgot


_TELLING = (INJECTED, "compacted", "session_started")
