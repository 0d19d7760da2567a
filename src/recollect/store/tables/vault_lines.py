"""Lines of notes that show memories."""

from __future__ import annotations

from recollect.model.value import dataclass
from recollect.store.db import Db


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """The line that shows a memory: its note, and a digest of what it said when both sides agreed."""

    memory_id: str
    note: int
    path: str
    shown: str


def save_line(db: Db, vault: int, memory_id: str, note: int, shown: str) -> None:
    """A memory is shown by a line of this note."""
    db.run("vault_line_put", vault=vault, memory_id=memory_id, note=note, shown=shown)


def find_line(db: Db, vault: int, memory_id: str) -> LineRow | None:
    """The line that shows a memory."""
    row = db.row("vault_line_of_memory", vault=vault, memory_id=memory_id)
    return LineRow(**row) if row else None


def list_lines(db: Db, note: int) -> list[LineRow]:
    """The lines of a note that show memories."""
    return [LineRow(**row) for row in db.rows("vault_lines_of_note", note=note)]


def list_purged_lines(db: Db, vault: int) -> list[LineRow]:
    """Lines of memories that were removed for good."""
    return [LineRow(**row) for row in db.rows("vault_lines_purged", vault=vault)]


def delete_line(db: Db, vault: int, memory_id: str) -> None:
    """A memory is no longer shown by a line."""
    db.run("vault_line_delete", vault=vault, memory_id=memory_id)
