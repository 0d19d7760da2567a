"""Google's ADK: what was said in one session is found in the next, each user apart."""

import asyncio
from tempfile import TemporaryDirectory

from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import InMemorySessionService
from google.genai import types

from recollect import Recollect
from recollect.adapters.google_adk import RecollectAdkMemory


def said(text: str, author: str) -> Event:
    """Something that was said in a session."""
    return Event(author=author, content=types.Content(role="user", parts=[types.Part(text=text)]))


async def run(memory: Recollect) -> None:
    """One session, then a question in a later one."""
    sessions, service = InMemorySessionService(), RecollectAdkMemory(memory)
    session = await sessions.create_session(app_name="shop", user_id="ann")
    for text, author in (("My shoe size is 41", "user"), ("I shall keep that in mind", "desk")):
        await sessions.append_event(session, said(text, author))
    await service.add_session_to_memory(session)
    rule = types.Content(parts=[types.Part(text="Ann wants parcels at the pick-up point")])
    await service.add_memory(app_name="shop", user_id="ann", memories=[MemoryEntry(content=rule)])
    for user in ("ann", "bob"):
        for question in ("which shoe size?", "where do parcels go?"):
            answer = await service.search_memory(app_name="shop", user_id=user, query=question)
            texts = [part.text for entry in answer.memories[:1] for part in entry.content.parts or []]
            print(f"{user}: {texts[0] if texts else 'nothing'}")


def main() -> None:
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        asyncio.run(run(memory))


if __name__ == "__main__":
    main()
