"""What was read, as the words of its sentences, each once a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from recollect.model.event import Event, EventType
from recollect.model.normal_form import text_hash
from recollect.store.db import Db
from recollect.store.tables.row_values import to_micros

# More of them are not compared with a note: the oldest readings go.
MOST_STATEMENTS = 20_000
_CUT, _WITHHELD = "cut:", "withheld:"
_CODE, _PROSE, _OWN = "code", "prose", "own"


class ReadStatement(NamedTuple):
    """The words of a sentence that was read, and where."""

    num: int
    words: str
    from_code: bool
    event_id: str


def save_statements(db: Db, events: Iterable[tuple[Event, str | None]]) -> None:
    """Keep what events had read, each with its project."""
    db.run_many("read_statement_put", (row for event, home in events for row in _rows(event, home or "")))


def list_statements_after(db: Db, project_id: str | None, num: int) -> list[ReadStatement]:
    """What was read in a project, the newest last, from a number on."""
    return [
        ReadStatement(row["num"], row["words"], row["source"] == _CODE, row["event_id"])
        for row in db.rows("read_statements_after", project_id=project_id or "", num=num)
    ]


def find_cut_reading(db: Db, project_id: str | None, session_id: str) -> str | None:
    """The event in which a session read more than could be kept."""
    row = db.row("read_statements_cut", project_id=project_id or "", key=_CUT + session_id)
    return row["event_id"] if row else None


def find_withheld_reading(db: Db, project_id: str | None, session_id: str) -> str | None:
    """The event in which a session saw a file that is kept out of the record."""
    row = db.row("read_statements_cut", project_id=project_id or "", key=_WITHHELD + session_id)
    return row["event_id"] if row else None


def delete_old_statements(db: Db, before: datetime, limit: int) -> int:
    """Forget what was read before this, and what is too much; how many."""
    rows = db.rows("read_statements_old", before=to_micros(before), most=MOST_STATEMENTS, limit=limit)
    db.run_many("read_statement_delete", ({"num": row["num"]} for row in rows))
    return len(rows)


def delete_statements_of(db: Db, event_ids: Iterable[str]) -> None:
    """Forget what these events had read."""
    db.run_many("read_statements_of_event_delete", ({"event_id": event_id} for event_id in event_ids))


def _rows(event: Event, project_id: str) -> Iterator[dict[str, object]]:
    common: dict[str, object] = {
        "project_id": project_id,
        "event_id": event.id,
        "session_id": event.session_id,
        "at": to_micros(event.at),
    }
    read_from = _CODE if event.data.get("from_code") else _PROSE
    for name, source in (("statements", read_from), ("written", _OWN)):
        for words in event.data.get(name, ()):
            if isinstance(words, str) and words:
                yield {**common, "key": text_hash(words), "words": words, "source": source}
    if event.data.get("unseen"):
        yield {**common, "key": _CUT + event.session_id, "words": "", "source": _PROSE}
    if event.data.get("excluded") and event.type is EventType.TOOL_FINISHED:
        yield {**common, "key": _WITHHELD + event.session_id, "words": "", "source": _PROSE}
