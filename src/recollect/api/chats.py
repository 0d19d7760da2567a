"""Conversations with agents, as `memory.chats`: begun, resumed, archived as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.conversation.message_shape import Message, MessageShape, Position
from recollect.conversation.personas import Persona, parse_persona
from recollect.conversation.redact_messages import redact_values
from recollect.conversation.shapes import find_shape
from recollect.model.chat import ChatSession
from recollect.model.json_form import moment_to_json
from recollect.model.value import asdict
from recollect.store.tables import chats

KEEP_OUTPUT_DAYS = 30
_STORED = "[stored apart]"
_GONE = "[This output is no longer kept.]"


@public_api
class Chats:
    """Conversations with agents. A message is stored without secrets; outputs of tools stand apart and may go first."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def start(self, persona: Persona, *, shape: str = "anthropic", title: str = "") -> ChatSession:
        """Begin a conversation with an agent of this persona."""
        wiring, now = self._wiring, self._wiring.now()
        find_shape(shape)
        with wiring.db.transaction():
            agent_id = chats.put_agent(
                wiring.db, wiring.new_id(now), persona.name, _persona_table(persona), now
            )
            chat_id = wiring.new_id(now)
            chats.start(
                wiring.db,
                chat_id,
                agent_id,
                shape=shape,
                title=" ".join(title.split())[:200],
                project_id=wiring.ensure_project_id(),
                at=now,
            )
        return self.chat(chat_id)

    def add(self, chat_id: str, *messages: Message) -> int:
        """Add messages to a conversation, without secrets; the number of the first."""
        shape = find_shape(self.chat(chat_id).shape)
        with self._wiring.db.transaction():
            apart = [_take_outputs_apart(redact_values(message)[0], shape) for message in messages]
            return chats.add(self._wiring.db, chat_id, apart, self._wiring.now())

    def messages(self, chat_id: str) -> list[Message]:
        """All that was said, to go on with; an output that is no longer kept says so."""
        shape = find_shape(self.chat(chat_id).shape)
        return [
            _put_together(body, outputs, shape)
            for body, outputs in chats.messages_of(self._wiring.db, chat_id)
        ]

    def chat(self, chat_id: str) -> ChatSession:
        """One conversation."""
        return chats.by_id(self._wiring.db, chat_id)

    def persona(self, agent: str) -> Persona:
        """Who an agent was when it last began a conversation."""
        return parse_persona(chats.agent_persona(self._wiring.db, agent))

    def newest(self, *, agent: str = "", limit: int = 20) -> Sequence[ChatSession]:
        """The newest conversations, with one agent or with all."""
        ids = chats.newest(self._wiring.db, agent=agent, limit=limit)
        return [self.chat(chat_id) for chat_id in ids]

    def archive(self, chat_id: str) -> dict[str, Any]:
        """A conversation as a JSON value for a file; it is out of the list from then on."""
        chat = self.chat(chat_id)
        value = {
            "version": 1,
            "id": chat.id,
            "agent": chat.agent,
            "persona": _persona_table(self.persona(chat.agent)),
            "title": chat.title,
            "shape": chat.shape,
            "started_at": moment_to_json(chat.started_at),
            "last_at": moment_to_json(chat.last_at),
            "messages": [dict(message) for message in self.messages(chat_id)],
        }
        chats.archive(self._wiring.db, chat_id, self._wiring.now())
        return value

    def prune_outputs(self, *, keep_days: int = KEEP_OUTPUT_DAYS) -> int:
        """Remove outputs of tools that are older than so many days; how many went."""
        before = self._wiring.now() - timedelta(days=keep_days)
        return chats.prune_outputs(self._wiring.db, before)


def _persona_table(persona: Persona) -> dict[str, Any]:
    return {**asdict(persona), "tools": list(persona.tools)}


def _take_outputs_apart(message: Message, shape: MessageShape) -> tuple[Mapping[str, Any], dict[int, str]]:
    results = shape.parse(message).results
    if not results:
        return message, {}
    body = shape.replace_results(message, {part.position: _STORED for part in results})
    return body, {part.position[0]: part.text for part in results}


def _put_together(body: Mapping[str, Any], outputs: Mapping[int, str], shape: MessageShape) -> Message:
    results = shape.parse(body).results
    if not results:
        return body
    texts: dict[Position, str] = {
        part.position: outputs.get(part.position[0], _GONE) for part in results if part.text == _STORED
    }
    return shape.replace_results(body, texts)
