"""Messages by an OpenClaw gateway: sent and read through its HTTP tools, with the token of its own settings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import ChannelDown, NotFound, ProviderError
from recollect.model.value import dataclass
from recollect.providers.http import Endpoint, open_client, post_json, read_key, scrub
from recollect.vault.files import UnreadableNote, read_file
from recollect.vault.messages.channel import ReceivedMessage

USUAL_PORT = 18_789
# So many of a person's newest messages are looked at, in so many of their conversations.
MAX_MESSAGES = 50
MAX_SESSIONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """Where the gateway of this machine listens, and where its token is written down."""

    url: str
    path: Path

    def read_token(self) -> str:
        """The token, read now, so that no value ever holds it; empty if the gateway wants none."""
        auth = _auth_in(_settings_in(self.path))
        return os.environ.get("OPENCLAW_GATEWAY_TOKEN", "").strip() or str(
            auth.get("token") or auth.get("password") or ""
        )


def find_gateway(home: Path) -> GatewaySettings:
    """The gateway of this machine as its own settings file describes it."""
    named = os.environ.get("OPENCLAW_CONFIG_PATH", "")
    folder = os.environ.get("OPENCLAW_STATE_DIR", "") or str(home / ".openclaw")
    path = Path(named) if named else Path(folder) / "openclaw.json"
    port = _mapping(_settings_in(path).get("gateway")).get("port")
    return GatewaySettings(
        url=f"http://127.0.0.1:{port if isinstance(port, int) and 0 < port < 65_536 else USUAL_PORT}",
        path=path,
    )


class OpenClaw:
    """The gateway that a person's phone is connected to. `target` is the chat, `via` the channel of the gateway."""

    name = "openclaw"

    def __init__(
        self,
        server: Endpoint,
        *,
        target: str,
        via: str = "telegram",
        settings: GatewaySettings | None = None,
    ) -> None:
        self._server = server
        self._target = target
        self._via = via
        self._settings = settings

    def send(self, text: str) -> None:
        """Let the gateway send a text."""
        if not self._target:
            raise ChannelDown(
                channel=self.name, reason="no chat is named; recollect config set messages.target CHAT"
            )
        args = {"channel": self._via, "target": self._target, "message": text}
        self._invoke("message", args, action="send")

    def receive(self) -> list[ReceivedMessage]:
        """What people wrote by this channel, from the history that the gateway keeps."""
        listed = self._invoke("sessions_list", {"limit": MAX_SESSIONS}).get("sessions")
        sessions = [_mapping(one) for one in listed] if isinstance(listed, list) else []
        messages: list[ReceivedMessage] = []
        for session in sessions:
            if session.get("channel") == self._via and session.get("key"):
                args = {"sessionKey": str(session["key"]), "limit": MAX_MESSAGES}
                history = self._invoke("sessions_history", args)
                messages += _messages(history.get("messages"), self._via)
        return messages

    def _invoke(self, tool: str, args: Mapping[str, object], *, action: str = "") -> Mapping[str, Any]:
        """Call a tool of the gateway; what it gave back."""
        body = {"tool": tool, "args": args, **({"action": action} if action else {})}
        token = ""
        try:
            token = self._read_token()
            headers = {"authorization": f"Bearer {token}"} if token else {}
            with open_client(self._server, headers=headers) as client:
                url = f"{self._server.url.rstrip('/')}/tools/invoke"
                answer = _mapping(post_json(client, self._server, url, body))
        except ProviderError as error:
            raise ChannelDown(channel=self.name, reason=scrub(str(error), token)) from error
        if answer.get("ok") is False:
            raise ChannelDown(
                channel=self.name, reason=scrub(json.dumps(answer.get("error", "refused")), token)
            )
        return _result_of(_mapping(answer.get("result")))

    def _read_token(self) -> str:
        if self._server.key_env or self._settings is None:
            return read_key(self._server, model=self.name)
        token = self._settings.read_token()
        if not (token.isascii() and (token.isprintable() or not token)):
            raise ProviderError(model=self.name, reason="its token cannot be sent as it is written")
        return token


def _result_of(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a tool gave back: its details, or the JSON in its text where it has none."""
    if isinstance(details := result.get("details"), dict):
        return details
    try:
        return _mapping(json.loads(_text_of(result.get("content"))))
    except (ValueError, RecursionError):
        return {}


def _messages(listed: object, via: str) -> Iterator[ReceivedMessage]:
    for message in map(_mapping, listed if isinstance(listed, list) else ()):
        origin = _mapping(message.get("__openclaw"))
        channel = _mapping(origin.get("transport")).get("channel", via)
        if message.get("role") != "user" or channel != via:
            continue
        text = _text_of(message.get("content"))
        name = origin.get("id") or message.get("idempotencyKey") or message.get("timestamp")
        if text and name:
            peer = origin.get("senderName") or origin.get("senderId") or ""
            yield ReceivedMessage(foreign_id=str(name), text=text, peer=str(peer))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part).strip()


def _settings_in(path: Path) -> Mapping[str, Any]:
    """The gateway's settings; none where the file is not there or is written in more than plain JSON."""
    try:
        return _mapping(json.loads(read_file(path).content))
    except (NotFound, UnreadableNote, ValueError, RecursionError):
        return {}


def _auth_in(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(_mapping(settings.get("gateway")).get("auth"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
