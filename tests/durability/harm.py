"""Ways in which the files of a store get damaged, each a function of a folder and a seeded chance."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from recollect import Recollect
from recollect.events.inbox import append, inbox_path
from tests.hash_embedder import HashEmbedder

STORE = "memories.db"
LOG, INBOX, COUNTER = f"{STORE}-wal", f"{STORE}.inbox", f"{STORE}.commits"
NEWEST = "newest snapshot"
_PAGE = 4096
_COLOURS = ("green", "red", "blue", "grün", "черный", "黄色")
_EVENT = (
    '{{"id":"01ARZ3NDEKTSV4RRFFQ69G5F{0:02}","type":"prompt","at":"2026-05-08T12:00:00+00:00",'
    '"session_id":"s","data":{{"text":"lamp {0} of the long hall is out, please look at it"}}}}'
)
EVENTS = 20


@dataclass(frozen=True)
class WholeStore:
    """A store before it is damaged: its files, every text by id, and which of them a snapshot has."""

    folder: Path
    texts: dict[str, str]
    in_snapshot: frozenset[str]

    def copy_to(self, folder: Path) -> Path:
        """Its files once more, without the index of the log, which SQLite makes anew."""
        shutil.copytree(self.folder, folder)
        return folder / STORE


def make_whole_store(folder: Path, *, memories: int) -> WholeStore:
    """Two snapshots on the way, rows in the file and in its log, subjects, tags, sessions, and an inbox with events."""
    grown, whole = folder / "grown", folder / "whole"
    file = grown / STORE
    texts: dict[str, str] = {}
    in_snapshot: frozenset[str] = frozenset()
    for part in range(3):
        with Recollect(file, folder=None, embedder=HashEmbedder()) as memory:
            for number in range(part * memories // 3, (part + 1) * memories // 3):
                text = make_text(number)
                texts[
                    memory.remember(
                        text,
                        about=[f"service:lamp{number % 7}", f"file:src/hall{number % 5}.py"],
                        tags=[f"row{number % 4}"],
                        session=f"s{number % 3}",
                    ).memory.id
                ] = text
            if part < 2:
                memory.safety.snapshot()
                in_snapshot = frozenset(texts)
            else:
                append(inbox_path(str(file)), [_EVENT.format(number) for number in range(EVENTS)])
                # Copied while it is open: a store that is closed has no log.
                shutil.copytree(grown, whole, ignore=shutil.ignore_patterns("*-shm"))
    return WholeStore(folder=whole, texts=texts, in_snapshot=in_snapshot)


def make_text(number: int) -> str:
    """A text that no other is like, some of them long enough for pages of their own."""
    colour = _COLOURS[number % len(_COLOURS)]
    words = f"Fact {number}: the {number * 7919 % 1009}th lamp of hall {number % 13} is {colour}"
    return words + (" and so on, as was measured there" * 200 if number % 11 == 10 else "")


Harm = Callable[[Path, random.Random], None]


def _change(file: Path, change: Callable[[bytearray], None]) -> None:
    content = bytearray(file.read_bytes())
    change(content)
    file.write_bytes(bytes(content))


def _flip(content: bytearray, places: range | list[int], rng: random.Random) -> None:
    for place in places:
        content[place] ^= rng.randint(1, 255)


def scatter(*names: str) -> Harm:
    """Between one and fifty bad bytes anywhere in these files."""

    def harm(folder: Path, rng: random.Random) -> None:
        for name in names:
            _change(
                _find(folder, name), lambda c: _flip(c, rng.sample(range(len(c)), rng.randint(1, 50)), rng)
            )

    return harm


def burst(name: str) -> Harm:
    """Up to fifty bad bytes in a row."""

    def harm(folder: Path, rng: random.Random) -> None:
        def change(content: bytearray) -> None:
            length = rng.randint(1, 50)
            start = rng.randrange(len(content) - length)
            _flip(content, range(start, start + length), rng)

        _change(_find(folder, name), change)

    return harm


def head(name: str, first: int, last: int) -> Harm:
    """One to five bad bytes in a stretch at the beginning."""

    def harm(folder: Path, rng: random.Random) -> None:
        places = rng.sample(range(first, last), rng.randint(1, min(5, last - first)))
        _change(_find(folder, name), lambda content: _flip(content, places, rng))

    return harm


def truncate(name: str) -> Harm:
    """Cut off anywhere, also to nothing."""

    def harm(folder: Path, rng: random.Random) -> None:
        file = _find(folder, name)
        size = file.stat().st_size
        with file.open("r+b") as stream:
            stream.truncate(rng.choice((0, rng.randrange(size), rng.randrange(size) // _PAGE * _PAGE)))

    return harm


def zero_pages(name: str, *, most: int = 3, first: bool = False) -> Harm:
    """Whole pages full of zeros."""

    def harm(folder: Path, rng: random.Random) -> None:
        def change(content: bytearray) -> None:
            pages = len(content) // _PAGE
            for page in [0] if first else rng.sample(range(pages), min(pages, rng.randint(1, most))):
                content[page * _PAGE : (page + 1) * _PAGE] = bytes(_PAGE)

        _change(_find(folder, name), change)

    return harm


def table_pages(prefix: str) -> Harm:
    """Bad bytes in the pages of the tables whose name begins so."""

    def harm(folder: Path, rng: random.Random) -> None:
        _into_the_file(folder)
        connection = apsw.Connection(str(folder / STORE), flags=apsw.SQLITE_OPEN_READONLY)
        names = "SELECT rootpage FROM sqlite_schema WHERE name LIKE ? AND rootpage > 0"
        pages = [row[0] for row in connection.execute(names, (prefix + "%",))]
        connection.close()

        def change(content: bytearray) -> None:
            start = (rng.choice(pages) - 1) * _PAGE
            # A page's own header and the cells at its end; the middle is empty in a small table.
            places = [*range(start, start + 60), *range(start + _PAGE - 200, start + _PAGE)]
            _flip(content, rng.sample(places, rng.randint(1, 20)), rng)

        _change(folder / STORE, change)

    return harm


def texts_of_rows(replacement: bytes) -> Harm:
    """A few letters of some texts replaced, wherever the text lies in file or log."""

    def harm(folder: Path, rng: random.Random) -> None:
        for file in (folder / STORE, folder / LOG):
            content = bytearray(file.read_bytes())
            places = [at for at in range(len(content) - 5) if content[at : at + 5] == b"Fact "]
            for place in rng.sample(places, min(len(places), rng.randint(1, 8))):
                content[place + 12 : place + 12 + len(replacement)] = replacement
            file.write_bytes(bytes(content))

    return harm


def both(*harms: Harm) -> Harm:
    """One after the other."""

    def harm(folder: Path, rng: random.Random) -> None:
        for each in harms:
            each(folder, rng)

    return harm


def remove(name: str) -> Harm:
    """Gone."""
    return lambda folder, rng: _find(folder, name).unlink()


def find_newest_snapshot(folder: Path) -> Path:
    """The snapshot that was made last."""
    return max((folder / f"{STORE}.snapshots").glob("*.db"))


def _find(folder: Path, name: str) -> Path:
    return find_newest_snapshot(folder) if name == NEWEST else folder / name


def _into_the_file(folder: Path) -> None:
    """Put the log into the file, so that a page of the file is the page that is read."""
    connection = apsw.Connection(str(folder / STORE))
    connection.pragma("wal_checkpoint(TRUNCATE)")
    connection.close()


def _checkpointed(harm: Harm) -> Harm:
    def checkpointed(folder: Path, rng: random.Random) -> None:
        _into_the_file(folder)
        harm(folder, rng)

    return checkpointed


HARMS: dict[str, Harm] = {
    "database": scatter(STORE),
    "database, no log": _checkpointed(scatter(STORE)),
    "database, in a row": burst(STORE),
    "log": scatter(LOG),
    "log, in a row": burst(LOG),
    "inbox": scatter(INBOX),
    "inbox, in a row": burst(INBOX),
    "snapshot": scatter(NEWEST),
    "database and log": scatter(STORE, LOG),
    "database and newest snapshot": scatter(STORE, NEWEST),
    "database, log, inbox, counter": scatter(STORE, LOG, INBOX, COUNTER),
    "magic": head(STORE, 0, 16),
    "magic, no log": _checkpointed(head(STORE, 0, 16)),
    "header": _checkpointed(head(STORE, 16, 100)),
    "header of the log": head(LOG, 0, 32),
    "catalogue": _checkpointed(head(STORE, 100, 4096)),
    "full-text configuration": table_pages("memory_fts_config"),
    "full-text index": table_pages("memory_fts"),
    "rows of memories": table_pages("memory"),
    "rows of meta": table_pages("meta"),
    "invalid UTF-8": texts_of_rows(b"\xff\xfe"),
    "other letters": texts_of_rows(b"zz"),
    "database cut": truncate(STORE),
    "database cut, no log": _checkpointed(truncate(STORE)),
    "log cut": truncate(LOG),
    "inbox cut": truncate(INBOX),
    "snapshot cut": both(truncate(NEWEST), scatter(STORE)),
    "pages zeroed": zero_pages(STORE),
    "pages zeroed, no log": _checkpointed(zero_pages(STORE)),
    "first page zeroed": zero_pages(STORE, first=True),
    "pages of the log zeroed": zero_pages(LOG),
    "database gone": remove(STORE),
    "log gone": remove(LOG),
    "counter gone, database bad": both(remove(COUNTER), scatter(STORE)),
}
