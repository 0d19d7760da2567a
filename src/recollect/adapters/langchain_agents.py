"""
LangChain and deepagents: a middleware with memory and the window, a `ContextEdit`, a store of values, a retriever.

>>> agent = create_agent(model, tools, middleware=[MemoryMiddleware(memory)])
>>> agent = create_deep_agent(model=model, middleware=[MemoryMiddleware(memory)])
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, cast

from recollect.adapters.agent_session import AgentSession
from recollect.adapters.turns import in_thread, in_turn, needs_extra
from recollect.adapters.window_bridge import BridgedWindow, ChatMessage, text_of
from recollect.api import Recollect
from recollect.conversation import Window
from recollect.conversation.message_shape import Message
from recollect.model.agent_tool import AgentTool
from recollect.model.framework_state import ItemWrite

try:
    from langchain.agents.middleware.context_editing import ContextEdit, TokenCounter
    from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.messages import (
        AIMessage,
        AnyMessage,
        BaseMessage,
        HumanMessage,
        SystemMessage,
        ToolMessage,
    )
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.stores import BaseStore
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.config import get_config
    from langgraph.prebuilt.tool_node import ToolCallRequest
    from langgraph.types import Command
except ImportError as error:
    raise needs_extra("LangChain", "langchain") from error

FRAMEWORK = "langchain"
_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}
_MAX_THREADS = 64


class ThreadParts:
    """What a middleware holds for one thread: the session as memory sees it, and the window over its messages."""

    def __init__(self, memory: Recollect, session_id: str, window: Window | None) -> None:
        """A thread that has just begun."""
        self.session = AgentSession(memory, session_id, client=FRAMEWORK)
        self.window: BridgedWindow[BaseMessage] = BridgedWindow(window, write=_write, rebuild=_rebuild)


class MemoryMiddleware(AgentMiddleware[Any, Any, Any]):
    """
    Memory for an agent of LangChain: what bears on the request goes before the model, long histories are cut to fit.

    What happens reaches the observer, one session for each thread. The agent gets `remember` and `recall`.
    """

    def __init__(
        self,
        memory: Recollect,
        *,
        make_window: Callable[[], Window | None] = lambda: None,
        with_window: bool = True,
        with_tools: bool = True,
    ) -> None:
        """`make_window` gives the window of a new thread; without it, one with the usual settings."""
        super().__init__()
        self._memory = memory
        self._make_window = make_window
        self._has_window = with_window
        self._threads: dict[str, ThreadParts] = {}
        self.tools: Sequence[BaseTool] = memory_langchain_tools(memory) if with_tools else ()

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Put memory and the window before the call."""
        thread = self._thread()
        response = handler(in_turn(self._memory, self._prepare, thread, request))
        in_turn(self._memory, self._note_answer, thread, response)
        return response

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """The same without holding up the event loop."""
        thread = self._thread()
        response = await handler(await in_thread(self._memory, self._prepare, thread, request))
        await in_thread(self._memory, self._note_answer, thread, response)
        return response

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Let the observer know what a tool gave back."""
        thread = self._thread()
        result = handler(request)
        in_turn(self._memory, self._note_tool, thread, request, result)
        return result

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """The same without holding up the event loop."""
        thread = self._thread()
        result = await handler(request)
        await in_thread(self._memory, self._note_tool, thread, request, result)
        return result

    def end(self, thread_id: str = "") -> None:
        """A thread is over: what it taught is learned."""
        parts = self._threads.pop(thread_id or FRAMEWORK, None)
        if parts is not None:
            in_turn(self._memory, parts.session.end)

    def _thread(self) -> ThreadParts:
        try:
            thread_id = str(get_config()["configurable"].get("thread_id") or FRAMEWORK)
        except RuntimeError:
            # Outside a graph there is one conversation.
            thread_id = FRAMEWORK
        if thread_id not in self._threads:
            if len(self._threads) >= _MAX_THREADS:
                self._threads.pop(next(iter(self._threads)))
            self._threads[thread_id] = ThreadParts(self._memory, thread_id, self._make_window())
        return self._threads[thread_id]

    def _prepare(self, thread: ThreadParts, request: ModelRequest[Any]) -> ModelRequest[Any]:
        messages: list[AnyMessage] = list(request.messages)
        request_text = next(
            (str(message.text) for message in reversed(messages) if message.type == "human"), ""
        )
        context = thread.session.context_for(request_text)
        system = _with_context(request.system_message, context)
        if self._has_window:
            overhead = len(str(system.text)) // 4 if system else 0
            edited = thread.window.edit(messages, overhead_tokens=overhead)
            messages = cast("list[AnyMessage]", [message for message, _ in edited])
        return request.override(messages=messages, system_message=system)

    def _note_answer(self, thread: ThreadParts, response: ModelResponse[Any]) -> None:
        for message in response.result:
            if isinstance(message, AIMessage):
                thread.session.note_text(str(message.text))
                if message.usage_metadata:
                    thread.window.window.note_usage(message.usage_metadata["input_tokens"])

    def _note_tool(self, thread: ThreadParts, request: ToolCallRequest, result: object) -> None:
        call = request.tool_call
        if isinstance(result, ToolMessage):
            thread.session.note_tool(
                call["name"],
                call["args"],
                str(result.text),
                call_id=call["id"] or "",
                ok=False if result.status == "error" else None,
            )


class WindowContextEdit(ContextEdit):
    """The window as an edit of `ContextEditingMiddleware`; it stands for one conversation."""

    def __init__(self, window: Window | None = None) -> None:
        """Without a window, one with the usual settings."""
        self.bridged: BridgedWindow[BaseMessage] = BridgedWindow(window, write=_write, rebuild=_rebuild)

    def apply(self, messages: list[AnyMessage], *, count_tokens: TokenCounter) -> None:
        """Edit the messages in place."""
        messages[:] = cast("list[AnyMessage]", [message for message, _ in self.bridged.edit(messages)])


class RecollectByteStore(BaseStore[str, bytes]):
    """LangChain's store of bytes under keys, in memory's file; `space` keeps two of them apart."""

    def __init__(self, memory: Recollect, *, space: str = "default") -> None:
        """The values of one space."""
        self._memory = memory
        self._namespace = ("langchain-bytes", space)

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values of keys, in their order."""
        return in_turn(self._memory, lambda: [self._get(key) for key in keys])

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        """Keep values: all or none."""
        self._save([(key, base64.b64encode(value).decode()) for key, value in key_value_pairs])

    def mdelete(self, keys: Sequence[str]) -> None:
        """Remove keys; one that is not there is no error."""
        self._save([(key, None) for key in keys])

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """The keys that begin so."""
        items = in_turn(self._memory, self._memory.items.search, self._namespace, limit=1_000_000_000)
        yield from (item.key for item in items if item.key.startswith(prefix or ""))

    async def ayield_keys(self, *, prefix: str | None = None) -> AsyncIterator[str]:
        """The same in an event loop."""
        for key in await in_thread(self._memory, lambda: list(self.yield_keys(prefix=prefix))):
            yield key

    def _get(self, key: str) -> bytes | None:
        item = self._memory.items.get(self._namespace, key)
        return base64.b64decode(item.value["bytes"]) if item else None

    def _save(self, pairs: Sequence[tuple[str, str | None]]) -> None:
        writes = [
            ItemWrite(namespace=self._namespace, key=key, value=None if value is None else {"bytes": value})
            for key, value in pairs
        ]
        in_turn(self._memory, self._memory.items.save, writes)


