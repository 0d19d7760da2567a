"""
OpenAI's Agents SDK: a session kept in memory's file, and a filter that puts memory and the window before each call.

>>> session = RecollectSession("support-42", memory)
>>> config = RunConfig(call_model_input_filter=memory_input_filter(memory, session_id="support-42"))
>>> await Runner.run(agent, "Where is my order?", session=session, run_config=config)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from recollect.adapters.agent_session import AgentSession
from recollect.adapters.turns import in_thread, in_turn, needs_extra
from recollect.adapters.window_bridge import BridgedWindow, ChatMessage, text_of
from recollect.api import Recollect
from recollect.conversation import Window
from recollect.conversation.message_shape import Message
from recollect.model.framework_state import LogKey

try:
    from agents import FunctionTool, RunContextWrapper
    from agents.items import TResponseInputItem
    from agents.memory.session_settings import (
        SessionSettings,
        coerce_session_settings,
        resolve_session_limit,
    )
    from agents.run_config import CallModelData, ModelInputData
except ImportError as error:
    raise needs_extra("OpenAI's Agents SDK", "openai-agents") from error

FRAMEWORK = "openai-agents"
Items = tuple[Any, ...]


class RecollectSession:
    """The SDK's `Session`: the items of one conversation, without secrets; with `observe`, they reach the observer."""

    session_settings: SessionSettings | None = None

    def __init__(
        self,
        session_id: str,
        memory: Recollect,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
        observe: bool = True,
    ) -> None:
        """Nothing is read or written yet."""
        self.session_id = session_id
        self.session_settings = (
            coerce_session_settings(session_settings) if session_settings is not None else SessionSettings()
        )
        self._memory = memory
        self._key = LogKey(framework=FRAMEWORK, name=session_id)
        self._observed = AgentSession(memory, session_id, client=FRAMEWORK) if observe else None
        self._calls: dict[str, Any] = {}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The conversation, or its last items; a negative limit is none."""
        most = resolve_session_limit(limit, self.session_settings)
        logs = self._memory.logs
        if most is None or most < 0:
            every = await in_thread(self._memory, logs.read, self._key)
            items = list(every or ())
        else:
            items = list(await in_thread(self._memory, logs.read_last, self._key, most))
        return items

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items to the conversation."""
        if items:
            await in_thread(self._memory, self._add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item away and give it back."""
        return cast(
            "TResponseInputItem | None", await in_thread(self._memory, self._memory.logs.pop, self._key)
        )

    async def clear_session(self) -> None:
        """Take all items away."""
        await in_thread(self._memory, self._memory.logs.clear, self._key)

    async def end(self) -> None:
        """The conversation is over: what it taught is learned."""
        if self._observed is not None:
            await in_thread(self._memory, self._observed.end)

    def _add(self, items: list[TResponseInputItem]) -> None:
        self._memory.logs.append(self._key, *cast("list[Any]", items))
        if self._observed is not None:
            for item in items:
                self._tell(self._observed, cast("Mapping[str, Any]", item))

    def _tell(self, session: AgentSession, item: Mapping[str, Any]) -> None:
        kind = item.get("type", "message")
        if kind == "message" and item.get("role") == "user":
            session.note_prompt(_content_text(item))
        elif kind == "message" and item.get("role") == "assistant":
            session.note_text(_content_text(item))
        elif kind == "function_call":
            self._calls[str(item.get("call_id"))] = item
        elif kind == "function_call_output":
            call = self._calls.pop(str(item.get("call_id")), {})
            session.note_tool(
                str(call.get("name", "tool")),
                _parse_arguments(call.get("arguments")),
                _output_text(item),
                call_id=str(item.get("call_id", "")),
            )


def memory_input_filter(
    memory: Recollect | None = None, *, session_id: str = "", window: Window | None = None
) -> Callable[[CallModelData[Any]], ModelInputData]:
    """
    A `call_model_input_filter`: what memory has to say to the person's request, and a window over long conversations.

    It stands for one conversation. Without a memory it is the window alone.
    """
    bridged: BridgedWindow[Items] = BridgedWindow(window, write=_write_items, rebuild=_rebuild_items)
    session = AgentSession(memory, session_id or "openai-agents", client=FRAMEWORK) if memory else None

    def prepare(data: CallModelData[Any]) -> ModelInputData:
        given = cast("list[Any]", data.model_data.input)
        instructions = data.model_data.instructions
        edited = bridged.edit(group_items(given), overhead_tokens=len(instructions or "") // 4)
        items = [item for group, _ in edited for item in group]
        if memory is not None and session is not None:
            request = next((_content_text(item) for item in reversed(given) if _is_request(item)), "")
            context = in_turn(memory, session.recall_for, request)
            instructions = "\n\n".join(filter(None, (instructions, context))) or None
        return ModelInputData(input=items, instructions=instructions)

    return prepare


def memory_function_tools(memory: Recollect, *, session_id: str = "") -> list[FunctionTool]:
    """`remember` and `recall` as tools of an agent."""
    session = AgentSession(memory, session_id, client=FRAMEWORK)

    def adapt(tool: Any) -> FunctionTool:
        async def call(context: RunContextWrapper[Any], arguments: str) -> str:
            output = await in_thread(memory, tool.call, _parse_arguments(arguments))
            return str(output.text)

        return FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema=dict(tool.parameters),
            on_invoke_tool=call,
            strict_json_schema=False,
        )

    return [adapt(tool) for tool in session.tools()]


# -- items in the form of the chat API ---------------------------------------------------------------------


def group_items(items: Sequence[Any]) -> list[Items]:
    """Items that are one message in the chat API: what the model thought, said and called in one turn."""
    groups: list[Items] = []
    for item in items:
        if groups and _is_of_turn(item) and _is_of_turn(groups[-1][-1]):
            groups[-1] = (*groups[-1], item)
        else:
            groups.append((item,))
    return groups


def _write_items(groups: Sequence[Items]) -> list[ChatMessage[Items]]:
    return [ChatMessage(message=_write_group(group), origin=group) for group in groups]


def _write_group(group: Items) -> Message:
    first = group[0]
    if first.get("type") == "function_call_output":
        return {"role": "tool", "tool_call_id": str(first.get("call_id", "")), "content": _output_text(first)}
    if not _is_of_turn(first):
        return {"role": str(first.get("role", "user")), "content": _chat_content(first)}
    calls = [
        {
            "id": str(item.get("call_id", "")),
            "type": "function",
            "function": {"name": str(item.get("name", "")), "arguments": str(item.get("arguments", ""))},
        }
        for item in group
        if item.get("type") == "function_call"
    ]
    texts = [_content_text(item) for item in group if item.get("type", "message") == "message"]
    others = [
        json.dumps(item) for item in group if item.get("type") not in (None, "message", "function_call")
    ]
    message: dict[str, Any] = {"role": "assistant", "content": "\n".join([*texts, *others])}
    return {**message, "tool_calls": calls} if calls else message


def _rebuild_items(message: Message, origin: Items | None) -> Items:
    role = message.get("role")
    if role == "tool":
        call_id, text = message.get("tool_call_id"), text_of(message)
        base = origin[0] if origin else {"type": "function_call_output", "call_id": call_id}
        return ({**base, "output": text},)
    if role == "assistant":
        texts = ({"role": "assistant", "content": text_of(message)},) if text_of(message) else ()
        calls = tuple(
            {
                "type": "function_call",
                "call_id": call["id"],
                "name": call["function"]["name"],
                "arguments": call["function"]["arguments"],
            }
            for call in message.get("tool_calls", ())
        )
        return (*texts, *calls)
    return ({"role": str(role or "user"), "content": text_of(message)},)


def _is_of_turn(item: Mapping[str, Any]) -> bool:
    kind = item.get("type", "message")
    return kind not in ("message", "function_call_output") or item.get("role") == "assistant"


def _is_request(item: Mapping[str, Any]) -> bool:
    return item.get("type", "message") == "message" and item.get("role") == "user"


def _chat_content(item: Mapping[str, Any]) -> Any:
    content = item.get("content", "")
    return content if isinstance(content, str | list) else str(content)


def _content_text(item: Mapping[str, Any]) -> str:
    content = item.get("content", "")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("text"))


def _output_text(item: Mapping[str, Any]) -> str:
    output = item.get("output", "")
    if isinstance(output, str):
        return output
    return "\n".join(str(part["text"]) for part in output if isinstance(part, Mapping) and part.get("text"))


def _parse_arguments(arguments: object) -> dict[str, Any]:
    try:
        parsed = json.loads(str(arguments or "{}"))
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
