"""Record carving: rows read straight from pages of SQLite's file format, where the trees above them are damaged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import unpack
from typing import Any

from recollect.model.value import dataclass
from recollect.store.recovery import write_ahead_log

_TABLE_LEAF, _TABLE_INTERIOR, _INDEX_LEAF, _INDEX_INTERIOR = 13, 5, 10, 2
# Where the cells of a page are listed, by its type.
_CELLS_AT = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _INDEX_INTERIOR: 12}
_FILE_HEADER = 100
_MAX_COLUMNS = 100
_MAX_PAYLOAD = 64_000_000
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)

_BROKEN = (IndexError, ValueError, OverflowError)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarvedRecord:
    """One row as it lies in a page; `rowid` is None in a table that has no row numbers."""

    rowid: int | None
    values: tuple[Any, ...]


class PageFile:
    """The pages of a database file and of its logs. What the trees say of them is not asked."""

    def __init__(self, file: Path, logs: list[Path], size: int) -> None:
        self._size = size
        self._content = file.read_bytes() if file.is_file() else b""
        self._frames = [frame for log in logs for frame in write_ahead_log.read_frames(log, size)]
        self._newest = dict(self._frames)

    def carve_records(self, columns: range) -> Iterator[CarvedRecord]:
        """Every row with so many columns, the file's first, then the log's in their order."""
        for number in range(1, len(self._content) // self._size + 1):
            yield from self._carve_page(self._read_stored(number), columns, is_first=number == 1)
        for number, page in self._frames:
            yield from self._carve_page(page, columns, is_first=number == 1)

    def holds_rows(self) -> bool:
        """Whether any page has rows in it."""
        return any(True for _ in self.carve_records(range(2, _MAX_COLUMNS)))

    def list_catalogue(self) -> Iterator[tuple[int, bytes]]:
        """The pages that say which tables there are, by number: the tree that begins in the first page."""
        waiting, seen = [1], set[int]()
        while waiting:
            number = waiting.pop()
            page = self._read_stored(number)
            if number in seen or len(page) != self._size:
                continue
            seen.add(number)
            yield number, page
            start = _FILE_HEADER if number == 1 else 0
            if page[start] == _TABLE_INTERIOR:
                count = int.from_bytes(page[start + 3 : start + 5], "big")
                cells = [
                    unpack(">H", page[at : at + 2])[0] for at in range(start + 12, start + 12 + 2 * count, 2)
                ]
                waiting += [int.from_bytes(page[at : at + 4], "big") for at in (start + 8, *cells)]

    def _read_stored(self, number: int) -> bytes:
        return self._content[(number - 1) * self._size : number * self._size]

    def _carve_page(self, page: bytes, columns: range, *, is_first: bool) -> Iterator[CarvedRecord]:
        start = _FILE_HEADER if is_first else 0
        kind = page[start] if len(page) == self._size else 0
        if kind not in _CELLS_AT:
            return
        pointers = start + _CELLS_AT[kind]
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        for place in range(pointers, min(pointers + 2 * count, self._size - 1), 2):
            try:
                record = self._read_cell(page, int.from_bytes(page[place : place + 2], "big"), kind, columns)
            except _BROKEN:  # this cell is damaged, the next may be whole
                continue
            if record is not None:
                yield record

    def _read_cell(self, page: bytes, at: int, kind: int, columns: range) -> CarvedRecord | None:
        at += 4 if kind == _INDEX_INTERIOR else 0
        length, at = _read_varint(page, at)
        rowid = None
        if kind == _TABLE_LEAF:
            rowid, at = _read_varint(page, at)
        header, first = _read_varint(page, at)
        # Most pages hold other tables: the types are counted before anything is read.
        if not columns.start < header <= _MAX_COLUMNS * 9 or length > _MAX_PAYLOAD:
            return None
        payload = self._read_payload(page, at, length, kind)
        types = _read_types(payload, first - at, header)
        if len(types) not in columns:
            return None
        return CarvedRecord(rowid=rowid, values=tuple(_read_values(payload, header, types)))

    def _read_payload(self, page: bytes, at: int, length: int, kind: int) -> bytes:
        usable = self._size
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return page[at : at + length]
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= most else least
        payload = bytearray(page[at : at + local])
        following = int.from_bytes(page[at + local : at + local + 4], "big")
        while following and len(payload) < length:
            overflow = self._newest.get(following) or self._read_stored(following)
            if len(overflow) != usable:
                raise ValueError
            payload += overflow[4:]
            following = int.from_bytes(overflow[:4], "big")
        if len(payload) < length:
            raise ValueError
        return bytes(payload[:length])


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = content[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value << 8 | content[at + 8], at + 9


def _read_types(payload: bytes, at: int, end: int) -> list[int]:
    types = []
    while at < end:
        kind, at = _read_varint(payload, at)
        types.append(kind)
    if at != end:
        raise ValueError
    return types


def _read_values(payload: bytes, at: int, types: list[int]) -> Iterator[Any]:
    for kind in types:
        length = _measure_value(kind)
        body = payload[at : at + length]
        if len(body) != length:
            raise ValueError
        yield _read_value(kind, body)
        at += length
    if at != len(payload):
        raise ValueError


def _measure_value(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    if kind in (10, 11):
        raise ValueError
    return 8 if kind == 7 else 0 if kind > 7 else _INTEGER_BYTES[kind]


def _read_value(kind: int, body: bytes) -> Any:
    if kind >= 12:
        return body.decode() if kind % 2 else body
    if kind == 7:
        return float(unpack(">d", body)[0])
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(body, "big", signed=True) if kind else None
