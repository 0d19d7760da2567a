"""The same server over HTTP, for clients that start no process. The official package speaks, our server answers."""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from recollect import __version__, config
from recollect.errors import BadInput, MissingExtra
from recollect.surfaces.mcp.guard import guarded, key_in
from recollect.surfaces.mcp.opening import Opening
from recollect.surfaces.mcp.server import INSTRUCTIONS, Server
from recollect.surfaces.mcp.stdio import log

LOOPBACK = "127.0.0.1"
PORT = 7733
PATH = "/mcp"


def serve(*, db: str | None, folder: Path, read_only: bool, port: int, tell: Callable[[str], None]) -> None:
    """Answer on loopback until told to stop. `tell` gets the address and where the key lies, never the key."""
    opening = Opening(db=db, folder=folder, read_only=read_only)
    with _bound(port) as listening:
        try:
            import mcp  # noqa: F401  # missed here, before anything is told
            import uvicorn
        except ImportError as error:
            raise MissingExtra(feature="recollect mcp --http", package="mcp") from error
        port = listening.getsockname()[1]
        app = guarded(_app(Server(opening, log), port), port, key_in(config.data_dir()))
        tell(f"http://{LOOPBACK}:{port}{PATH}, with the key in {config.data_dir() / 'mcp-key'}")
        settings = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        try:
            uvicorn.Server(settings).run(sockets=[listening])
        finally:
            opening.close()


def _bound(port: int) -> socket.socket:
    listening = socket.socket()
    if sys.platform != "win32":  # there it would let two servers share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise BadInput(
            reason=f"port {port} cannot be used ({error.strerror}); name another with --port"
        ) from error
    return listening


def _app(ours: Server, port: int) -> Any:
    """The official server with our answers; it checks host and origin too, though the guard has."""
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server as Official
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.exceptions import MCPError

    # One call at a time: the memory has one connection, and the calls are short.
    turn = anyio.CapacityLimiter(1)

    def asks(method: str, form: Any) -> Callable[[Any, Any], Awaitable[Any]]:
        async def answered(_: Any, params: Any) -> Any:
            given = params.model_dump(by_alias=True, exclude_none=True, mode="json") if params else {}
            given.pop("_meta", None)
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
            said: Any = await anyio.to_thread.run_sync(ours.handle, message, limiter=turn)
            if "error" in said:
                raise MCPError(**said["error"])
            return form.model_validate(said["result"])

        return answered

    official: Official[Any] = Official(
        "recollect",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=asks("tools/list", types.ListToolsResult),
        on_call_tool=asks("tools/call", types.CallToolResult),
        on_list_resources=asks("resources/list", types.ListResourcesResult),
        on_list_resource_templates=asks("resources/templates/list", types.ListResourceTemplatesResult),
        on_read_resource=asks("resources/read", types.ReadResourceResult),
        on_list_prompts=asks("prompts/list", types.ListPromptsResult),
        on_get_prompt=asks("prompts/get", types.GetPromptResult),
    )
    hosts = [f"{LOOPBACK}:{port}", f"localhost:{port}"]
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
    return official.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=security
    )
