"""Messages by an OpenClaw gateway: sent through its HTTP tools, read through its own command line."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

from recollect.errors import ChannelDown, ProviderError
from recollect.providers.http import Endpoint, open_client, post_json, read_key, scrub
from recollect.vault.messages.channel import ReceivedMessage

# Starting the gateway's program takes half a minute on a slow machine.
READ_SECONDS = 90.0
_MAX_OUTPUT = 4_000_000


class OpenClaw:
    """The gateway that a person's phone is connected to. `target` is the chat, `via` the channel of the gateway."""

    name = "openclaw"

    def __init__(
        self, server: Endpoint, *, target: str, via: str = "telegram", program: Sequence[str] = ("openclaw",)
    ) -> None:
        self._server = server
        self._target = target
        self._via = via
        self._program = tuple(program)

    def send(self, text: str) -> None:
        """Let the gateway send a text."""
        url = f"{self._server.url.rstrip('/')}/tools/invoke"
        args = {"channel": self._via, "target": self._target, "message": text}
        try:
            key = read_key(self._server, model=self.name)
            headers = {"authorization": f"Bearer {key}"} if key else {}
            with open_client(self._server, headers=headers) as client:
                answer = post_json(
                    client, self._server, url, {"tool": "message", "action": "send", "args": args}
                )
        except ProviderError as error:
            raise ChannelDown(channel=self.name, reason=str(error)) from error
        if isinstance(answer, dict) and answer.get("ok") is False:
            raise ChannelDown(
                channel=self.name, reason=scrub(json.dumps(answer.get("error", "refused")), key)
            )

    def receive(self) -> list[ReceivedMessage]:
        """What people wrote, from the history that the gateway keeps."""
        command = [*self._program, "gateway", "call", "chat.history", "--json"]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=READ_SECONDS, check=False, stdin=subprocess.DEVNULL
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ChannelDown(
                channel=self.name, reason=f"its program does not answer: {type(error).__name__}"
            ) from error
        if done.returncode != 0:
            error_text = scrub(done.stderr[:2_000].decode("utf-8", "replace"))
            raise ChannelDown(
                channel=self.name, reason=f"its program ended with {done.returncode}: {error_text}"
            )
        try:
            history = json.loads(done.stdout[:_MAX_OUTPUT])
        except ValueError as error:
            raise ChannelDown(channel=self.name, reason="its history is no JSON") from error
        return list(_messages(history))


def _messages(history: Any) -> Iterator[ReceivedMessage]:
    listed = history.get("messages", ()) if isinstance(history, dict) else history
    for message in listed if isinstance(listed, list) else ():
        if not isinstance(message, dict) or message.get("role") not in ("user", None):
            continue
        text = _text_of(message.get("content", message.get("text", "")))
        if text:
            own = message.get("id") or message.get("messageId") or message.get("timestamp")
            name = str(own) if own else hashlib.sha256(text.encode()).hexdigest()[:24]
            yield ReceivedMessage(foreign_id=name, text=text, peer=str(message.get("from", "")))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part).strip()
