"""
The tools that our own loop is given: those on memory that agents get everywhere, and the vault's where there is one.

Each tool is declared once, in `tools.py` or `vault_tools.py`; here it only takes the form of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.api import Recollect
from recollect.errors import RecollectError
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.surfaces.tool_calls import Caller
from recollect.surfaces.tools import TOOLS, Tool
from recollect.surfaces.vault_tools import NOTE_TOOLS, OPENCLAW_TOOLS, TASK_TOOLS


def shared_tools(
    memory: Recollect, *, session: str | None = None, besides: Sequence[str] = ()
) -> list[AgentTool]:
    """The tools on memory, but for those whose names another tool has."""
    return _adapt_tools((tool for tool in TOOLS if tool.name not in besides), memory, session)


def vault_tools(memory: Recollect, *, session: str | None = None) -> list[AgentTool]:
    """The tools on notes, tasks and messages; none without a vault."""
    if not memory.vault.exists():
        return []
    return _adapt_tools((*NOTE_TOOLS, *TASK_TOOLS, *OPENCLAW_TOOLS), memory, session)


def _adapt_tools(tools: Iterable[Tool], memory: Recollect, session: str | None) -> list[AgentTool]:
    caller = Caller(memory=memory, session=session)
    return [_adapt_tool(tool, caller) for tool in tools]


def _adapt_tool(tool: Tool, caller: Caller) -> AgentTool:
    def run(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        try:
            return ToolOutput(text=tool.call(caller, arguments_sent).text)
        except RecollectError as error:
            return ToolOutput(text=str(error), ok=False)

    return AgentTool(
        name=tool.name,
        description=tool.says,
        parameters=tool.takes,
        example=tool.example,
        reads_only=tool.reads_only,
        run=run,
    )
