"""Messages to and from people: kept until they are sent, and once only when they come."""

from __future__ import annotations

from datetime import datetime

from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables.row_values import from_micros, to_micros


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One message: by which channel and way, when, with whom, what it says, and what has become of it."""

    id: str
    channel: str
    way: str
    at: datetime
    peer: str
    text: str
    state: str
    tries: int = 0
    problem: str = ""


def save_message(db: Db, message: StoredMessage, foreign_id: str | None = None) -> bool:
    """Keep a message; False if it came before."""
    changed = db.run(
        "message_put",
        id=message.id,
        channel=message.channel,
        way=message.way,
        at=to_micros(message.at),
        peer=message.peer,
        text=message.text,
        state=message.state,
        foreign_id=foreign_id,
    )
    return changed > 0


def list_messages(
    db: Db, way: str, state: str, *, channel: str | None = None, limit: int
) -> list[StoredMessage]:
    """Messages of one way and state, oldest first."""
    rows = db.rows("messages_in_state", way=way, state=state, channel=channel, limit=limit)
    return [
        StoredMessage(
            id=row["id"],
            channel=row["channel"],
            way=row["way"],
            at=from_micros(row["at"]),
            peer=row["peer"],
            text=row["text"],
            state=row["state"],
            tries=row["tries"],
            problem=row["problem"],
        )
        for row in rows
    ]


def set_state(db: Db, message_id: str, state: str, *, tried: bool = False, problem: str = "") -> None:
    """What has become of a message."""
    db.run("message_state", id=message_id, state=state, tried=int(tried), problem=problem)
