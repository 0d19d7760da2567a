"""
Google's Agent Development Kit: a memory service over what was said in sessions and what was remembered.

>>> runner = Runner(agent=agent, app_name="shop", session_service=…, memory_service=RecollectAdkMemory(memory))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.adapters.agent_session import AgentSession
from recollect.adapters.turns import in_thread, needs_extra
from recollect.api import Recollect
from recollect.errors import NotFound
from recollect.model.framework_state import ItemWrite, KeyedItem
from recollect.model.provenance import Channel

try:
    from google.adk.events import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import Session
    from google.genai import types
except ImportError as error:
    raise needs_extra("Google's ADK", "google-adk") from error

FRAMEWORK = "google-adk"
_MAX_HITS = 10
# What is less than half as near as the best, or hardly near at all, answers nothing.
_LEAST_OF_BEST = 0.5
_LEAST = 0.2


class RecollectAdkMemory(BaseMemoryService):
    """
    ADK's memory service. Each app and each user of it has a memory of their own.

    What was said in sessions is found when it is asked for, and reaches the observer. `add_memory` remembers, as an
    agent's word.
    """

    def __init__(self, memory: Recollect, *, observe: bool = True) -> None:
        """A service over this memory's file."""
        self._memory = memory
        self._observe = observe

    async def add_session_to_memory(self, session: Session) -> None:
        """Keep what was said in a session; what is known already is left as it is."""
        await in_thread(
            self._memory, self._add, session.app_name, session.user_id, session.id, list(session.events)
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep some events of a session."""
        await in_thread(self._memory, self._add, app_name, user_id, session_id or FRAMEWORK, list(events))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember texts, as an agent's word."""
        tag = _tag(app_name, user_id)
        for entry in memories:
            if text := _text(entry.content):
                await in_thread(
                    self._memory,
                    self._memory.remember,
                    text,
                    tags=[tag],
                    everywhere=True,
                    channel=Channel.AGENT,
                )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What was remembered and what was said that bears on a question, best first."""
        entries = await in_thread(self._memory, self._search, app_name, user_id, query)
        return SearchMemoryResponse(memories=entries)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Remove what was said, for good, or take a memory out of use."""
        if memory_id:
            await in_thread(self._memory, self._delete, app_name, user_id, memory_id)

    def _add(self, app: str, user: str, session_id: str, events: list[Event]) -> None:
        space, gone = _space(app, user), _gone(app, user)
        session = AgentSession(self._memory, f"{app}/{user}/{session_id}", client=FRAMEWORK)
        texts = {event.id: (event, text) for event in events if (text := _text(event.content))}
        fresh = {
            event_id: pair
            for event_id, pair in texts.items()
            if self._memory.items.get(space, event_id) is None
            and self._memory.items.get(gone, event_id) is None
        }
        if not fresh:
            return
        model, vectors = self._memory.items.embed([text for _, text in fresh.values()])
        by_id = dict(zip(fresh, vectors, strict=False))
        self._memory.items.save(
            [
                ItemWrite(
                    namespace=space,
                    key=event_id,
                    value={
                        "text": text,
                        "author": event.author,
                        "at": event.timestamp,
                        "session": session_id,
                    },
                    vectors=(by_id[event_id],) if event_id in by_id else (),
                    model=model,
                )
                for event_id, (event, text) in fresh.items()
            ]
        )
        if self._observe:
            for event, text in fresh.values():
                session.note_prompt(text) if event.author == "user" else session.note_text(text)

    def _search(self, app: str, user: str, query: str) -> list[MemoryEntry]:
        filters = self._memory.filters(tags=[_tag(app, user)], every_project=True)
        remembered = self._memory.recall(query, limit=_MAX_HITS, filters=filters)
        entries = [
            MemoryEntry(
                id=hit.memory.id,
                content=_content(self._memory.rendering.card(hit.memory).text),
                timestamp=hit.memory.happened_at.isoformat(),
                custom_metadata={"kind": hit.memory.kind},
            )
            for hit in remembered
        ]
        answer = self._memory.items.embed_query(query) if query.strip() else None
        if answer is None:
            return entries
        model, near = answer
        spoken = self._memory.items.search(_space(app, user), near=near, model=model, limit=_MAX_HITS)
        # What was remembered and what was said are put on one scale: how near each is to the question.
        _, vectors = self._memory.items.embed([_text(entry.content) for entry in entries])
        scored = [(_cosine(near, vector), entry) for vector, entry in zip(vectors, entries, strict=True)]
        scored += [(item.score or 0.0, _to_entry(item)) for item in spoken]
        return _best(scored)

    def _delete(self, app: str, user: str, memory_id: str) -> None:
        space = _space(app, user)
        if self._memory.items.get(space, memory_id) is not None:
            # It is noted that it is gone: the same session may be added again.
            self._memory.items.save(
                [
                    ItemWrite(namespace=space, key=memory_id, value=None),
                    ItemWrite(namespace=_gone(app, user), key=memory_id, value={}),
                ]
            )
            return
        try:
            memory = self._memory.show(memory_id)
        except NotFound:
            return
        if _tag(app, user) in memory.tags:
            self._memory.forget(memory.id, why="deleted through the ADK's memory service")


def _best(scored: list[tuple[float, MemoryEntry]]) -> list[MemoryEntry]:
    scored.sort(key=lambda pair: -pair[0])
    least = max(_LEAST, _LEAST_OF_BEST * scored[0][0]) if scored else 0.0
    return [entry for score, entry in scored if score >= least][:_MAX_HITS]


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    # Both are of unit length.
    return sum(a * b for a, b in zip(one, other, strict=True))


def _space(app: str, user: str) -> tuple[str, ...]:
    return (FRAMEWORK, app or "-", user or "-")


def _gone(app: str, user: str) -> tuple[str, ...]:
    return (f"{FRAMEWORK}-gone", app or "-", user or "-")


def _tag(app: str, user: str) -> str:
    return f"{FRAMEWORK}:{app}:{user}"


def _text(content: types.Content | None) -> str:
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text).strip()


def _content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _to_entry(item: KeyedItem) -> MemoryEntry:
    at: Any = item.value.get("at")
    moment = datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else item.created_at
    return MemoryEntry(
        id=item.key,
        content=_content(str(item.value["text"])),
        author=str(item.value.get("author") or ""),
        timestamp=moment.isoformat(),
        custom_metadata={"score": item.score},
    )
