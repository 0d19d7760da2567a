"""
The outermost layer: the name the server was called by, where a request comes from, how long it is; then a line of log.

Nothing of what a request or an answer says is written down: method, route, status, time, and who asked.
"""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
from collections.abc import Callable, MutableMapping
from typing import Any

from recollect.errors import BadInput, RecollectError
from recollect.surfaces.asgi import (
    AsgiApp,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    BodyTooLong,
    RequestHead,
    TurnedAway,
    read_body,
    replay_body,
)
from recollect.surfaces.server.answers import make_refusal
from recollect.surfaces.server.metrics import ServerMetrics
from recollect.surfaces.ui.guard import HEADERS

MAX_BODY = 1024 * 1024
# Events come in batches.
MAX_EVENT_BODY = 8 * MAX_BODY
BODY_SECONDS = 20.0
EVENTS = "/v1/events"

LogLine = Callable[[MutableMapping[str, Any]], None]


def guard_server(
    app: AsgiApp, *, hosts: frozenset[str], metrics: ServerMetrics, write_line: LogLine
) -> AsgiApp:
    """The app behind its checks. `hosts` are the names it answers to, each with its port where it has one."""
    origins = frozenset(f"{scheme}://{host}" for host in hosts for scheme in ("http", "https"))

    async def checked(scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = _Request(scope, metrics)
        sending = request.watch(send)
        try:
            head = RequestHead(scope)
            _check_place(head, hosts, origins)
            most = MAX_EVENT_BODY if head.path == EVENTS else MAX_BODY
            body = await read_body(head, receive, most, BODY_SECONDS)
            await app(scope, replay_body(body, receive), sending)
        except TurnedAway as refusal:
            await _refuse(scope, receive, sending, BadInput(str(refusal)), refusal.status)
        except BodyTooLong:
            await _refuse(
                scope, receive, sending, BadInput(reason=f"a request has at most {MAX_BODY:,} bytes"), 413
            )
        except Exception as error:  # noqa: BLE001  # one bad request must not take the server with it
            write_line(
                {"level": "error", "event": "fault", "request": request.id, "error": type(error).__name__}
            )
            if not request.status:
                await _refuse(
                    scope,
                    receive,
                    sending,
                    RecollectError("The server made a mistake; its log names it."),
                    500,
                )
        finally:
            write_line(request.finish())

    return checked


class _Request:
    """One request: its id, its status, how long it took."""

    def __init__(self, scope: AsgiScope, metrics: ServerMetrics) -> None:
        self.id = secrets.token_hex(8)
        self.status = 0
        self._scope = scope
        self._metrics = metrics
        self._began = time.perf_counter()
        metrics.in_flight.inc()

    def watch(self, send: AsgiSend) -> AsgiSend:
        """Send on, with the headers that every answer carries."""

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                headers = [*message.get("headers", ()), (b"x-request-id", self.id.encode())]
                names = {name.lower() for name, _ in headers}
                headers += [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in names]
                if b"cache-control" not in names:
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        return sending

    def finish(self) -> MutableMapping[str, Any]:
        """The figures of it, and its line for the log."""
        seconds = time.perf_counter() - self._began
        route = getattr(self._scope.get("route"), "name", None) or "none"
        self._metrics.in_flight.dec()
        self._metrics.count(route, self.status, seconds)
        who = self._scope.get("state", {}).get("who")
        line: dict[str, Any] = {
            "level": "info",
            "event": "request",
            "request": self.id,
            "method": self._scope["method"],
            "route": route,
            "status": self.status,
            "ms": round(seconds * 1000, 1),
        }
        if who is not None:
            line |= {"organisation": who.organisation, "person": who.person, "token": who.token}
        return line


def _check_place(head: RequestHead, hosts: frozenset[str], origins: frozenset[str]) -> None:
    names = head.every("host")
    if len(names) != 1 or names[0].lower() not in hosts:
        raise TurnedAway(421, "This server is known by another name; --name adds one.")
    if any(origin.lower() not in origins for origin in head.every("origin")):
        raise TurnedAway(403, "No page of another server may ask this one.")


async def _refuse(
    scope: AsgiScope, receive: AsgiReceive, send: AsgiSend, error: RecollectError, status: int
) -> None:
    response = make_refusal(error)
    response.status_code = status
    await response(scope, receive, send)


def write_json_line(line: MutableMapping[str, Any]) -> None:
    """One line of JSON on standard error."""
    stamped = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **line}
    sys.stderr.write(json.dumps(stamped) + "\n")
    sys.stderr.flush()


class JsonLog(logging.Handler):
    """What the web server itself has to say, in the same form; without a request's words."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        write_json_line(
            {
                "level": record.levelname.lower(),
                "event": "server",
                "logger": record.name,
                "message": record.getMessage()[:500],
            }
        )
