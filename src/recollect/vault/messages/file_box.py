"""Messages as lines of two notes, Outbox and Inbox: the channel that needs nothing but the vault."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from recollect.errors import BadInput, NotFound
from recollect.vault import layout
from recollect.vault.context import VaultContext
from recollect.vault.journal import to_one_line
from recollect.vault.messages.channel import ReceivedMessage
from recollect.vault.notes import append_note, read_note

_ITEM = re.compile(r"[-*+][ \t]+(.+)")


class FileBox:
    """Two notes: what is sent is a line in Outbox, and every item a person writes in Inbox is a message."""

    name = "file"

    def __init__(self, ctx: VaultContext) -> None:
        self._ctx = ctx

    def send(self, text: str) -> None:
        """A line in the Outbox."""
        append_note(self._ctx, layout.OUTBOX, f"- {self._ctx.local_now():%Y-%m-%d %H:%M} {to_one_line(text)}")

    def receive(self) -> list[ReceivedMessage]:
        """The items of the Inbox; two that say the same are two messages."""
        try:
            text = read_note(self._ctx, layout.INBOX)
        except (NotFound, BadInput):
            return []
        times: Counter[str] = Counter()
        messages: list[ReceivedMessage] = []
        for line in text.split("\n"):
            if match := _ITEM.match(line):
                line_text = match[1].strip()
                times[line_text] += 1
                name = hashlib.sha256(f"{times[line_text]}:{line_text}".encode()).hexdigest()[:24]
                messages.append(ReceivedMessage(foreign_id=name, text=line_text, peer="inbox"))
        return messages
