"""Messages by a webhook: each is posted as JSON to an address. Nothing comes back this way."""

from __future__ import annotations

from recollect.errors import ChannelDown, ProviderError
from recollect.providers.http import Endpoint, open_client, post_json, read_key
from recollect.vault.messages.channel import ReceivedMessage


class Webhook:
    """Posts `{"text": …}` to an address; most chat services take that as it is."""

    name = "webhook"

    def __init__(self, server: Endpoint) -> None:
        self._server = server

    def send(self, text: str) -> None:
        """Post a text."""
        try:
            key = read_key(self._server, model=self.name)
            headers = {"authorization": f"Bearer {key}"} if key else {}
            with open_client(self._server, headers=headers) as client:
                post_json(client, self._server, self._server.url, {"text": text})
        except ProviderError as error:
            raise ChannelDown(channel=self.name, reason=str(error)) from error

    def receive(self) -> list[ReceivedMessage]:
        """Nothing: a webhook goes one way."""
        return []
