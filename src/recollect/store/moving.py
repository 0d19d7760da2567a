"""
Moving a whole store to another database, row by row: from a file to a server, and back.

Every page of rows is written together with how far it came, so that a move that was stopped goes on there. At the end
both sides are read once more and compared, table by table. What was moved stays where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recollect.errors import BadInput, StoreCorrupt
from recollect.model.ids import blake2b
from recollect.model.value import dataclass
from recollect.store.db import Db, StoredTable
from recollect.store.search import fulltext, vectors
from recollect.store.tables import meta, vault_index

Progress = Callable[[int, int], None]

_PAGE = 2000
_STATE = "moving"
# Which steps a schema took, which store this is and how far another move came: each side's own.
_NOT_MOVED = frozenset({"migration"})
_OWN_KEYS = frozenset({"store", "commits", _STATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan:
    """What a move would copy: how many rows of each table, and how many of them are there already."""

    rows: Mapping[str, int]
    copied: int

    @property
    def total(self) -> int:
        """All rows together."""
        return sum(self.rows.values())


def plan_move(source: Db, target: Db | None) -> MovePlan:
    """What a move would do; refused where the target holds something else."""
    with source.one_moment():
        rows = {table.name: _count(source, table) for table in _tables(source)}
        copied = _resume(source, target)[1] if target else 0
    return MovePlan(rows={name: count for name, count in rows.items() if count}, copied=copied)


def move_store(source: Db, target: Db, progress: Progress) -> MovePlan:
    """Copy every row, make the indexes anew, and compare both sides."""
    with source.one_moment():
        plan = plan_move(source, target)
        state, _ = _resume(source, target)
        if state is None:
            _clear(target)
            state = {"source": _identity(source), "table": "", "after": [], "copied": 0}
        for table in _tables_after(target, state):
            _copy_table(source, target, table, state, lambda done: progress(done, plan.total))
        with target.transaction():
            target.access_tables().settle_numbers()
            fulltext.rebuild_search_index(target, lambda done, total: None)
            vault_index.rebuild_index(target)
        _compare(source, target)
        with target.transaction():
            meta.delete_meta(target, _STATE)
    return plan


def _clear(target: Db) -> None:
    """Nothing is left of an earlier move of other rows; what the target is called stays."""
    with target.transaction():
        access = target.access_tables()
        access.clear()
        own = next(table for table in access.tables() if table.name == "meta")
        for rows in list(_pages(target, own)):
            for row in rows:
                access.drop(own, tuple(_key(own, row)))


def _tables(db: Db) -> list[StoredTable]:
    with db.one_moment():
        return [table for table in db.access_tables().tables() if table.name not in _NOT_MOVED]


def _tables_after(target: Db, state: Mapping[str, Any]) -> list[StoredTable]:
    """The tables that are left, in the order in which the target wants them."""
    tables = _tables(target)
    names = [table.name for table in tables]
    return tables[names.index(state["table"]) :] if state["table"] in names else tables


def _copy_table(
    source: Db, target: Db, table: StoredTable, state: dict[str, Any], progress: Callable[[int], None]
) -> None:
    if state["table"] != table.name:
        state |= {"table": table.name, "after": []}
    for rows in _pages(source, table, tuple(state["after"])):
        state["after"] = _key(table, rows[-1])
        state["copied"] += len(rows)
        with target.transaction():
            target.access_tables().add(table, table.columns, rows)
            if table.name == "vector":
                _add_near(target, table, rows)
            meta.save_meta(target, _STATE, json.dumps(state))
        progress(state["copied"])


def _pages(db: Db, table: StoredTable, after: tuple[object, ...] = ()) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table in the order of its key."""
    access = db.access_tables()
    while rows := access.read(table, after, _PAGE):
        after = tuple(_key(table, rows[-1]))
        own = [
            row for row in rows if table.name != "meta" or row[table.columns.index("key")] not in _OWN_KEYS
        ]
        if own:
            yield own


def _key(table: StoredTable, row: tuple[Any, ...]) -> list[Any]:
    return [row[table.columns.index(column)] for column in table.key]


def _add_near(target: Db, table: StoredTable, rows: list[tuple[Any, ...]]) -> None:
    """The same vectors, as the target's own functions take them."""
    columns = ("seq", "model_num", "memory_num", "vector")
    places = [table.columns.index(column) for column in columns]
    vectors.add_near_vectors(target, [tuple(row[place] for place in places) for row in rows])


def _resume(source: Db, target: Db | None) -> tuple[dict[str, Any] | None, int]:
    """How far an earlier move of the same rows came; none where it begins."""
    if target is None:
        return None, 0
    text = meta.read_meta(target, _STATE)
    state = json.loads(text) if text else None
    if state is not None:
        return (state, int(state["copied"])) if state["source"] == _identity(source) else (None, 0)
    with target.one_moment():
        held = {table.name: _count(target, table) for table in target.access_tables().tables()}
    full = sorted(name for name, count in held.items() if count and name not in {*_NOT_MOVED, "meta"})
    if full:
        raise BadInput(
            reason=f"{target.path} is not empty ({', '.join(full[:5])}); a move needs a new file,"
            " a new database, or an organisation of its own (?organisation=NAME)"
        )
    return None, 0


def _identity(db: Db) -> str:
    """Which store this is, and as of which change: a move of an older state is begun anew."""
    changes = meta.read_meta(db, "commits") or str(db.version()[0])
    return f"{meta.read_meta(db, 'store')} {changes}"


def _count(db: Db, table: StoredTable) -> int:
    if table.name == "meta":
        return sum(map(len, _pages(db, table)))
    return db.access_tables().count(table)


def _compare(source: Db, target: Db) -> None:
    """Both sides read once more: as many rows, and the same."""
    with target.one_moment():
        for table in _tables(source):
            here, there = _digest(source, table), _digest(target, table)
            if here != there:
                raise StoreCorrupt(
                    path=target.path,
                    reason=f"{table.name} has {there[0]} rows after the move, {here[0]} before it, or they differ",
                )


def _digest(db: Db, table: StoredTable) -> tuple[int, str]:
    columns = sorted(table.columns)
    digest = blake2b(digest_size=16)
    count = 0
    for rows in _pages(db, table):
        for row in rows:
            cells = dict(zip(table.columns, row, strict=True))
            digest.update(repr([cells[column] for column in columns]).encode("utf-8", "surrogatepass"))
        count += len(rows)
    return count, digest.hexdigest()
