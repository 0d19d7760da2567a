"""A real HTTP server on loopback that answers from a script and remembers what it was asked."""

from __future__ import annotations

import atexit
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True, kw_only=True)
class Reply:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    resets: bool = False


Answer = Reply | Callable[[Asked], Reply]


class ModelServer:
    """Gives the answers in order; the last one for ever."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.asked: list[Asked] = []
        self._answers = list(answers)
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = False
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def reply_to(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        return answer if isinstance(answer, Reply) else answer(asked)

    def hang(self) -> None:
        self._closing.wait(60)


def closed_port() -> int:
    """A port of this machine where nobody listens, and that nobody else is given while the tests run."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    atexit.register(held.close)
    return int(held.getsockname()[1])


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(method=self.command, path=self.path, headers=headers, body=body)
            reply = server.reply_to(asked)
            if reply.hangs:
                server.hang()
            elif reply.resets:
                # Lingering for zero seconds makes close() send a reset.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
            else:
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response_only(reply.status)
            for name, value in {"content-length": str(len(content)), **reply.headers}.items():
                self.send_header(name, value)
            # The asker may have had enough.
            with suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(content)

    return Handler
