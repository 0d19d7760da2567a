"""Where a hook was called, and when."""

from __future__ import annotations

import os

from recollect.events.inbox import append

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Here:
    """Where a hook was called: the store and its inbox, the project's top folder, the session, the moment."""

    __slots__ = (
        "agent",
        "at",
        "client",
        "db",
        "folder",
        "inbox",
        "most_bytes",
        "new_id",
        "session_id",
        "top",
    )

    # By hand: a hook at a tool's result has no time to load dataclasses.
    def __init__(
        self,
        *,
        db: str,
        inbox: str,
        most_bytes: int,
        top: str,
        folder: str,
        session_id: str,
        agent: str,
        client: str,
        at: str,
        new_id: Callable[[], str],
    ) -> None:
        self.db = db
        self.inbox = inbox
        self.most_bytes = most_bytes
        self.top = top
        self.folder = folder
        self.session_id = session_id
        self.agent = agent
        self.client = client
        self.at = at
        self.new_id = new_id

    def write(self, lines: Sequence[str]) -> int:
        """Lines into the inbox."""
        return append(self.inbox, lines, most_bytes=self.most_bytes)

    def boundary(self) -> str:
        """A border that nobody could have known."""
        return os.urandom(6).hex()
