"""
The question to an agent that stops, where the setting `reflect` is `agent`: what did this session teach?

Once a session at most, and only if its work passed and something was learned in it. That it is asked is written down
first, as a prompt of a machine: what cannot be written down is not asked.
"""

from __future__ import annotations

from pathlib import Path

from recollect.api import Recollect
from recollect.events.event_dict import make_event
from recollect.hooks.hook_context import HookContext
from recollect.learn.reflect import AGENT_REQUEST
from recollect.model.provenance import Channel


def request_reflection(context: HookContext) -> str:
    """What the agent is asked; "" if there is nothing to ask, or it was asked before."""
    if not Path(context.db).exists():
        return ""
    with Recollect(
        context.db, folder=Path(context.folder), actor="agent", channel=Channel.AGENT, create=False
    ) as memory:
        if not memory.observer.may_reflect(context.session_id):
            return ""
    request = make_event(
        "prompt",
        id=context.new_id(),
        at=context.at,
        session_id=context.session_id,
        client=context.client,
        folder=context.folder,
        text=AGENT_REQUEST,
        data={"machine": True},
    )
    context.record([request])
    return AGENT_REQUEST
