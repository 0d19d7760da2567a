"""An MCP server on this machine whose memory is a team's: what needs it is asked there, the rest is answered here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from recollect import config
from recollect.errors import RecollectError
from recollect.model.value import replace
from recollect.remote.line import ServerLine
from recollect.remote.saved_token import read_token
from recollect.remote.sync import describe_place
from recollect.surfaces.mcp.protocol import INTERNAL_ERROR, Json, Refusal, make_failure, read_id
from recollect.surfaces.mcp.server import LazyMemory, McpServer, tool_error

_FORWARDED = frozenset({"tools/call", "resources/read", "prompts/get"})
# An agent waits for this.
_SECONDS = 20.0
_TRIES = 2


class ServerBridge(McpServer):
    """Answers like the server itself; what is said while it is away is said as such."""

    def __init__(
        self,
        opening: LazyMemory,
        log: Callable[[str, BaseException | None], None],
        tool_sets: Sequence[str],
        *,
        url: str,
        folder: Path,
    ) -> None:
        super().__init__(opening, log, tool_sets)
        caller = describe_place(str(folder), read_token(url))
        session = config.session_from_environment() or ""
        self._line = ServerLine(url, replace(caller, session=session), seconds=_SECONDS, tries=_TRIES)

    def handle(self, message: object) -> Json | list[Json] | None:
        """The answer to whatever came in."""
        if not isinstance(message, dict) or message.get("method") not in _FORWARDED or "id" not in message:
            return super().handle(message)
        try:
            return self._line.ask("POST", "/mcp", message)
        except RecollectError as error:
            if message["method"] == "tools/call":
                return {"jsonrpc": "2.0", "id": message["id"], "result": tool_error(str(error))}
            return make_failure(read_id(message), Refusal(INTERNAL_ERROR, str(error)))
