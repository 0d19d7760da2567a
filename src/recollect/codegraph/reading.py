"""From files that may have changed to outlines: by content from the store, by parsing where the content is new."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from recollect.codegraph.listing import Seen, blob_of, read_source
from recollect.codegraph.outline import VERSION, Outline, packed, unpacked
from recollect.codegraph.readers import Readers
from recollect.codegraph.workers import Workers
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import code_files

# What is parsed is kept in steps, so that a build that is stopped goes on from there.
_KEPT_TOGETHER = 250

Progress = Callable[[int, int], None]
# The hash of some bytes, and the language they are read as.
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A file as it is now: its outline, or why it has none."""

    path: str
    language: str
    seen: str
    blob: str
    outline: Outline | None
    left_out: str = ""
    parsed: bool = False


def read_files(
    db: Db,
    root: Path,
    listed: Iterable[Seen],
    readers: Readers,
    now: datetime,
    step: Progress,
    *,
    workers: int = 1,
) -> list[Read]:
    """Every file's outline; only bytes nobody has seen before are parsed, many of them by so many WORKERS."""
    files = list(listed)
    found: list[Read] = []
    with Workers(workers) as hands:
        reading = _Reading(db, root, readers, now, hands)
        begun: list[_Batch] = []
        for start in range(0, len(files), _KEPT_TOGETHER):
            begun.append(reading.begin(files[start : start + _KEPT_TOGETHER], len(files) - start))
            if len(begun) > 1:  # while workers are at this batch, the one before is kept
                found += reading.finish(begun.pop(0))
                step(len(found), len(files))
        for batch in begun:
            found += reading.finish(batch)
            step(len(found), len(files))
    return found


class _Batch(NamedTuple):
    """Some files, the bytes among them that nobody has seen before, and what workers say of these, as it comes."""

    files: list[Read]
    new: dict[_Key, bytes]
    answers: Iterable[bytes]


class _Reading:
    """The files of one build on their way."""

    def __init__(self, db: Db, root: Path, readers: Readers, now: datetime, workers: Workers) -> None:
        self._db, self._root, self._readers, self._now = db, root, readers, now
        self._workers = workers
        # By content: the same bytes may lie in many places.
        self._outlines: dict[_Key, Outline] = {}
        self._begun: set[_Key] = set()

    def begin(self, files: list[Seen], left: int) -> _Batch:
        """Look what is known of some files; LEFT counts them and all that come after."""
        # A clean file is known by the hash git has for it, and need not even be opened.
        self._fetch((file.seen, file.language) for file in files if ":" not in file.seen)
        opened = [self._opened(file) for file in files]
        self._fetch(key for key, _, source in opened if source is not None)
        new = {
            key: source
            for key, _, source in opened
            if source is not None and key not in self._outlines and key not in self._begun
        }
        self._begun.update(new)
        answers: Iterable[bytes] = [b""] * len(new)
        if self._workers.are_worth(len(new) * left // len(files)):
            answers = self._workers.outlines([(language, source) for (_, language), source in new.items()])
        return _Batch([read for _, read, _ in opened], new, answers)

    def finish(self, batch: _Batch) -> list[Read]:
        """Read what no worker has read, keep what is new, and give every file its outline."""
        fresh: list[tuple[str, str, bytes]] = []
        for (key, source), answer in zip(batch.new.items(), batch.answers, strict=True):
            blob, language = key
            outline = unpacked(answer) if answer else self._readers.read(language, source)
            fresh.append((blob, language, answer or packed(outline)))
            self._outlines[key] = outline
        if fresh:
            with self._db.transaction():
                code_files.keep_outlines(self._db, fresh, VERSION, self._now)
        parsed = set(batch.new)
        done: list[Read] = []
        for read in batch.files:
            key = (read.blob, read.language)
            done.append(
                read if read.left_out else replace(read, outline=self._outlines[key], parsed=key in parsed)
            )
            parsed.discard(key)
        return done

    def _fetch(self, keys: Iterable[_Key]) -> None:
        """Take from the store what it has of these."""
        wanted = [key[0] for key in keys if key not in self._outlines]
        for key, kept in code_files.kept_outlines(self._db, wanted, VERSION).items() if wanted else ():
            self._outlines[key] = unpacked(kept)

    def _opened(self, file: Seen) -> tuple[_Key, Read, bytes | None]:
        """A file with its bytes; without them when they are known, or cannot be read."""
        key = (file.seen, file.language)
        source: bytes | str | None = None
        if key not in self._outlines:
            source = read_source(self._root, file.path)
            key = (blob_of(source) if isinstance(source, bytes) else "", file.language)
        left_out = source if isinstance(source, str) else ""
        read = Read(
            path=file.path,
            language=file.language,
            seen=file.seen,
            blob=key[0],
            outline=None,
            left_out=left_out,
        )
        return key, read, source if isinstance(source, bytes) else None
