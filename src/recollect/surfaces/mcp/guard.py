"""
Who may speak to the server over HTTP: a program on this machine that knows the key.

A web page in the person's browser reaches loopback too. It cannot read the key; and it cannot name our host, because
a name that was bent to this address is still in its `Host` header.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from hmac import compare_digest
from pathlib import Path
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def key_in(folder: Path) -> str:
    """The key of this person's server, made on first use; readable by them alone."""
    file = folder / "mcp-key"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        private = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text("ascii").strip()
    with os.fdopen(private, "w") as out:
        out.write(made := secrets.token_urlsafe(32))
    return made


def guarded(app: App, port: int, key: str) -> App:
    """The app behind its checks: the host first, then where the request comes from, then the key."""
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
    origins = {f"http://{host}" for host in hosts}

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        headers = scope.get("headers", ())
        if not _all_in(_named(headers, b"host"), hosts, at_least=1):
            await _refuse(send, 421, "This server is known by another name.")
        elif not _all_in(_named(headers, b"origin"), origins, at_least=0):
            await _refuse(send, 403, "No page may ask this server.")
        elif not _is_key(_named(headers, b"authorization"), key):
            await _refuse(send, 401, "Send the key as `Authorization: Bearer KEY`.")
        else:
            await app(scope, receive, send)

    return checked


def _named(headers: Any, name: bytes) -> list[str]:
    return [value.decode("latin-1") for found, value in headers if found.lower() == name]


def _all_in(values: list[str], allowed: set[str], *, at_least: int) -> bool:
    return len(values) >= at_least and all(value in allowed for value in values)


def _is_key(values: list[str], key: str) -> bool:
    given = values[0] if len(values) == 1 else ""
    return compare_digest(given.encode("latin-1"), f"Bearer {key}".encode())


async def _refuse(send: Send, status: int, says: str) -> None:
    headers = [(b"content-type", b"text/plain"), (b"cache-control", b"no-store")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": says.encode()})
