"""The Claude Agent SDK: transcripts lie in memory's file, can be resumed from there, and are learned from."""

import asyncio
from tempfile import TemporaryDirectory
from typing import Any, cast
from uuid import uuid4

from claude_agent_sdk import ClaudeAgentOptions

from recollect import Recollect
from recollect.adapters.claude_agent import RecollectSessionStore, memory_hooks

SESSION = str(uuid4())


def line(kind: str, content: Any, second: int, folder: str) -> Any:
    """A line of a transcript, as the SDK hands it to a store."""
    return {
        "type": kind,
        "uuid": str(uuid4()),
        "parentUuid": None,
        "sessionId": SESSION,
        "cwd": folder,
        "timestamp": f"2026-05-08T12:00:{second:02}.000Z",
        "message": {"role": kind, "content": content},
    }


async def run(memory: Recollect, folder: str) -> None:
    """What the SDK does with the options below, without starting an agent."""
    store = RecollectSessionStore(memory)
    options = ClaudeAgentOptions(session_store=store, hooks=memory_hooks(memory))
    print("hooks:", ", ".join(sorted(options.hooks or {})))
    key = cast(Any, {"project_key": "shop", "session_id": SESSION})
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "3 passed", "is_error": False}
    lines = [("user", "Make the tests pass"), ("assistant", [call]), ("user", [result])]
    await store.append(key, [line(kind, content, n, folder) for n, (kind, content) in enumerate(lines)])

    print("sessions:", len(await store.list_sessions("shop")))
    print("lines to resume from:", len(await store.load(key) or []))
    print("seen:", ", ".join(str(event.type) for event in memory.observer.events(SESSION)))


def main() -> None:
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        asyncio.run(run(memory, folder))


if __name__ == "__main__":
    main()
