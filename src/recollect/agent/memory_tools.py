"""
The tools `remember(fact, category)` and `recall(topic)` over a memory.

The tools on notes, tasks and messages are declared in `surfaces/vault_tools.py`, and `surfaces/agent_tools.py` hands
them to a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api import Recollect
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments, one_of, text
from recollect.model.memory import AlreadyKnown, Refused, Remembered
from recollect.model.provenance import Channel

CATEGORIES = ("preference", "fact", "pattern", "contact", "project", "issue")
_RECALLED = 10


def memory_tools(memory: Recollect, *, session: str = "") -> tuple[AgentTool, ...]:
    """
    `remember(fact, category)` and `recall(topic)` over a memory; a session's notes wait until its work is proved.

    What is said by them is an agent's word, even where a person opened the memory.
    """

    def remember(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        fact, kind = arguments_sent["fact"], arguments_sent.get("category", "fact")
        if session and memory.observer.open_session(session):
            memory.observer.note(fact, session=session, kind=kind)
            return ToolOutput(text="Noted. It becomes a memory once the work of this run has proved good.")
        match memory.remember(fact, kind=kind, session=session or None, channel=Channel.AGENT):
            case Remembered(memory=fresh):
                waits = " A person looks at it before it is used." if fresh.state == "quarantined" else ""
                return ToolOutput(text=f"Remembered.{waits}")
            case AlreadyKnown():
                return ToolOutput(text="This is known already.")
            case Refused(reason=reason):
                return ToolOutput(text=f"Not remembered: {reason}", ok=False)

    def recall(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        memories = [hit.memory for hit in memory.recall(arguments_sent["topic"], limit=_RECALLED).answers]
        if not memories:
            return ToolOutput(text="Nothing is known about this.")
        return ToolOutput(text=memory.rendering.block("What is known", memories))

    return (
        AgentTool(
            name="remember",
            description="Store a fact or preference that a later run would need: one sentence.",
            parameters=arguments(
                "fact",
                fact=text("The fact, in one or two sentences, with the reason.", most=8_000),
                category=one_of("What sort of fact; fact if left out.", *CATEGORIES),
            ),
            example={"fact": "The person prefers tabs over spaces", "category": "preference"},
            reads_only=False,
            run=remember,
        ),
        AgentTool(
            name="recall",
            description="Search what is remembered about a topic: facts, preferences, earlier failures.",
            parameters=arguments("topic", topic=text("What you want to know about.", most=2_000)),
            example={"topic": "how uploads are retried"},
            reads_only=True,
            run=recall,
        ),
    )
