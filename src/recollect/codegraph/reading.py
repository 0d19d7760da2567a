"""From files that may have changed to outlines: by content from the store, by parsing where the content is new."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recollect.codegraph.languages import Known
from recollect.codegraph.listing import Seen, blob_of, read_source
from recollect.codegraph.outline import VERSION, Outline, packed, unpacked
from recollect.codegraph.parse import Parse, reader
from recollect.store import code
from recollect.store.db import Db

# What is parsed is kept in steps, so that a build that is stopped goes on from there.
_KEPT_TOGETHER = 250

Progress = Callable[[int, int], None]


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


class Readers:
    """One reader per language, made when the first file of it comes."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._made: dict[str, Parse] = {}

    def read(self, language: str, source: bytes) -> Outline:
        """The outline of some bytes."""
        made = self._made.get(language)
        if made is None:
            made = self._made[language] = reader(self._known.by_name[language])
        return made(source)


def read_files(
    db: Db, root: Path, listed: Iterable[Seen], readers: Readers, now: datetime, step: Progress
) -> list[Read]:
    """Every file's outline; only bytes nobody has seen before are parsed."""
    files = list(listed)
    found: list[Read] = []
    for start in range(0, len(files), _KEPT_TOGETHER):
        found += _read_some(db, root, files[start : start + _KEPT_TOGETHER], readers, now)
        step(len(found), len(files))
    return found


def _read_some(db: Db, root: Path, files: list[Seen], readers: Readers, now: datetime) -> list[Read]:
    # A clean file is known by the hash git has for it, and need not even be opened.
    by_hash = code.kept_outlines(db, [file.seen for file in files if ":" not in file.seen], VERSION)
    found = [_known(file, by_hash) or _opened(root, file) for file in files]
    bytes_of = {read.path: source for read, source in found if isinstance(source, bytes)}
    kept = code.kept_outlines(db, [read.blob for read, _ in found if read.path in bytes_of], VERSION)
    done: list[Read] = []
    fresh: list[tuple[str, str, bytes]] = []
    for read, _ in found:
        source = bytes_of.get(read.path)
        if source is None:
            done.append(read)
            continue
        known = kept.get((read.blob, read.language))
        outline = unpacked(known) if known is not None else readers.read(read.language, source)
        if known is None:
            fresh.append((read.blob, read.language, packed(outline)))
        done.append(_with(read, outline, parsed=known is None))
    if fresh:
        with db.transaction():
            code.keep_outlines(db, fresh, VERSION, now)
    return done


def _known(file: Seen, kept: dict[tuple[str, str], bytes]) -> tuple[Read, None] | None:
    outline = kept.get((file.seen, file.language))
    if outline is None:
        return None
    whole = unpacked(outline)
    read = Read(path=file.path, language=file.language, seen=file.seen, blob=file.seen, outline=whole)
    return read, None


def _opened(root: Path, file: Seen) -> tuple[Read, bytes | None]:
    source = read_source(root, file.path)
    if isinstance(source, str):
        read = Read(
            path=file.path, language=file.language, seen=file.seen, blob="", outline=None, left_out=source
        )
        return read, None
    blob = blob_of(source)
    return Read(path=file.path, language=file.language, seen=file.seen, blob=blob, outline=None), source


def _with(read: Read, outline: Outline, *, parsed: bool) -> Read:
    return Read(
        path=read.path,
        language=read.language,
        seen=read.seen,
        blob=read.blob,
        outline=outline,
        parsed=parsed,
    )
