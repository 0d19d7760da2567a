"""The MCP server over HTTP on loopback, by the official package; guarded by host, origin and a key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from hmac import compare_digest
from pathlib import Path
from typing import Any

from recollect import __version__, config
from recollect.errors import MissingExtra
from recollect.surfaces.loopback import LOOPBACK, bind_socket, ensure_key
from recollect.surfaces.mcp.server import INSTRUCTIONS, LazyMemory, McpServer
from recollect.surfaces.mcp.stdio import log

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def guard_app(app: App, port: int, key: str) -> App:
    """The app behind its checks: the host first, then where the request comes from, then the key."""
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
    origins = {f"http://{host}" for host in hosts}

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        headers = scope.get("headers", ())
        if not _are_all_allowed(_header_values(headers, b"host"), hosts, at_least=1):
            await _refuse(send, 421, "This server is known by another name.")
        elif not _are_all_allowed(_header_values(headers, b"origin"), origins, at_least=0):
            await _refuse(send, 403, "No page may ask this server.")
        elif not _is_key(_header_values(headers, b"authorization"), key):
            await _refuse(send, 401, "Send the key as `Authorization: Bearer KEY`.")
        else:
            await app(scope, receive, send)

    return checked


def _header_values(headers: Any, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in headers if header.lower() == name]


def _are_all_allowed(values: list[str], allowed: set[str], *, at_least: int) -> bool:
    return len(values) >= at_least and all(value in allowed for value in values)


def _is_key(values: list[str], key: str) -> bool:
    sent = values[0] if len(values) == 1 else ""
    return compare_digest(sent.encode("latin-1"), f"Bearer {key}".encode())


async def _refuse(send: Send, status: int, says: str) -> None:
    headers = [(b"content-type", b"text/plain"), (b"cache-control", b"no-store")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": says.encode()})


PORT = 7733
KEY_FILE = "mcp-key"
PATH = "/mcp"


def serve(
    *,
    db: str | None,
    folder: Path,
    read_only: bool,
    port: int,
    tell: Callable[[str], None],
    tool_sets: Sequence[str] = (),
) -> None:
    """Answer on loopback until told to stop. `tell` gets the address and where the key lies, never the key."""
    opening = LazyMemory(db=db, folder=folder, read_only=read_only)
    with bind_socket(port) as listening:
        try:
            import mcp  # noqa: F401  # missed here, before anything is told
            import uvicorn
        except ImportError as error:
            raise MissingExtra(feature="recollect mcp --http", package="mcp") from error
        port = listening.getsockname()[1]
        app = guard_app(
            _make_app(McpServer(opening, log, tool_sets), port), port, ensure_key(config.data_dir(), KEY_FILE)
        )
        tell(f"http://{LOOPBACK}:{port}{PATH}, with the key in {config.data_dir() / KEY_FILE}")
        settings = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        try:
            uvicorn.Server(settings).run(sockets=[listening])
        finally:
            opening.close()


def _make_app(ours: McpServer, port: int) -> Any:
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
            params_json = params.model_dump(by_alias=True, exclude_none=True, mode="json") if params else {}
            params_json.pop("_meta", None)
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params_json}
            answer: Any = await anyio.to_thread.run_sync(ours.handle, message, limiter=turn)
            if "error" in answer:
                raise MCPError(**answer["error"])
            return form.model_validate(answer["result"])

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
