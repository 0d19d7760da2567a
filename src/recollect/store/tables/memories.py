"""Reading memories: by id, by filter, and the few columns that ranking needs of many."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from recollect.errors import AmbiguousId, NotFound, StoreCorrupt
from recollect.model.ids import ID_LENGTH, looks_like_id
from recollect.model.memory import Memory, MemoryState, Relation, RelationType, Trust
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.query import Filters
from recollect.model.scope import Scope, WorkRef
from recollect.model.subject import Subject
from recollect.store.db import Db, Row
from recollect.store.tables.checksum import compute_checksum
from recollect.store.tables.row_values import from_micros, json_list, json_list_or_none, to_micros

_PAGE = 500
# So many of the newest memories tell how long memories are.
MEAN_SAMPLE = 1000
# Session-sized texts have their context inside; only short ones borrow from their neighbours.
SHORT_TEXT = 600
# A recall reads some twenty memories; looking an enum up by call costs more than all their SQL columns.
_STATES = {str(state): state for state in MemoryState}
_SCOPES = {str(scope): scope for scope in Scope}
_CHANNELS = {str(channel): channel for channel in Channel}
_SOURCES = {str(source): source for source in Source}


class RankingRow(NamedTuple):
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


class MemoryPlace(NamedTuple):
    """How long a memory is, in bytes, and where it was noted: memories of one room lend each other their words."""

    size: int
    room: str | None


def find_memory(db: Db, memory_id: str) -> Memory | None:
    """One memory, or none."""
    row = db.row("memory_by_id", id=memory_id)
    return memory_from_row(row) if row and _check_intact(db, row) else None


def get_memory(db: Db, name: str) -> Memory:
    """The memory with this id, or with the one id that begins so."""
    return _check_found(find_memory(db, complete_id(db, name)), name)


def complete_id(db: Db, name: str) -> str:
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


def read_memories(db: Db, nums: Iterable[int]) -> dict[int, Memory]:
    """Several memories, whole, by their row numbers."""
    return {
        row["num"]: memory_from_row(row)
        for row in db.rows("memories_by_num", nums=json.dumps(list(nums)))
        if is_intact(row)
    }


def is_kept(db: Db, memory_id: str) -> bool:
    """Whether there is a memory with this id, in whatever state."""
    return db.row("memory_known", id=memory_id) is not None


def get_num(db: Db, memory_id: str) -> int:
    """The row number of a memory that exists."""
    row = db.row("memory_num", id=memory_id)
    if row is None:
        raise NotFound(what="memory", name=memory_id)
    return int(row["num"])


def list_memories(db: Db, filters: Filters, *, limit: int, offset: int = 0) -> list[Memory]:
    """Memories that pass a filter, newest first."""
    rows = db.rows("memories_listed", **filter_parameters(filters), limit=limit, offset=offset)
    return [memory_from_row(row) for row in rows if is_intact(row)]


def count_memories(db: Db, filters: Filters) -> int:
    """How many memories pass a filter."""
    row = db.row("memories_counted", **filter_parameters(filters))
    return int(row["memories"]) if row else 0


def has_any(db: Db, filters: Filters) -> bool:
    """Whether any memory passes a filter."""
    return db.row("memories_any", **filter_parameters(filters)) is not None


def iterate_memories(db: Db, project_id: str | None, *, every_project: bool) -> Iterator[Memory]:
    """All memories in the order they were made, a page at a time."""
    after = 0
    while page := db.rows(
        "memories_page", after=after, limit=_PAGE, project_id=project_id, every_project=every_project
    ):
        yield from (memory_from_row(row) for row in page if is_intact(row))
        after = page[-1]["num"]


def find_same_form(db: Db, normal_hash: str, *, kind: str, project_id: str | None, limit: int) -> list[int]:
    """Memories in use of one kind and project whose text has this normal form."""
    rows = db.tuples(
        "memory_same_form", normal_hash=normal_hash, kind=kind, project_id=project_id, limit=limit
    )
    return [num for (num,) in rows]


def find_known_forms(db: Db, normal_hashes: Iterable[str]) -> set[str]:
    """Those of these normal forms that the text of any memory has."""
    return {form for (form,) in db.tuples("memory_forms_known", hashes=json_list(normal_hashes))}


def list_ageing(db: Db, fading_kinds: Iterable[str], *, after: int, limit: int) -> list[int]:
    """A page of memories that may age, by number: of these kinds, or with a half-life of their own."""
    rows = db.rows("ageing_page", after=after, fading=json.dumps(list(fading_kinds)), limit=limit)
    return [row["num"] for row in rows]


def list_relations_from(db: Db, memory_id: str, limit: int) -> list[Relation]:
    """How a memory bears on other memories."""
    return [
        Relation(
            type=RelationType(row["type"]), memory_id=row["target_memory_id"], confidence=row["confidence"]
        )
        for row in db.rows("relations_from", id=memory_id, limit=limit)
    ]


def read_candidates(db: Db, nums: Iterable[int], filters: Filters) -> dict[int, RankingRow]:
    """Those of these memories that pass the filter."""
    rows = db.tuples("candidates_by_num", nums=json.dumps(list(nums)), **filter_parameters(filters))
    return {row[0]: mark_candidate(RankingRow(*row)) for row in rows}


def mark_candidate(row: RankingRow) -> RankingRow:
    """The candidate, knowing whether more is to be looked at than its text, age and use."""
    is_marked = row.unconfirmed or row.stale_at or row.asks or row.judged or row.changed
    return row._replace(is_marked=True) if is_marked else row


def read_places(db: Db, nums: Iterable[int]) -> dict[int, MemoryPlace]:
    """Size and room of these memories. Long ones have no room: they hold their context themselves."""
    rows = db.tuples("places_by_num", nums=json.dumps(list(nums)), short=SHORT_TEXT)
    return {num: MemoryPlace(size, room) for num, size, room in rows}


def read_all_places(db: Db) -> dict[int, MemoryPlace]:
    """Size and room of every memory."""
    return {num: MemoryPlace(size, room) for num, size, room in db.tuples("places_all", short=SHORT_TEXT)}


def read_mean_size(db: Db) -> float:
    """How many bytes the texts of the newest memories have on average; 1 where there is none."""
    row = db.row("memory_mean_size", newest=MEAN_SAMPLE)
    return float(row["size"]) if row and row["size"] else 1.0


def find_in_time(db: Db, start: datetime, end: datetime, filters: Filters, limit: int) -> list[int]:
    """Memories that happened between two moments, newest first."""
    parameters = filter_parameters(filters)
    rows = db.rows(
        "memory_nums_in_time", from_at=to_micros(start), to_at=to_micros(end), limit=limit, **parameters
    )
    return [row["num"] for row in rows]


def find_newest_id(db: Db) -> str:
    """The highest id there is; empty in an empty store."""
    row = db.row("memory_highest_id")
    return str(row["id"] or "") if row else ""


def find_newest_time(db: Db) -> datetime | None:
    """When the newest memory was made."""
    row = db.row("memory_newest_at")
    return from_micros(row["created_at"]) if row else None


def read_highest_num(db: Db) -> int:
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
        "by_person": int(filters.by_person),
        "methodology": filters.work.methodology if filters.work else filters.methodology,
        "work_path": work,
        # ["a"] also holds what lies under it: ["a","b"] begins with ["a",
        "work_prefix": work[:-1] + "," if work else None,
        "since": to_micros(filters.since) if filters.since else None,
        "until": to_micros(filters.until) if filters.until else None,
        "subjects": json_list_or_none(filters.subjects),
        "tags": json_list_or_none(filters.tags),
    }


def is_intact(row: Row) -> bool:
    """Whether a memory's row is as it was written; one from before there were checksums is believed."""
    try:
        return row["seal"] is None or bool(row["seal"] == compute_checksum(memory_from_row(row)))
    except (
        KeyError,
        ValueError,
        TypeError,
        OverflowError,
    ):  # damage can make of a row what is no memory at all
        return False


