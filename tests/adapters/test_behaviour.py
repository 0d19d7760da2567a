"""What our adapters do beyond what a framework's own tests ask for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.conversation import OverflowStore, Window, find_orphans
from recollect.conversation.shapes import SHAPES
from recollect.model.provenance import Channel
from tests.adapters.conftest import needs

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@needs("langgraph")
def test_a_checkpoint_holds_no_secret_and_a_fork_does_not_write_over_the_other(memory: Recollect) -> None:
    from langchain_core.messages import HumanMessage
    from langgraph.graph import END, START, MessagesState, StateGraph

    from recollect.adapters.langgraph_saver import RecollectSaver

    builder = StateGraph(MessagesState)
    builder.add_node("answer", lambda state: {"messages": [("ai", f"heard {state['messages'][-1].text}")]})
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    graph = builder.compile(checkpointer=RecollectSaver(memory))
    thread: Any = {"configurable": {"thread_id": "t"}}
    graph.invoke({"messages": [HumanMessage(f"the key is {SECRET}")]}, thread)
    first = graph.get_state(thread)
    graph.invoke({"messages": [("user", "one")]}, thread)
    graph.invoke({"messages": [("user", "two")]}, first.config)
    texts = [
        [message.text for message in state.values["messages"]] for state in graph.get_state_history(thread)
    ]
    assert any("heard one" in text for text in texts) and any("heard two" in text for text in texts)
    assert not any("heard one" in text and "heard two" in text for text in texts)
    assert SECRET not in str(texts) and "[redacted:" in str(texts)


@needs("langgraph")
def test_memory_itself_is_a_namespace_and_what_is_put_there_is_an_agents_word(memory: Recollect) -> None:
    from recollect.adapters.langgraph_store import MEMORIES, RecollectStore

    store = RecollectStore(memory)
    store.put(
        MEMORIES, "", {"text": "Retries are capped at 3", "kind": "decision", "about": ["src/retry.py"]}
    )
    (remembered,) = memory.list()
    assert remembered.provenance.channel is Channel.AGENT
    (item,) = store.search(MEMORIES, query="how often do we retry?")
    assert item.value["text"] == "Retries are capped at 3"
    assert store.get(MEMORIES, remembered.id) is not None
    with pytest.raises(Exception, match="does not take memories away"):
        store.delete(MEMORIES, remembered.id)
    assert memory.count() == 1


@needs("claude_agent_sdk")
def test_a_mirrored_transcript_reaches_the_observer_once(memory: Recollect, tmp_path: Path) -> None:
    from recollect.adapters.claude_agent import RecollectSessionStore

    key: Any = {"project_key": "p", "session_id": "s"}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": f"1 passed {SECRET}"}
    lines: list[Any] = [
        {
            "type": kind,
            "uuid": f"u{number}",
            "sessionId": "s",
            "cwd": str(tmp_path),
            "timestamp": f"2026-05-08T12:00:0{number}Z",
            "message": {"content": content},
        }
        for number, (kind, content) in enumerate([("user", "go"), ("assistant", [call]), ("user", [result])])
    ]

    async def mirror() -> Any:
        # Another process began: what is to be known of its call lies in the log.
        with Recollect(tmp_path / "memories.db", folder=None) as other:
            await RecollectSessionStore(other).append(key, lines[:2])
        await RecollectSessionStore(memory).append(key, lines[2:])
        await RecollectSessionStore(memory).append(key, lines)
        return await RecollectSessionStore(memory).load(key)

    stored = asyncio.run(mirror())
    assert len(stored) == 3 and SECRET not in str(stored)
    finished = [event for event in memory.observer.events("s") if event.type == "tool_finished"]
    assert [event.command for event in finished] == ["pytest -q"]


@needs("anthropic")
def test_a_secret_goes_into_no_file_and_what_is_known_is_only_read(memory: Recollect, tmp_path: Path) -> None:
    from anthropic.tools import ToolError

    from recollect.adapters.anthropic_memory import RecollectMemoryTool

    memory.remember("Retries are capped at 3", kind="decision")
    tool = RecollectMemoryTool(memory, directory=tmp_path / "files")
    tool.call({"command": "create", "path": "/memories/a.txt", "file_text": f"use {SECRET}"})
    assert SECRET not in (tmp_path / "files" / "a.txt").read_text("utf-8")
    assert "capped at 3" in str(tool.call({"command": "view", "path": "/memories/known/decision.md"}))
    assert "/memories/known/decision.md" in str(tool.call({"command": "view", "path": "/memories"}))
    with pytest.raises(ToolError, match="only read"):
        tool.call({"command": "delete", "path": "/memories/known/decision.md"})


def long_items(calls: int) -> list[Any]:
    items: list[Any] = [{"role": "user", "content": "Find the port of every service"}]
    for number in range(calls):
        call_id = f"c{number}"
        items += [
            {"type": "reasoning", "id": f"r{number}", "summary": []},
            {"type": "function_call", "call_id": call_id, "name": "read", "arguments": "{}"},
            {"type": "function_call", "call_id": f"{call_id}b", "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": call_id, "output": f"port {number}\n" * 400},
            {"type": "function_call_output", "call_id": f"{call_id}b", "output": "short"},
        ]
    return items


@needs("agents")
def test_the_input_filter_shortens_old_outputs_and_leaves_no_orphan(tmp_path: Path) -> None:
    from agents.run_config import CallModelData, ModelInputData

    from recollect.adapters.openai_agents import memory_input_filter

    prepare = memory_input_filter(window=Window(overflow=OverflowStore(tmp_path), shape="openai"))
    items = long_items(20)
    data: Any = CallModelData(ModelInputData(input=items, instructions=None), None, None)  # type: ignore[arg-type]
    sent: list[Any] = prepare(data).input
    assert len(str(sent)) < len(str(items)) / 4
    calls = [item["call_id"] for item in sent if item.get("type") == "function_call"]
    outputs = [item["call_id"] for item in sent if item.get("type") == "function_call_output"]
    assert sorted(calls) == sorted(outputs) and len(calls) == 40
    # What was left alone is the very object that was given.
    assert sent[0] is items[0] and any(item is items[1] for item in sent)


@needs("langchain")
def test_the_context_edit_keeps_pairs_and_untouched_messages(tmp_path: Path) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    from recollect.adapters.langchain_agents import WindowContextEdit

    messages: list[Any] = [HumanMessage("Find the ports")]
    for number in range(20):
        call = {"id": f"c{number}", "name": "read", "args": {"path": "a"}}
        messages.append(AIMessage("", tool_calls=[call]))
        messages.append(ToolMessage(f"port {number}\n" * 400, tool_call_id=f"c{number}", status="error"))
    given = list(messages)
    edit = WindowContextEdit(Window(overflow=OverflowStore(tmp_path), shape="openai"))
    edit.apply(messages, count_tokens=len)
    assert messages[0] is given[0] and messages[1] is given[1]
    tools = [message for message in messages if isinstance(message, ToolMessage)]
    assert {message.tool_call_id for message in tools} == {f"c{number}" for number in range(20)}
    assert all(len(str(message.content)) < 1_000 and message.status == "error" for message in tools)


@needs("langchain_tests")
def test_the_byte_store_keeps_spaces_apart(memory: Recollect) -> None:
    from recollect.adapters.langchain_agents import RecollectByteStore

    one, other = RecollectByteStore(memory, space="one"), RecollectByteStore(memory, space="other")
    one.mset([("a", b"\x00\xff"), ("ab", b"2")])
    assert one.mget(["a", "x"]) == [b"\x00\xff", None] and other.mget(["a"]) == [None]
    assert sorted(one.yield_keys(prefix="a")) == ["a", "ab"] and list(other.yield_keys()) == []


@needs("pydantic_ai")
def test_the_history_processor_gives_back_whole_requests_and_pairs(tmp_path: Path) -> None:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    from recollect.adapters.pydantic_ai_memory import _split, _write, window_history

    messages: list[Any] = [
        ModelRequest(parts=[SystemPromptPart("Be brief"), UserPromptPart("Find the ports")])
    ]
    for number in range(20):
        messages.append(ModelResponse(parts=[ToolCallPart("read", {}, tool_call_id=f"c{number}")]))
        messages.append(
            ModelRequest(parts=[ToolReturnPart("read", "port\n" * 600, tool_call_id=f"c{number}")])
        )
    process = window_history(Window(overflow=OverflowStore(tmp_path), shape="openai"))
    sent = process(messages)
    assert sent[0] is messages[0] and sent[1] is messages[1]
    chat = [one.message for one in _write([part for message in sent for part in _split(message)])]
    assert find_orphans(chat, SHAPES["openai"]) == []
    assert len(str(sent)) < len(str(messages)) / 3


@needs("google.adk")
def test_a_deleted_entry_does_not_come_back_with_its_session(memory: Recollect) -> None:
    from google.adk.events import Event
    from google.genai import types

    from recollect.adapters.google_adk import RecollectAdkMemory

    service = RecollectAdkMemory(memory, observe=False)
    content = types.Content(parts=[types.Part(text="My shoe size is 41")])
    event = Event(id="e1", author="user", content=content)

    async def story() -> tuple[int, int]:
        who = {"app_name": "shop", "user_id": "ann"}
        await service.add_events_to_memory(**who, events=[event, event], session_id="s")
        before = await service.search_memory(**who, query="shoe size")
        await service.delete_memory(**who, memory_id="e1")
        await service.add_events_to_memory(**who, events=[event], session_id="s")
        after = await service.search_memory(**who, query="shoe size")
        return len(before.memories), len(after.memories)

    assert asyncio.run(story()) == (1, 0)
