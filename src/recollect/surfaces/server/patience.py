"""HTTP/1.1 by uvicorn, with an end to its patience: a line on which no whole head of a request comes is closed."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0


class PatientProtocol(H11Protocol):
    """Closes a line that is opened and then says nothing, or says it a byte at a time."""

    head_seconds = HEAD_SECONDS

    def connection_made(self, transport: Any) -> None:
        """The clock starts."""
        super().connection_made(transport)
        self._head_timer: asyncio.TimerHandle | None = self.loop.call_later(self.head_seconds, self._give_up)

    def handle_events(self) -> None:
        """It stops when the first head is whole; between two requests, uvicorn's own clock runs."""
        super().handle_events()
        if self.cycle is not None and self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        if self._head_timer is not None:
            self._head_timer.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
