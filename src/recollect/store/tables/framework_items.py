"""Values of frameworks under namespaces and keys, with the vectors they are searched by and the time they have."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from recollect.model.framework_state import ItemWrite, KeyedItem
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables.framework_logs import exact_json
from recollect.store.tables.row_values import from_micros, to_micros

# Behind every label of a namespace, so that ("foo",) is no beginning of ("foobar",).
SEPARATOR = "\x1f"
_AFTER_SEPARATOR = "\x20"
_AFTER_ALL = "\U0010ffff"
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """A row: the value, and what its time to live needs."""

    num: int
    item: KeyedItem
    ttl_seconds: float | None
    expires_at: datetime | None


def save(db: Db, write: ItemWrite, at: datetime) -> None:
    """Keep a value, or remove it."""
    namespace = join_namespace(write.namespace)
    if write.value is None:
        db.run("framework_item_delete", namespace=namespace, key=write.key)
        return
    db.run(
        "framework_item_put",
        namespace=namespace,
        key=write.key,
        value=exact_json(write.value),
        at=to_micros(at),
        ttl_seconds=write.ttl_seconds,
        expires_at=_expiry(at, write.ttl_seconds),
    )
    stored = find(db, write.namespace, write.key)
    assert stored is not None, "it was just written"
    db.run("framework_vectors_clear", item=stored.num)
    for number, vector in enumerate(write.vectors):
        db.run(
            "framework_vector_add",
            item=stored.num,
            number=number,
            model=write.model,
            vector=struct.pack(f"<{len(vector)}f", *vector),
        )


def find(db: Db, namespace: tuple[str, ...], key: str) -> StoredItem | None:
    """One value."""
    row = db.row("framework_item_get", namespace=join_namespace(namespace), key=key)
    return _stored(row) if row else None


def by_number(db: Db, num: int) -> StoredItem:
    """One value, by the number of its row."""
    row = db.row("framework_item_by_number", num=num)
    assert row is not None, "its vector was just read"
    return _stored(row)


def list_below(db: Db, prefix: tuple[str, ...], alive_at: datetime | None) -> Iterator[StoredItem]:
    """The values of a namespace and all below it, the newest first, read page by page."""
    first, last = _range(prefix)
    offset = 0
    while True:
        rows = db.rows(
            "framework_items_below",
            first=first,
            last=last,
            alive_at=_micros_or_none(alive_at),
            limit=_PAGE,
            offset=offset,
        )
        yield from map(_stored, rows)
        if len(rows) < _PAGE:
            return
        offset += _PAGE


def vectors_below(
    db: Db, prefix: tuple[str, ...], model: str, alive_at: datetime | None
) -> list[tuple[int, bytes]]:
    """The vectors of a namespace and all below it, each with the number of its value."""
    first, last = _range(prefix)
    rows = db.tuples(
        "framework_vectors_below", first=first, last=last, model=model, alive_at=_micros_or_none(alive_at)
    )
    return [(int(num), bytes(vector)) for num, vector in rows]


def namespaces(db: Db, alive_at: datetime | None) -> list[tuple[str, ...]]:
    """All namespaces that hold something."""
    rows = db.tuples("framework_namespaces", alive_at=_micros_or_none(alive_at))
    return [split_namespace(namespace) for (namespace,) in rows]


def touch(db: Db, stored: StoredItem, at: datetime) -> None:
    """A value was read: its time begins anew."""
    db.run("framework_item_touch", num=stored.num, expires_at=_expiry(at, stored.ttl_seconds))


def expire(db: Db, at: datetime) -> int:
    """Remove what is over; how many went."""
    return db.run("framework_items_expire", at=to_micros(at))


def join_namespace(labels: tuple[str, ...]) -> str:
    """A namespace as the table keeps it."""
    return "".join(label + SEPARATOR for label in labels)


def split_namespace(text: str) -> tuple[str, ...]:
    """The labels of a namespace."""
    return tuple(text.split(SEPARATOR)[:-1])


def _range(prefix: tuple[str, ...]) -> tuple[str, str]:
    """From where to where a namespace and all below it lie, in the order of the table."""
    joined = join_namespace(prefix)
    return joined, joined[:-1] + _AFTER_SEPARATOR if joined else _AFTER_ALL


def _stored(row: Mapping[str, Any]) -> StoredItem:
    return StoredItem(
        num=row["num"],
        ttl_seconds=row["ttl_seconds"],
        expires_at=from_micros(row["expires_at"]) if row["expires_at"] is not None else None,
        item=KeyedItem(
            namespace=split_namespace(row["namespace"]),
            key=row["item_key"],
            value=json.loads(row["value"]),
            created_at=from_micros(row["created_at"]),
            updated_at=from_micros(row["updated_at"]),
        ),
    )


def _expiry(at: datetime, ttl_seconds: float | None) -> int | None:
    return to_micros(at + timedelta(seconds=ttl_seconds)) if ttl_seconds is not None else None


def _micros_or_none(at: datetime | None) -> int | None:
    return to_micros(at) if at is not None else None
