"""
PydanticAI: memory as a capability, and the window as a history processor.

>>> agent = Agent(model, capabilities=[MemoryCapability(memory), ProcessHistory(window_history())])
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from recollect.adapters.agent_session import AgentSession
from recollect.adapters.turns import in_thread, needs_extra
from recollect.adapters.window_bridge import BridgedWindow, ChatMessage, text_of
from recollect.api import Recollect
from recollect.conversation import Window
from recollect.conversation.message_shape import Message
from recollect.model.agent_tool import AgentTool

try:
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        RetryPromptPart,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import FunctionToolset
except ImportError as error:
    raise needs_extra("PydanticAI", "pydantic-ai") from error

FRAMEWORK = "pydantic-ai"
_MAX_SESSIONS = 64


class MemoryCapability(AbstractCapability[Any]):
    """
    Memory for an agent of PydanticAI: what bears on the prompt as instructions, `remember` and `recall` as tools.

    What happens in a run reaches the observer, one session for each conversation.
    """

    def __init__(self, memory: Recollect, *, with_tools: bool = True) -> None:
        """A capability for `Agent(capabilities=[…])`."""
        self._memory = memory
        self._has_tools = with_tools
        self._sessions: dict[str, AgentSession] = {}

    def get_instructions(self) -> Callable[[RunContext[Any]], Any]:
        """What memory has to say to the prompt of a run."""

        async def instruct(context: RunContext[Any]) -> str:
            prompt = _prompt_text(context.prompt)
            return await in_thread(self._memory, self._session(context).context_for, prompt)

        return instruct

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """`remember` and `recall`."""
        if not self._has_tools:
            return None
        session = AgentSession(self._memory, "", client=FRAMEWORK)
        return FunctionToolset(tools=[_adapt(self._memory, tool) for tool in session.tools()])

    async def after_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: Any,
        result: Any,
    ) -> Any:
        """Let the observer know what a tool gave back."""
        await in_thread(
            self._memory,
            self._session(ctx).note_tool,
            call.tool_name,
            args if isinstance(args, dict) else {},
            result if isinstance(result, str) else json.dumps(result, default=str),
            call_id=call.tool_call_id,
        )
        return result

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Let the observer know what the agent answered."""
        await in_thread(self._memory, self._session(ctx).note_text, str(result.output))
        return result

    async def end(self, conversation_id: str) -> None:
        """A conversation is over: what it taught is learned."""
        session = self._sessions.pop(conversation_id, None)
        if session is not None:
            await in_thread(self._memory, session.end)

    def _session(self, context: RunContext[Any]) -> AgentSession:
        name = str(context.conversation_id or context.run_id or FRAMEWORK)
        if name not in self._sessions:
            if len(self._sessions) >= _MAX_SESSIONS:
                self._sessions.pop(next(iter(self._sessions)))
            self._sessions[name] = AgentSession(self._memory, name, client=FRAMEWORK)
        return self._sessions[name]


def window_history(window: Window | None = None) -> Callable[[list[ModelMessage]], list[ModelMessage]]:
    """A history processor, for `ProcessHistory(…)`; it stands for one conversation."""
    bridged: BridgedWindow[ChatPart] = BridgedWindow(window, write=_write, rebuild=_rebuild)

    def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        parts = [part for message in messages for part in _split(message)]
        return _join([part for part, _ in bridged.edit(parts)])

    return process


# -- messages in the form of the chat API ------------------------------------------------------------------


class ChatPart:
    """A response as a whole, or one part of a request together with the request it belongs to."""

    __slots__ = ("message", "part")

    def __init__(self, message: ModelMessage, part: Any = None) -> None:
        """Part of a message; of a response, all of it."""
        self.message = message
        self.part = part


def _split(message: ModelMessage) -> list[ChatPart]:
    if isinstance(message, ModelResponse):
        return [ChatPart(message)]
    return [ChatPart(message, part) for part in message.parts]


def _join(parts: Sequence[ChatPart]) -> list[ModelMessage]:
    """Parts in a row belong to one request; a request that is whole comes back as it was."""
    messages: list[ModelMessage] = []
    row: list[ChatPart] = []

    def close() -> None:
        if not row:
            return
        first = row[0].message
        same = all(part.message is first for part in row) and isinstance(first, ModelRequest)
        wanted = [part.part for part in row]
        if (
            same
            and len(wanted) == len(first.parts)
            and all(a is b for a, b in zip(wanted, first.parts, strict=True))
        ):
            messages.append(first)
        else:
            base = row[-1].message
            shell = base if isinstance(base, ModelRequest) else ModelRequest(parts=[])
            messages.append(replace(shell, parts=wanted))
        row.clear()

    for part in parts:
        if isinstance(part.message, ModelResponse):
            close()
            messages.append(part.message)
        else:
            row.append(part)
    close()
    return messages


def _write(parts: Sequence[ChatPart]) -> list[ChatMessage[ChatPart]]:
    return [ChatMessage(message=_write_one(part), origin=part) for part in parts]


def _write_one(chat_part: ChatPart) -> Message:
    if isinstance(chat_part.message, ModelResponse):
        return _write_response(chat_part.message)
    part = chat_part.part
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    if isinstance(part, RetryPromptPart) and part.tool_name:
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response()}
    if isinstance(part, UserPromptPart):
        return {"role": "user", "content": _prompt_text(part.content)}
    return {"role": "user", "content": str(getattr(part, "content", part))}


def _write_response(response: ModelResponse) -> Message:
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    texts = [
        str(getattr(part, "content", "")) for part in response.parts if not isinstance(part, ToolCallPart)
    ]
    written: dict[str, Any] = {"role": "assistant", "content": "\n".join(filter(None, texts))}
    return {**written, "tool_calls": calls} if calls else written


def _rebuild(message: Message, origin: ChatPart | None) -> ChatPart:
    role, text = message.get("role"), text_of(message)
    if role == "assistant":
        texts = [TextPart(content=text)] if text else []
        calls = [
            ToolCallPart(
                tool_name=call["function"]["name"],
                args=call["function"]["arguments"],
                tool_call_id=call["id"],
            )
            for call in message.get("tool_calls", ())
        ]
        return ChatPart(ModelResponse(parts=[*texts, *calls]))
    if role == "tool":
        if origin is not None:
            return ChatPart(origin.message, replace(origin.part, content=text))
        part: Any = ToolReturnPart(
            tool_name="tool", content=text, tool_call_id=str(message.get("tool_call_id", ""))
        )
    else:
        part = SystemPromptPart(content=text) if role == "system" else UserPromptPart(content=text)
    return ChatPart(ModelRequest(parts=[part]), part)


def _adapt(memory: Recollect, tool: AgentTool) -> Tool[Any]:
    async def call(**arguments: Any) -> str:
        return (await in_thread(memory, tool.call, arguments)).text

    return Tool.from_schema(
        call, name=tool.name, description=tool.description, json_schema=dict(tool.parameters), takes_ctx=False
    )


def _prompt_text(prompt: Any) -> str:
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    return "\n".join(part for part in prompt if isinstance(part, str))
