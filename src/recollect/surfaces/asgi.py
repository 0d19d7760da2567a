"""What our servers share of the ASGI protocol: the head of a request, and its body, read whole within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

AsgiScope = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[MutableMapping[str, Any]]]
AsgiSend = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[AsgiScope, AsgiReceive, AsgiSend], Awaitable[None]]

SAFE_METHODS = frozenset({"GET", "HEAD"})


class TurnedAway(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


class BodyTooLong(Exception):
    """A body that is longer than is read."""


class RequestHead:
    """The parts of a request that are looked at before its body."""

    def __init__(self, scope: AsgiScope) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: str = scope.get("query_string", b"").decode("latin-1")
        self._headers = scope.get("headers", ())

    def every(self, name: str) -> list[str]:
        """All values of a header."""
        wanted = name.encode()
        return [value.decode("latin-1") for header, value in self._headers if header.lower() == wanted]

    def one(self, name: str) -> str:
        """A header that is there once; empty otherwise."""
        values = self.every(name)
        return values[0] if len(values) == 1 else ""


async def read_body(
    head: RequestHead, receive: AsgiReceive, max_bytes: int, seconds: float | None = None
) -> bytes:
    """The whole body of a request, so that one that is too long or too slow is refused before anything begins."""
    for length in head.every("content-length"):
        if not length.isdigit() or int(length) > max_bytes:
            raise BodyTooLong
    if head.method in SAFE_METHODS:
        return b""
    try:
        return await asyncio.wait_for(_read_parts(receive, max_bytes), seconds)
    except TimeoutError:
        raise TurnedAway(408, "The body did not come in time.") from None


async def _read_parts(receive: AsgiReceive, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if sum(map(len, parts)) > max_bytes:
            raise BodyTooLong
        if message["type"] != "http.request" or not message.get("more_body"):
            return b"".join(parts)


def replay_body(body: bytes, receive: AsgiReceive) -> AsgiReceive:
    """The body once more, for the app behind."""
    is_given = False

    async def replayed() -> MutableMapping[str, Any]:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
