"""Webhook trigger: a small HTTP server on loopback that starts a job for whoever knows the token."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from recollect.errors import BadInput, BadSetting
from recollect.ops.jobs import OpsFile
from recollect.ops.scheduler import StartRequest

HOST = "127.0.0.1"
MAX_BODY = 64 * 1024
SECONDS = 10
_NAMES = ("127.0.0.1", "localhost", "[::1]")
MIN_LETTERS = 16


class WebhookServer:
    """Takes `POST /run/JOB` with a bearer token; what is asked for waits until the scheduler fetches it."""

    def __init__(self, file: OpsFile, token: str, port: int | None = None) -> None:
        self._queue: SimpleQueue[StartRequest] = SimpleQueue()
        handler = type("_OpsHandler", (_WebhookCall,), {"server_owner": self, "file": file, "token": token})
        try:
            self._server = ThreadingHTTPServer((HOST, file.webhook_port if port is None else port), handler)
        except OSError as error:
            raise BadInput(reason=f"port {port or file.webhook_port} cannot be opened ({error})") from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Listen no longer."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(SECONDS)

    def put(self, request: StartRequest) -> None:
        """Keep what was asked for."""
        self._queue.put(request)

    def fetch(self) -> Sequence[StartRequest]:
        """What was asked for since the last time."""
        requests: list[StartRequest] = []
        try:
            while True:
                requests.append(self._queue.get_nowait())
        except Empty:
            return requests


class _WebhookCall(BaseHTTPRequestHandler):
    """One call."""

    server_owner: WebhookServer
    file: OpsFile
    token: str
    timeout = SECONDS
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Start a job, if the caller may."""
        self.close_connection = True
        host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host", "")
        if host not in _NAMES:
            # A page in a browser may reach loopback under a name of its own.
            self._answer(HTTPStatus.FORBIDDEN, "this host name is not served")
            return
        token_given = (self.headers.get("Authorization") or "").removeprefix("Bearer ").strip()
        if not hmac.compare_digest(token_given.encode(), self.token.encode()):
            self._answer(HTTPStatus.UNAUTHORIZED, "the token is missing or wrong")
            return
        name = self.path.removeprefix("/run/")
        job = self.file.jobs.get(name)
        if job is None or not job.webhook or name == self.path:
            self._answer(HTTPStatus.NOT_FOUND, "no job of this name has a webhook")
            return
        try:
            body = self._body()
        except ValueError as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error))
            return
        self.server_owner.put(
            StartRequest(job=name, trigger="webhook", prompt=body["prompt"], tier=body["tier"])
        )
        self._answer(HTTPStatus.ACCEPTED, "it will be started")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is written to the terminal."""

    def _body(self) -> dict[str, Any]:
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 <= size <= MAX_BODY:
            raise ValueError(f"a body has at most {MAX_BODY} bytes")
        value = json.loads(self.rfile.read(size) or b"{}")
        prompt, tier = (
            (value.get("prompt", ""), value.get("tier", 1)) if isinstance(value, dict) else (None, 1)
        )
        if not isinstance(prompt, str) or not isinstance(tier, int) or isinstance(tier, bool):
            raise ValueError('a body is {"prompt": text, "tier": number}, or empty')
        return {"prompt": prompt, "tier": tier}

    def _answer(self, status: HTTPStatus, message: str) -> None:
        body = json.dumps({"message": message}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def read_token(file: OpsFile, folder: Path) -> tuple[str, Path]:
    """The token of the webhook and the file it stands in; made when there is none."""
    path = file.webhook_token_file or folder / "webhook-token"
    try:
        token = path.read_text("utf-8").strip()
    except FileNotFoundError:
        token = secrets.token_urlsafe(32)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        private = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(private, "w", encoding="utf-8") as out:
            out.write(token + "\n")
    if len(token) < MIN_LETTERS:
        raise BadSetting(f"The token in {path} is too short: {MIN_LETTERS} characters are the least.")
    return token, path
