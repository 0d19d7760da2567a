"""
MCP over streamable HTTP, without sessions: each message is answered by itself, with the memory of whoever sends it.

A tool that changes something needs the right to write; the six tools of memory are all that is offered here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from recollect.api import Recollect
from recollect.model.team import Mode
from recollect.server.team_server import IncomingCall, TeamServer
from recollect.surfaces import tools
from recollect.surfaces.mcp.server import McpServer
from recollect.surfaces.mcp.stdio import log
from recollect.surfaces.server.answers import make_json_response
from recollect.surfaces.tool_calls import Caller


def answer_message(
    service: TeamServer, incoming: IncomingCall, message: Mapping[str, Any], session: str | None
) -> Response:
    """The answer to one message; nothing but a yes for one that wants none."""
    mode = find_mode(message) if incoming.who.role.allows(Mode.WRITE) else Mode.READ
    project = service.find_project(incoming, mode)
    service.check_sessions(incoming, [session])
    with service.lend(incoming, mode, project) as memory:
        opening = LentMemory(memory, session, read_only=not incoming.who.role.allows(Mode.WRITE))
        answer = McpServer(opening, log).handle(dict(message))
    if answer is None:
        return Response(status_code=202)
    assert isinstance(answer, dict)
    return make_json_response(answer)


def find_mode(message: Mapping[str, Any]) -> Mode:
    """What a message does to the store: a tool declares it, everything else reads."""
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return Mode.READ
    tool = next((one for one in tools.TOOLS if one.name == params.get("name")), None)
    return Mode.READ if tool is None or tool.reads_only else Mode.WRITE


class LentMemory:
    """A memory that is open for one message."""

    def __init__(self, memory: Recollect, session: str | None, *, read_only: bool) -> None:
        self._memory = memory
        self._session = session
        self.read_only = read_only

    def caller(self) -> Caller:
        """The agent with its memory, and the session its client names."""
        return Caller(memory=self._memory, session=self._session, read_only=self.read_only)
