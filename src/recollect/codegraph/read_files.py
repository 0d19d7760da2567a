"""
Outlines of changed files: from the store by content hash, by parsing where the content is new; and renames among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from recollect.codegraph.listing import SeenFile, blob_id, read_source
from recollect.codegraph.outline import VERSION, Outline, pack_outline, unpack_outline
from recollect.codegraph.parse import OutlineReader
from recollect.codegraph.workers import Workers
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import code_files
from recollect.store.tables.code_files import StoredFile

# What is parsed is kept in steps, so that a build that is stopped goes on from there.
_BATCH_FILES = 250

Progress = Callable[[int, int], None]
# The hash of some bytes, and the language they are read as.
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """A file with its outline, or the reason why it has none."""

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
    seen_files: Iterable[SeenFile],
    readers: OutlineReader,
    now: datetime,
    step: Progress,
    *,
    workers: int = 1,
) -> list[ReadFile]:
    """The outline of every file. Only new content is parsed, by WORKERS processes if there is much of it."""
    files = list(seen_files)
    results: list[ReadFile] = []
    with Workers(workers) as hands:
        reading = _FileReading(db, root, readers, now, hands)
        begun: list[_FileBatch] = []
        for start in range(0, len(files), _BATCH_FILES):
            begun.append(reading.begin(files[start : start + _BATCH_FILES], len(files) - start))
            if len(begun) > 1:  # while workers are at this batch, the one before is kept
                results += reading.finish(begun.pop(0))
                step(len(results), len(files))
        for batch in begun:
            results += reading.finish(batch)
            step(len(results), len(files))
    return results


class _FileBatch(NamedTuple):
    """Some files, the new content among them, and the workers' answers to it as they arrive."""

    files: list[ReadFile]
    new: dict[_Key, bytes]
    answers: Iterable[bytes]


class _FileReading:
    """Reads the files of one build, batch by batch."""

    def __init__(self, db: Db, root: Path, readers: OutlineReader, now: datetime, workers: Workers) -> None:
        self._db, self._root, self._readers, self._now = db, root, readers, now
        self._workers = workers
        # By content: the same bytes may lie in many places.
        self._outlines: dict[_Key, Outline] = {}
        self._begun: set[_Key] = set()

    def begin(self, files: list[SeenFile], remaining: int) -> _FileBatch:
        """Look files up in the store, hand new content to workers; REMAINING counts these and all later files."""
        # A clean file is known by the hash git has for it, and need not even be opened.
        self._fetch((file.seen, file.language) for file in files if ":" not in file.seen)
        sources = [self._open(file) for file in files]
        self._fetch(key for key, _, source in sources if source is not None)
        new = {
            key: source
            for key, _, source in sources
            if source is not None and key not in self._outlines and key not in self._begun
        }
        self._begun.update(new)
        answers: Iterable[bytes] = [b""] * len(new)
        if self._workers.are_worth(len(new) * remaining // len(files)):
            answers = self._workers.outlines([(language, source) for (_, language), source in new.items()])
        return _FileBatch([read for _, read, _ in sources], new, answers)

    def finish(self, batch: _FileBatch) -> list[ReadFile]:
        """Parse what no worker parsed, store what is new, and give every file its outline."""
        new_rows: list[tuple[str, str, bytes]] = []
        for (key, source), answer in zip(batch.new.items(), batch.answers, strict=True):
            blob, language = key
            outline = unpack_outline(answer) if answer else self._readers.read(language, source)
            new_rows.append((blob, language, answer or pack_outline(outline)))
            self._outlines[key] = outline
        if new_rows:
            with self._db.transaction():
                code_files.save_outlines(self._db, new_rows, VERSION, self._now)
        parsed = set(batch.new)
        results: list[ReadFile] = []
        for read in batch.files:
            key = (read.blob, read.language)
            results.append(
                read if read.left_out else replace(read, outline=self._outlines[key], parsed=key in parsed)
            )
            parsed.discard(key)
        return results

    def _fetch(self, keys: Iterable[_Key]) -> None:
        """Load these outlines from the store, as far as it has them."""
        wanted = [key[0] for key in keys if key not in self._outlines]
        for key, packed in code_files.find_outlines(self._db, wanted, VERSION).items() if wanted else ():
            self._outlines[key] = unpack_outline(packed)

    def _open(self, file: SeenFile) -> tuple[_Key, ReadFile, bytes | None]:
        """A file with its bytes; without them when its outline is known or it cannot be read."""
        key = (file.seen, file.language)
        source: bytes | str | None = None
        if key not in self._outlines:
            source = read_source(self._root, file.path)
            key = (blob_id(source) if isinstance(source, bytes) else "", file.language)
        left_out = source if isinstance(source, str) else ""
        read = ReadFile(
            path=file.path,
            language=file.language,
            seen=file.seen,
            blob=key[0],
            outline=None,
            left_out=left_out,
        )
        return key, read, source if isinstance(source, bytes) else None


_MIN_OVERLAP = 0.6
_MIN_NAMES = 3
_MAX_COMPARED = 200


def match_renames(
    gone: Mapping[str, StoredFile], new: Mapping[str, ReadFile], outline_of: Callable[[StoredFile], Outline]
) -> dict[str, str]:
    """Renames: the old path of each new path, by equal content first, then by mostly equal definitions."""
    old_paths: dict[str, str] = {}
    by_blob: dict[str, list[str]] = {}
    for path, file in sorted(gone.items()):
        if file.blob:
            by_blob.setdefault(file.blob, []).append(path)
    for path, read in sorted(new.items()):
        if same := by_blob.get(read.blob):
            old = min(same, key=lambda one: (one.rpartition("/")[2] != path.rpartition("/")[2], one))
            same.remove(old)
            old_paths[path] = old
    left_old = {path: file for path, file in gone.items() if path not in old_paths.values() and file.blob}
    left_new = {
        path: read for path, read in new.items() if path not in old_paths and read.outline is not None
    }
    if len(left_old) <= _MAX_COMPARED and len(left_new) <= _MAX_COMPARED:
        old_paths |= _match_by_names(left_old, left_new, outline_of)
    return old_paths


def _match_by_names(
    gone: Mapping[str, StoredFile], new: Mapping[str, ReadFile], outline_of: Callable[[StoredFile], Outline]
) -> dict[str, str]:
    old_names = {path: _names(outline_of(file)) for path, file in gone.items()}
    scored = []
    for path, read in new.items():
        names = _names(read.outline)
        for old, file in gone.items():
            share = _name_overlap(names, old_names[old])
            if file.language == read.language and share >= _MIN_OVERLAP:
                scored.append((-share, old, path))
    old_paths: dict[str, str] = {}
    for _, old, path in sorted(scored):
        if path not in old_paths and old not in old_paths.values():
            old_paths[path] = old
    return old_paths


def _names(outline: Outline | None) -> set[str]:
    return {definition.qualified for definition in outline.definitions} if outline else set()


def _name_overlap(mine: set[str], theirs: set[str]) -> float:
    if min(len(mine), len(theirs)) < _MIN_NAMES:
        return 0.0
    return len(mine & theirs) / len(mine | theirs)