def _check_intact(db: Db, row: Row) -> bool:
    """The same for one memory that was named: what is damaged is not served, and that is said."""
    if not is_intact(row):
        raise StoreCorrupt(path=db.path, reason=f"memory {row['id']} is not as it was written")
    return True


def memory_from_row(row: Row) -> Memory:
    """A memory from its row."""
    return Memory(
        id=row["id"],
        text=row["text"],
        kind=row["kind"],
        state=_STATES[row["state"]],
        confidence=row["confidence"],
        scope=_SCOPES[row["scope"]],
        project_id=row["project_id"],
        subjects=tuple(_subject_from_text(text) for text in _parse_list(row["subjects"])),
        tags=tuple(_parse_list(row["tags"])),
        work=_work_from_row(row),
        provenance=_provenance_from_row(row),
        trust=Trust(verified=bool(row["verified"]), needs_review=bool(row["needs_review"])),
        pinned=bool(row["pinned"]),
        citation=row["citation"],
        half_life_days=row["half_life_days"],
        relations=tuple(_relation_from_list(*parts) for parts in _parse_list(row["relations"])),
        fields=json.loads(row["fields"]) if row["fields"] != "{}" else {},
        happened_at=from_micros(row["happened_at"]),
        created_at=from_micros(row["created_at"]),
        updated_at=from_micros(row["updated_at"]),
        last_accessed_at=_moment_from_row(row["last_accessed_at"]),
        access_count=row["access_count"],
        stale_at=_moment_from_row(row["stale_at"]),
        stale_why=row["stale_why"],
        base_confidence=row["base_confidence"],
        reinforced_at=_moment_from_row(row["reinforced_at"]),
        sessions=tuple(_parse_list(row["sessions"])),
        useful=row["useful"] or 0,
        noise=row["noise"] or 0,
        owner=row["owner"],
    )


def _check_found(memory: Memory | None, name: str) -> Memory:
    if memory is None:
        raise NotFound(what="memory", name=name)
    return memory


@lru_cache(maxsize=4096)
def _subject_from_text(text: str) -> Subject:
    kind, _, name = text.partition(":")
    return Subject(kind, name)


def _work_from_row(row: Row) -> WorkRef | None:
    if row["work_path"] is None:
        return None
    hierarchy = tuple(json.loads(row["work_path"]))
    return WorkRef(methodology=row["methodology"], hierarchy=hierarchy, label=row["work_label"])


def _provenance_from_row(row: Row) -> Provenance:
    return Provenance(
        channel=_CHANNELS[row["channel"]],
        source=_SOURCES[row["source"]],
        session_id=row["session_id"],
        phase=Phase(row["phase"]) if row["phase"] else None,
        commit_sha=row["commit_sha"],
        event_ids=tuple(_parse_list(row["event_ids"])),
    )


def _relation_from_list(
    kind: str, memory_id: str | None, path: str | None, confidence: float, auto_extracted: int
) -> Relation:
    return Relation(
        type=RelationType(kind),
        memory_id=memory_id,
        path=path,
        confidence=confidence,
        auto_extracted=bool(auto_extracted),
    )


def _parse_list(text: str) -> list[Any]:
    # Most lists are empty, and a recall reads five of them per memory.
    return json.loads(text) if text != "[]" else []


def _moment_from_row(micros: int | None) -> datetime | None:
    return from_micros(micros) if micros is not None else None
