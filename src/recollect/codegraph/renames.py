"""Which of the files that are gone is which of the files that are new."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.codegraph.outline import Outline
from recollect.codegraph.reading import Read
from recollect.store.tables.code_files import StoredFile

_ALIKE = 0.6
_FEWEST_NAMES = 3
_MOST_COMPARED = 200


def renamed(
    gone: Mapping[str, StoredFile], new: Mapping[str, Read], outline_of: Callable[[StoredFile], Outline]
) -> dict[str, str]:
    """Old path for each new path: the same bytes first, then the same definitions for the most part."""
    found: dict[str, str] = {}
    by_blob: dict[str, list[str]] = {}
    for path, file in sorted(gone.items()):
        if file.blob:
            by_blob.setdefault(file.blob, []).append(path)
    for path, read in sorted(new.items()):
        if same := by_blob.get(read.blob):
            old = min(same, key=lambda one: (one.rpartition("/")[2] != path.rpartition("/")[2], one))
            same.remove(old)
            found[path] = old
    left_old = {path: file for path, file in gone.items() if path not in found.values() and file.blob}
    left_new = {path: read for path, read in new.items() if path not in found and read.outline is not None}
    if len(left_old) <= _MOST_COMPARED and len(left_new) <= _MOST_COMPARED:
        found |= _alike(left_old, left_new, outline_of)
    return found


def _alike(
    gone: Mapping[str, StoredFile], new: Mapping[str, Read], outline_of: Callable[[StoredFile], Outline]
) -> dict[str, str]:
    old_names = {path: _names(outline_of(file)) for path, file in gone.items()}
    scored = []
    for path, read in new.items():
        names = _names(read.outline)
        for old, file in gone.items():
            share = _share(names, old_names[old])
            if file.language == read.language and share >= _ALIKE:
                scored.append((-share, old, path))
    found: dict[str, str] = {}
    for _, old, path in sorted(scored):
        if path not in found and old not in found.values():
            found[path] = old
    return found


def _names(outline: Outline | None) -> set[str]:
    return {definition.qualified for definition in outline.definitions} if outline else set()


def _share(mine: set[str], theirs: set[str]) -> float:
    if min(len(mine), len(theirs)) < _FEWEST_NAMES:
        return 0.0
    return len(mine & theirs) / len(mine | theirs)
