"""A tool that an agent may call: declared once with its JSON schema, offered to every provider from here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.model.arguments import Schema, check_arguments
from recollect.model.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """What a tool gave back."""

    text: str
    ok: bool = True
    exit_code: int | None = None
    # What only some tools say: the edits they made, what was cut.
    data: Mapping[str, Any] = field(default_factory=dict)


def _never_dangerous(_: Mapping[str, Any]) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """One tool: what it is for, what it takes, and the act. `reads_only` has no default: whoever adds one says so."""

    name: str
    description: str
    parameters: Schema
    example: Mapping[str, Any]
    reads_only: bool
    run: Callable[[Mapping[str, Any]], ToolOutput]
    # Why a person should agree to this call first; empty if it needs no approval.
    danger_of: Callable[[Mapping[str, Any]], str] = field(default=_never_dangerous)

    def call(self, arguments_sent: object) -> ToolOutput:
        """Check the arguments, then act."""
        return self.run(
            check_arguments(self.parameters, arguments_sent, json.dumps(self.example, ensure_ascii=False))
        )


def anthropic_tools(tools: Iterable[AgentTool]) -> list[dict[str, Any]]:
    """The tools as Anthropic's API takes them."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
        for tool in tools
    ]


def openai_tools(tools: Iterable[AgentTool]) -> list[dict[str, Any]]:
    """The tools as OpenAI's chat API takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in tools
    ]