class RecollectRetriever(BaseRetriever):
    """What is remembered, as documents; `k` of them."""

    memory: Any
    k: int = 5

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        memory: Recollect = self.memory
        return in_turn(memory, self._recall, memory, query, int(options.get("k", self.k)))

    def _recall(self, memory: Recollect, query: str, limit: int) -> list[Document]:
        documents = []
        for hit in memory.recall(query, limit=limit):
            card = memory.rendering.card(hit.memory)
            facts = {"kind": card.kind, "about": list(card.about), "cite": card.cite, "score": hit.score}
            documents.append(Document(id=card.id, page_content=card.text, metadata=facts))
        return documents


def memory_langchain_tools(memory: Recollect) -> list[BaseTool]:
    """`remember` and `recall` as tools of LangChain."""

    def adapt(tool: AgentTool) -> BaseTool:
        def call(**arguments: Any) -> str:
            given = {name: value for name, value in arguments.items() if value is not None}
            return in_turn(memory, tool.call, given).text

        async def acall(**arguments: Any) -> str:
            given = {name: value for name, value in arguments.items() if value is not None}
            return (await in_thread(memory, tool.call, given)).text

        return StructuredTool(
            name=tool.name,
            description=tool.description,
            args_schema=dict(tool.parameters),
            func=call,
            coroutine=acall,
        )

    return [adapt(tool) for tool in AgentSession(memory, "", client=FRAMEWORK).tools()]


# -- messages in the form of the chat API ------------------------------------------------------------------


def _write(messages: Sequence[BaseMessage]) -> list[ChatMessage[BaseMessage]]:
    return [ChatMessage(message=_write_one(message), origin=message) for message in messages]


def _write_one(message: BaseMessage) -> Message:
    content = message.content if isinstance(message.content, str) else list(message.content)
    written: dict[str, Any] = {"role": _ROLES.get(message.type, "user"), "content": content}
    if isinstance(message, ToolMessage):
        written["tool_call_id"] = message.tool_call_id
    elif isinstance(message, AIMessage) and message.tool_calls:
        written["tool_calls"] = [
            {
                "id": call["id"] or "",
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], default=str)},
            }
            for call in message.tool_calls
        ]
    return written


def _rebuild(message: Message, origin: BaseMessage | None) -> BaseMessage:
    role, content = message.get("role"), message.get("content") or ""
    if role == "tool":
        if origin is not None:
            return origin.model_copy(update={"content": content})
        return ToolMessage(content=content, tool_call_id=str(message.get("tool_call_id", "")))
    if role == "assistant":
        calls = [
            {
                "id": call["id"],
                "name": call["function"]["name"],
                "args": json.loads(call["function"]["arguments"] or "{}"),
            }
            for call in message.get("tool_calls", ())
        ]
        return AIMessage(content=content, tool_calls=calls)
    return SystemMessage(content=text_of(message)) if role == "system" else HumanMessage(content=content)


def _with_context(system: SystemMessage | None, context: str) -> SystemMessage | None:
    if not context:
        return system
    if system is None:
        return SystemMessage(content=context)
    parts: list[Any] = [system.content] if isinstance(system.content, str) else list(system.content)
    return SystemMessage(content=[*map(_as_block, parts), {"type": "text", "text": context}])


def _as_block(part: Any) -> Any:
    return {"type": "text", "text": part} if isinstance(part, str) else part
