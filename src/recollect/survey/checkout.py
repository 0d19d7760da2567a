"""The files of a checkout as a scan reads them: outlines from the store, texts from disk, settings at the top."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from recollect.codegraph.files import NO_OUTLINE
from recollect.codegraph.habits.source import HabitProject, SourceFile, make_project, make_source
from recollect.codegraph.listing import read_source
from recollect.codegraph.outline import VERSION, Outline, unpack_outline
from recollect.errors import RepositoryError
from recollect.events.bounded_read import read_bounded
from recollect.events.excluded import find_excluded
from recollect.git.history import read_commits
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import code_files
from recollect.store.tables.code_files import StoredFile, Tree

_MAX_SETTINGS_BYTES = 200_000
_COMMITS = 300
# Outlines are fetched so many at a time.
_BATCH_FILES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedCheckout:
    """A checkout whose graph is built, without what must not be remembered."""

    db: Db
    root: Path
    tree: Tree
    files: Mapping[str, StoredFile]
    excluded: tuple[str, ...]

    def blobs(self, paths: Iterable[str]) -> list[str]:
        """The hashes of files."""
        return [self.files[path].blob for path in paths if path in self.files]

    def text(self, path: str) -> str:
        """The text of a file inside the checkout; empty for what is no plain text file, or must not be read."""
        return read_plain_text(self.root, path, self.excluded)

    def sources(self, paths: Sequence[str]) -> Iterator[SourceFile]:
        """Files as detectors see them, one after the other; only a few are held at once."""
        for start in range(0, len(paths), _BATCH_FILES):
            some = [path for path in paths[start : start + _BATCH_FILES] if path in self.files]
            outlines = self._outlines(some)
            for path in some:
                raw = read_source(self.root, path)
                if isinstance(raw, bytes):
                    text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
                    yield make_source(path, self.files[path].language, outlines[path], text)

    def project(self) -> HabitProject:
        """What holds for all files."""
        return make_project(self._all_outlines(), *self._read_top_files())

    def digest_settings(self) -> str:
        """A hash of the settings at the top of the project."""
        settings, _ = self._read_top_files()
        return sha256(
            "\0".join(f"{name}\0{settings[name]}" for name in sorted(settings)).encode()
        ).hexdigest()

    def subjects(self) -> list[str]:
        """The subjects of the newest commits; none without git."""
        if not (self.root / ".git").exists():
            return []
        try:
            return [one.subject for one in read_commits(str(self.root), limit=_COMMITS)]
        except RepositoryError:
            return []

    def _all_outlines(self) -> Iterator[tuple[str, Outline]]:
        paths = list(self.files)
        for start in range(0, len(paths), _BATCH_FILES):
            yield from self._outlines(paths[start : start + _BATCH_FILES]).items()

    def _outlines(self, paths: Sequence[str]) -> dict[str, Outline]:
        stored = code_files.find_outlines(self.db, self.blobs(paths), VERSION)
        return {
            path: unpack_outline(packed) if packed else NO_OUTLINE
            for path in paths
            for packed in [stored.get((self.files[path].blob, self.files[path].language))]
        }

    def _read_top_files(self) -> tuple[dict[str, str], list[str]]:
        try:
            names = sorted(one.name for one in self.root.iterdir() if _is_plain(self.root, one.name))
        except OSError:
            return {}, []
        allowed = [name for name in names if not find_excluded([name], self.excluded)]
        return {name: self.text(name) for name in allowed if _may_be_settings(name)}, allowed


def read_plain_text(root: Path, path: str, excluded: Sequence[str]) -> str:
    """The text of a file inside the folder ROOT; empty for what is no plain text file, or must not be read."""
    if find_excluded([path], excluded) or not _is_plain(root, path):
        return ""
    try:
        return read_bounded(root / path, _MAX_SETTINGS_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def open_checkout(db: Db, root: Path, tree: Tree, excluded: tuple[str, ...]) -> ScannedCheckout:
    """The checkout at ROOT as the graph knows it."""
    files = {
        path: file
        for path, file in code_files.list_files(db, tree).items()
        if not file.left_out and not find_excluded([path], excluded)
    }
    return ScannedCheckout(db=db, root=root, tree=tree, files=files, excluded=excluded)


def _may_be_settings(name: str) -> bool:
    return name.endswith((".toml", ".json", ".cfg", ".ini", ".mod", ".xml", ".gradle", ".txt")) or name in (
        "Makefile",
        "justfile",
        "setup.py",
        "Gemfile",
    )


def _is_plain(root: Path, path: str) -> bool:
    """A regular file inside the checkout that is no link and lies behind none."""
    place = root / path
    try:
        return stat.S_ISREG(os.lstat(place).st_mode) and place.resolve() == root.resolve() / path
    except OSError:
        return False
