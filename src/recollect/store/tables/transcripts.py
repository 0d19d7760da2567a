"""How far each past transcript was read."""

from __future__ import annotations

from recollect.model.value import dataclass
from recollect.store.db import Db


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A file as it was when it was read, and how far."""

    size: int
    # Nanoseconds, as the file system says.
    modified_at: int
    read_to: int


def state(db: Db, path: str) -> State | None:
    """How far a file was read; None for one never seen."""
    row = db.row("transcript_state", path=path)
    return State(size=row["size"], modified_at=row["modified_at"], read_to=row["read_to"]) if row else None


def put(db: Db, path: str, client: str, state: State, session_id: str) -> None:
    """A file was read so far."""
    db.run(
        "transcript_read",
        path=path,
        client=client,
        size=state.size,
        modified_at=state.modified_at,
        read_to=state.read_to,
        session_id=session_id,
    )
