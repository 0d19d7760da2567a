"""A Telegram Bot API on loopback: what a bot sends is kept, and what a person writes comes by the next poll."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

_ANN = {"id": 42, "is_bot": False, "first_name": "Ann", "username": "ann"}
_CHAT = {"id": 42, "type": "private", "first_name": "Ann", "username": "ann"}
_BOT = {
    "id": 777,
    "is_bot": True,
    "first_name": "Bot",
    "username": "test_bot",
    "can_join_groups": True,
    "can_read_all_group_messages": False,
    "supports_inline_queries": False,
}
_MAX_POLL_SECONDS = 5.0


class FakeTelegram(ThreadingHTTPServer):
    """One bot and one person, Ann, whose chat is 42."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _BotCalls)
        self.sent: list[str] = []
        self._updates: list[dict[str, Any]] = []
        self._number = 100
        self._news = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def write(self, text: str) -> None:
        """Ann writes to the bot."""
        with self._news:
            self._number += 1
            message = {"message_id": self._number, "date": int(time.time()), "from": _ANN, "chat": _CHAT}
            self._updates.append({"update_id": self._number, "message": {**message, "text": text}})
            self._news.notify_all()

    def answer(self, method: str, asked: dict[str, Any]) -> object:
        """What the API says to one call."""
        if method == "getUpdates":
            return self._wait_for_updates(int(asked.get("offset") or 0), float(asked.get("timeout") or 0))
        if method in ("sendMessage", "editMessageText"):
            self.sent.append(str(asked.get("text", "")))
            self._number += 1
            return {"message_id": self._number, "date": int(time.time()), "chat": _CHAT, "from": _BOT}
        plain: dict[str, object] = {
            "getMe": _BOT,
            "getChat": _CHAT,
            "getMyCommands": [],
            "getWebhookInfo": {"url": "", "has_custom_certificate": False, "pending_update_count": 0},
        }
        return plain.get(method, True)

    def _wait_for_updates(self, offset: int, seconds: float) -> list[dict[str, Any]]:
        with self._news:
            self._news.wait_for(lambda: bool(self._after(offset)), min(seconds, _MAX_POLL_SECONDS))
            return self._after(offset)

    def _after(self, offset: int) -> list[dict[str, Any]]:
        return [update for update in self._updates if update["update_id"] >= offset]


class _BotCalls(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeTelegram

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        place = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        asked: dict[str, Any] = {name: values[0] for name, values in parse_qs(place.query).items()}
        with suppress(ValueError):  # a form with a file
            asked |= json.loads(body or b"{}")
        result = self.server.answer(place.path.rpartition("/")[2], asked)
        answer = json.dumps({"ok": True, "result": result}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        # Whoever polled may have gone meanwhile.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(answer)
