"""Reading memories: by id, by filter, and what ranking asks of candidates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from recollect.errors import AmbiguousId, NotFound
from recollect.model.ids import ID_LENGTH, looks_like_id
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.relation import Relation, RelationType
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.workref import WorkRef
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, json_list, json_list_or_none, to_micros

_PAGE = 500
# So many of the newest memories tell how long memories are.
FOR_A_MEAN = 1000
# Session-sized texts have their context inside; only short ones borrow from their neighbours.
SHORT_TEXT = 600
# A recall reads some twenty memories; looking an enum up by call costs more than all their SQL columns.
_STATES = {str(state): state for state in MemoryState}
_SCOPES = {str(scope): scope for scope in Scope}
_CHANNELS = {str(channel): channel for channel in Channel}
_SOURCES = {str(source): source for source in Source}


class Candidate(NamedTuple):
    """What ranking needs to know of a memory before it is worth reading whole; times as in the table."""

    num: int
    kind: str
    confidence: float
    happened_at: int
    created_at: int
    last_accessed_at: int | None
    access_count: int
    session_id: str | None
    # Whether an agent said it and nobody has confirmed it.
    unconfirmed: int
    stale_at: int | None
    fields: str
    size: int
    asks: int
    # How much more often it was judged useful than noise.
    judged: int
    # Whether a file it is about has changed.
    changed: int
    # Whether any of this speaks for or against it besides its text, age and use; most are plain, and ranked at once.
    is_marked: bool = False


class Place(NamedTuple):
    """How long a memory is, in bytes, and where it was noted: memories of one room lend each other their words."""

    size: int
    room: str | None


def by_id(db: Db, memory_id: str) -> Memory | None:
    """One memory, or none."""
    row = db.row("memory_by_id", id=memory_id)
    return memory_of(row) if row else None


def get(db: Db, name: str) -> Memory:
    """The memory with this id, or with the one id that begins so."""
    return _found(by_id(db, full_id(db, name)), name)


def full_id(db: Db, name: str) -> str:
    """The whole id for what a person typed of it."""
    typed = name.strip().upper()
    if not looks_like_id(typed):
        raise NotFound(what="memory", name=name)
    if len(typed) == ID_LENGTH:
        return typed
    beyond = typed[:-1] + chr(ord(typed[-1]) + 1)
    ids = [row["id"] for row in db.rows("memory_ids_from", prefix=typed, beyond=beyond, limit=4)]
    if not ids:
        raise NotFound(what="memory", name=name)
    if len(ids) > 1:
        raise AmbiguousId(
            prefix=name, count="several" if len(ids) > 3 else len(ids), examples=", ".join(ids[:3])
        )
    return str(ids[0])


def by_nums(db: Db, nums: Iterable[int]) -> dict[int, Memory]:
    """Several memories, whole, by their row numbers."""
    return {row["num"]: memory_of(row) for row in db.rows("memories_by_num", nums=json.dumps(list(nums)))}


def num_of(db: Db, memory_id: str) -> int:
    """The row number of a memory that exists."""
    row = db.row("memory_num", id=memory_id)
    if row is None:
        raise NotFound(what="memory", name=memory_id)
    return int(row["num"])


def listed(db: Db, filters: Filters, *, limit: int, offset: int = 0) -> list[Memory]:
    """Memories that pass a filter, newest first."""
    rows = db.rows("memories_listed", **filter_parameters(filters), limit=limit, offset=offset)
    return [memory_of(row) for row in rows]


def counted(db: Db, filters: Filters) -> int:
    """How many memories pass a filter."""
    row = db.row("memories_counted", **filter_parameters(filters))
    return int(row["memories"]) if row else 0


def is_any(db: Db, filters: Filters) -> bool:
    """Whether any memory passes a filter."""
    return db.row("memories_any", **filter_parameters(filters)) is not None


def every(db: Db, project_id: str | None, *, every_project: bool) -> Iterator[Memory]:
    """All memories in the order they were made, a page at a time."""
    after = 0
    while page := db.rows(
        "memories_page", after=after, limit=_PAGE, project_id=project_id, every_project=every_project
    ):
        yield from (memory_of(row) for row in page)
        after = page[-1]["num"]


def of_kind(db: Db, nums: Iterable[int], *, kind: str, project_id: str | None, limit: int) -> list[int]:
    """The newest of these memories that are in use and of one kind and project."""
    listed = json.dumps(list(nums))
    rows = db.rows("memory_of_kind", nums=listed, kind=kind, project_id=project_id, limit=limit)
    return [row["num"] for row in rows]


def candidates(db: Db, nums: Iterable[int], filters: Filters) -> dict[int, Candidate]:
    """Those of these memories that pass the filter."""
    rows = db.tuples("candidates_by_num", nums=json.dumps(list(nums)), **filter_parameters(filters))
    return {row[0]: marked(Candidate(*row)) for row in rows}


def marked(row: Candidate) -> Candidate:
    """The candidate, knowing whether more is to be looked at than its text, age and use."""
    is_marked = row.unconfirmed or row.stale_at or row.asks or row.judged or row.changed
    return row._replace(is_marked=True) if is_marked else row


def places(db: Db, nums: Iterable[int]) -> dict[int, Place]:
    """Size and room of these memories. Long ones have no room: they hold their context themselves."""
    rows = db.tuples("places_by_num", nums=json.dumps(list(nums)), short=SHORT_TEXT)
    return {num: Place(size, room) for num, size, room in rows}


def all_places(db: Db) -> dict[int, Place]:
    """Size and room of every memory."""
    return {num: Place(size, room) for num, size, room in db.tuples("places_all", short=SHORT_TEXT)}


def mean_size(db: Db) -> float:
    """How many bytes the texts of the newest memories have on average; 1 where there is none."""
    row = db.row("memory_mean_size", newest=FOR_A_MEAN)
    return float(row["size"]) if row and row["size"] else 1.0


def in_time(db: Db, start: datetime, end: datetime, filters: Filters, limit: int) -> list[int]:
    """Memories that happened between two moments, newest first."""
    parameters = filter_parameters(filters)
    rows = db.rows(
        "memory_nums_in_time", from_at=to_micros(start), to_at=to_micros(end), limit=limit, **parameters
    )
    return [row["num"] for row in rows]


def newest_id(db: Db) -> str:
    """The highest id there is; empty in an empty store."""
    row = db.row("memory_highest_id")
    return str(row["id"] or "") if row else ""


def newest_at(db: Db) -> datetime | None:
    """When the newest memory was made."""
    row = db.row("memory_newest_at")
    return from_micros(row["created_at"]) if row else None


def highest_num(db: Db) -> int:
    """About how many memories there are."""
    row = db.row("memory_highest_num")
    return int(row["num"]) if row else 0


def filter_parameters(filters: Filters) -> dict[str, object]:
    """A filter as the parameters of the `filters` part."""
    work = json_list(filters.work.hierarchy) if filters.work else None
    return {
        "states": json_list(filters.states),
        "every_project": int(filters.every_project),
        "project_id": filters.project_id,
        "kinds": json_list_or_none(filters.kinds),
        "scopes": json_list_or_none(filters.scopes),
        "sources": json_list_or_none(filters.sources),
        "sessions": json_list_or_none(filters.sessions),
        "min_confidence": filters.min_confidence,
        "fresh": int(filters.fresh),
        "methodology": filters.work.methodology if filters.work else filters.methodology,
        "work_path": work,
        # ["a"] also holds what lies under it: ["a","b"] begins with ["a",
        "work_prefix": work[:-1] + "," if work else None,
        "since": to_micros(filters.since) if filters.since else None,
        "until": to_micros(filters.until) if filters.until else None,
        "subjects": json_list_or_none(filters.subjects),
        "tags": json_list_or_none(filters.tags),
    }


def memory_of(row: Row) -> Memory:
    """A memory from its row."""
    return Memory(
        id=row["id"],
        text=row["text"],
        kind=row["kind"],
        state=_STATES[row["state"]],
        confidence=row["confidence"],
        scope=_SCOPES[row["scope"]],
        project_id=row["project_id"],
        subjects=tuple(_subject(text) for text in _listed(row["subjects"])),
        tags=tuple(_listed(row["tags"])),
        work=_work(row),
        provenance=_provenance(row),
        trust=Trust(verified=bool(row["verified"]), needs_review=bool(row["needs_review"])),
        pinned=bool(row["pinned"]),
        citation=row["citation"],
        half_life_days=row["half_life_days"],
        relations=tuple(_relation(*parts) for parts in _listed(row["relations"])),
        fields=json.loads(row["fields"]) if row["fields"] != "{}" else {},
        happened_at=from_micros(row["happened_at"]),
        created_at=from_micros(row["created_at"]),
        updated_at=from_micros(row["updated_at"]),
        last_accessed_at=_moment(row["last_accessed_at"]),
        access_count=row["access_count"],
        stale_at=_moment(row["stale_at"]),
        stale_why=row["stale_why"],
        base_confidence=row["base_confidence"],
        reinforced_at=_moment(row["reinforced_at"]),
        sessions=tuple(_listed(row["sessions"])),
        useful=row["useful"] or 0,
        noise=row["noise"] or 0,
    )


def _found(memory: Memory | None, name: str) -> Memory:
    if memory is None:
        raise NotFound(what="memory", name=name)
    return memory


@lru_cache(maxsize=4096)
def _subject(text: str) -> Subject:
    kind, _, name = text.partition(":")
    return Subject(kind, name)


def _work(row: Row) -> WorkRef | None:
    if row["work_path"] is None:
        return None
    hierarchy = tuple(json.loads(row["work_path"]))
    return WorkRef(methodology=row["methodology"], hierarchy=hierarchy, label=row["work_label"])


def _provenance(row: Row) -> Provenance:
    return Provenance(
        channel=_CHANNELS[row["channel"]],
        source=_SOURCES[row["source"]],
        session_id=row["session_id"],
        phase=Phase(row["phase"]) if row["phase"] else None,
        commit_sha=row["commit_sha"],
        event_ids=tuple(_listed(row["event_ids"])),
    )


def _relation(
    kind: str, memory_id: str | None, path: str | None, confidence: float, auto_extracted: int
) -> Relation:
    return Relation(
        type=RelationType(kind),
        memory_id=memory_id,
        path=path,
        confidence=confidence,
        auto_extracted=bool(auto_extracted),
    )


def _listed(text: str) -> list[Any]:
    # Most lists are empty, and a recall reads five of them per memory.
    return json.loads(text) if text != "[]" else []


def _moment(micros: int | None) -> datetime | None:
    return from_micros(micros) if micros is not None else None
