"""
A model that follows a script, on loopback, in the four wire forms that coding agents speak.

It keeps no place in the script: how far a conversation has come is counted in what the client sent, so a request that
is sent again gets the same answer again.
"""

from __future__ import annotations

import gzip
import itertools
import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

from tests.clients.api import anthropic, chat, gemini, responses
from tests.clients.api.script import ASIDE, AT_THE_END, Turn, citing

WIRES: tuple[ModuleType, ...] = (anthropic, responses, gemini, chat)


class ScriptedApi(ThreadingHTTPServer):
    """What it says next, and every request it got."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self._script: Sequence[Turn] = ()
        self._heard: list[dict[str, Any]] = []
        self.numbers = itertools.count(1)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def play(self, script: Sequence[Turn]) -> None:
        """Follow this script from now on, with nothing heard yet."""
        self._script, self._heard = script, []

    def heard(self) -> list[dict[str, Any]]:
        return list(self._heard)

    def turn_for(self, wire: ModuleType, path: str, body: dict[str, Any]) -> Turn:
        """What comes next in this conversation."""
        aside, place = wire.is_aside(body), wire.turns_taken(body)
        self._heard.append(
            {"path": path, "aside": aside, "place": place, "body": body, "at": time.monotonic()}
        )
        if aside:
            return ASIDE
        return citing(self._script[place], body) if place < len(self._script) else AT_THE_END


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedApi

    def log_message(self, *_: object) -> None:
        """Nothing: standard error is the client's."""

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self._send_json({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        wire = next((wire for wire in WIRES if path.endswith(wire.PATH) or wire.PATH in path), None)
        if wire is None or path.endswith("count_tokens"):
            self._send_json({"input_tokens": 50, "totalTokens": 50})
            return
        turn, number = self.server.turn_for(wire, path, body), next(self.server.numbers)
        if body.get("stream") or "streamGenerateContent" in path:
            self._stream(wire.events(body, turn, number), ends_with_done=wire is chat)
        else:
            self._send_json(wire.whole(body, turn, number))

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            sent = b"".join(self._chunks())
        else:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(sent) if self.headers.get("content-encoding") == "gzip" else sent

    def _chunks(self) -> Iterable[bytes]:
        while size := int(self.rfile.readline().strip() or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _send_json(self, value: Mapping[str, Any]) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, sent: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def _stream(self, events: Iterable[Mapping[str, Any]], *, ends_with_done: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if ends_with_done:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True
