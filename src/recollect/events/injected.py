"""
What was put before an agent, as an event like any other: hooks write it into the inbox, and the ledger is made from it.

So a hook needs no write to the database, and what still waits in the inbox counts as told.
"""

from __future__ import annotations

from recollect.events.event_dict import form
from recollect.events.waiting import of_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.events.event_dict import Form

INJECTED = "injected"
# After these an agent no longer sees what it was told before.
_FORGETFUL_STARTS = ("compact", "clear")


def injected_form(
    told: Sequence[tuple[str, int, float, str]], *, moment: str, bar: float, id: str, at: str, **where: str
) -> Form:
    """These were told, each with its id, tokens, score and why; `where` has session_id, client, folder and agent."""
    items = [[name, tokens, round(score, 4), why] for name, tokens, score, why in told]
    data = {"moment": moment, "bar": bar, "items": items}
    session_id = where.pop("session_id")
    return form(INJECTED, id=id, at=at, session_id=session_id, **where, data=data)


def empties_the_window(event: Form) -> bool:
    """Whether an agent has forgotten what it was told before this."""
    if event.get("type") == "compacted":
        return True
    source = (event.get("data") or {}).get("source")
    return event.get("type") == "session_started" and source in _FORGETFUL_STARTS


def told_in(waiting: bytes, session_id: str, agent: str = "") -> tuple[set[str], bool]:
    """What lines of an inbox say was told to an agent, and whether it has forgotten all that was told before them."""
    told: set[str] = set()
    forgot = False
    for event in of_session(waiting, session_id, _TELLING):
        if event["type"] == INJECTED:
            if event.get("agent", "") == agent:
                told.update(item[0] for item in event["data"]["items"])
        elif not agent and empties_the_window(event):
            told, forgot = set(), True
    return told, forgot


_TELLING = (INJECTED, "compacted", "session_started")
