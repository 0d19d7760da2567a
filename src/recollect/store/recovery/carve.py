"""Carved rows brought into a sound store: what is newer than what is there and as it was sealed, or fills a gap."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, islice, product, takewhile
from typing import Any

from recollect.model.value import dataclass
from recollect.store.recovery import salvage
from recollect.store.recovery.pages import CarvedRecord, PageFile
from recollect.store.sqlite.catalogue import Table, list_tables
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.tables import row_checksums

_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")

# Older rows may lie beside newer ones: so many combinations are compared with the seal.
_MAX_TRIES = 32

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CarvedMemories:
    """What pages hold of memories, whether or not a tree still leads to them; `highest` is the last number given."""

    memories: dict[str, list[CarvedRecord]]
    hanging: dict[int, set[Values]]
    relations: dict[int, set[Values]]
    history: dict[int, Values]
    highest: int
    commits: int


class _NotSoundError(Exception):
    """Taken back: it is not what was sealed."""


def carve_memories(pages: PageFile, new: SqliteDb) -> CarvedMemories:
    """Read all pages once; what a row is, is told by its shape."""
    tables = {table.name: table for table in list_tables(new)}
    width = len(tables["memory"].columns)
    memories: dict[str, list[CarvedRecord]] = defaultdict(list)
    hanging: dict[int, set[Values]] = defaultdict(set)
    relations: dict[int, set[Values]] = defaultdict(set)
    history: dict[int, Values] = {}
    highest = commits = 0
    for record in pages.carve_records(range(2, width + 1)):
        values, rowid = record.values, record.rowid
        if rowid is None and values[0] == "commits" and str(values[1]).isdecimal():
            commits = max(commits, int(values[1]))
        elif rowid is None:
            _add_hanging(hanging, values)
        elif len(values) > width - 6 and _is_id(values[1]):
            memories[values[1]].append(record)
            highest = max(highest, rowid)
        elif len(values) == len(tables["history"].columns) and _is_id(values[1]) and _is_id(values[2]):
            history[rowid] = (rowid, *values[1:])
        elif len(values) == len(tables["relation"].columns) and isinstance(values[1], int):
            relations[values[1]].add(values[2:])
        elif len(values) == 2 and values[0] == "memory" and isinstance(values[1], int):
            highest = max(highest, values[1])
    return CarvedMemories(
        memories=memories,
        hanging=hanging,
        relations=relations,
        history=history,
        highest=highest,
        commits=commits,
    )


def pour_carved(carved: CarvedMemories, new: SqliteDb) -> set[str]:
    """Bring over what is newer than what is there, or missing; the ids of all that are as new as any page has them."""
    tables = {table.name: table for table in list_tables(new)}
    for values in carved.history.values():
        salvage.write_missing(new, tables["history"], tables["history"].columns, values)
    purged = {str(row["id"]) for row in new.rows("history_purged")}
    rows = list(row_checksums.check_rows(new))
    present = {str(row["id"]): int(row["updated_at"]) if sound else -1 for row, sound in rows}
    numbers = _FreeNumbers({int(row["num"]): str(row["id"]) for row, _ in rows}, carved.highest)
    came: set[str] = set()
    for memory_id, records in carved.memories.items():
        newer = _list_newer(records, tables["memory"], present.get(memory_id, -1))
        if not newer and memory_id in present:
            came.add(memory_id)
        if memory_id in purged or not newer:
            continue
        num = numbers.choose(memory_id, newer[0].rowid or 0)
        is_sound = any(_put_sound(new, tables, carved, record, num) for record in newer)
        # What is not as it was sealed fills a gap, and will wait.
        if is_sound or (memory_id not in present and _put_row(new, tables["memory"], newer[0], num)):
            came.add(memory_id)
    return came


class _FreeNumbers:
    """Numbers for rows that come back: their own, unless it was given again after they were lost."""

    def __init__(self, owners: dict[int, str], highest: int) -> None:
        self._owners = owners
        self._highest = max(highest, *owners, 0)

    def choose(self, memory_id: str, num: int) -> int:
        if self._owners.setdefault(num, memory_id) == memory_id:
            return num
        self._highest += 1
        self._owners[self._highest] = memory_id
        return self._highest


def _list_newer(records: list[CarvedRecord], memory: Table, since: int) -> list[CarvedRecord]:
    at = memory.columns.index("updated_at")
    newer = [r for r in records if isinstance(r.values[at], int) and r.values[at] > since]
    return sorted(newer, key=lambda record: int(record.values[at]), reverse=True)


def _put_sound(
    new: SqliteDb, tables: dict[str, Table], carved: CarvedMemories, record: CarvedRecord, num: int
) -> bool:
    """The memory, if with what hangs on it it is what was sealed: with what is there, or with what was carved."""
    rows = carved.hanging.get(record.rowid or 0, set())
    relations = carved.relations.get(record.rowid or 0, set())
    for hanging, linked in product(((), *_list_hanging(rows)), ((), relations) if relations else ((),)):
        try:
            with new.transaction():
                _put_row(new, tables["memory"], record, num)
                for text, _, position in hanging:
                    table = tables["memory_subject" if ":" in text else "memory_tag"]
                    salvage.write_missing(new, table, table.columns, (text, num, position))
                for values in linked:
                    salvage.write_missing(
                        new, tables["relation"], tables["relation"].columns[1:], (num, *values)
                    )
                if not row_checksums.is_sealed(new, num):
                    raise _NotSoundError
        except _NotSoundError:
            continue
        return True
    return False


def _list_hanging(rows: set[Values]) -> Iterator[Sequence[Values]]:
    """Which subjects and tags a memory may have had: one for each position, from the first on without a gap."""
    places: list[list[Values]] = []
    for is_subject in (True, False):
        by_position: dict[int, list[Values]] = defaultdict(list)
        for values in sorted(rows):
            if (":" in values[0]) is is_subject:
                by_position[values[2]].append(values)
        places += [by_position[at] for at in takewhile(by_position.__contains__, count())]
    return islice(product(*places), _MAX_TRIES)


def _put_row(new: SqliteDb, table: Table, record: CarvedRecord, num: int) -> bool:
    # A row from before a column was added is shorter; the rest has its default.
    columns = table.columns[: len(record.values)]
    return salvage.write_over(new, table, columns, (num, *record.values[1:]))


def _add_hanging(hanging: dict[int, set[Values]], values: Values) -> None:
    if len(values) != 3:
        return
    if isinstance(values[0], str) and isinstance(values[1], int) and isinstance(values[2], int):
        hanging[values[1]].add(values)
    elif isinstance(values[2], str) and isinstance(values[0], int) and isinstance(values[1], int):
        hanging[values[0]].add((values[2], values[0], values[1]))


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(_ID.fullmatch(value))
