"""
Where the definitions went that memories are about: renamed in their file, moved to another, or gone.

The content a memory was learned from is asked of git, read, and the body of the definition looked for in what there is
now: first in the same file, then in the files that changed since. What cannot be read tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from recollect.codegraph.definitions import DefinitionBody, find_renamed_body, read_definitions
from recollect.codegraph.languages import load_languages
from recollect.codegraph.parse import OutlineReader
from recollect.errors import RepositoryError
from recollect.git.files import list_changed_since, read_blob, read_content
from recollect.model.anchor import Anchor, Checkout

_MAX_FILES = 200
# With less of its definitions left, a file is another one now; fewer than so many at the start tell nothing.
_LEFT = 0.5
_FEWEST = 4

_Definitions = dict[str, DefinitionBody]


class SymbolTracker:
    """Answers for one look over the files; every content is read once."""

    def __init__(self, checkout: Checkout, enough: Callable[[], bool]) -> None:
        self._checkout = checkout
        self._enough = enough
        self._known = load_languages()
        self._readers = OutlineReader(self._known)
        self._then: dict[tuple[str, str], _Definitions | None] = {}
        self._now: dict[str, _Definitions | None] = {}
        self._changed: dict[str, list[str]] = {}

    def is_there(self, path: str, name: str) -> bool:
        """Whether a file has a definition of this name now."""
        return name in (self._read_file(path) or {})

    def went(self, anchor: Anchor, path: str | None) -> str | None:
        """
        Where the anchor's definition is now, whose file stands at PATH (None: nowhere). None if it is gone.

        As if it were still there when that cannot be told: no grammar, content git never had, or no such name then.
        """
        definitions_here = self._read_file(path) if path else {}
        unknown = f"{path or anchor.file}::{anchor.symbol}"
        if definitions_here is None or anchor.symbol in definitions_here:
            return unknown
        then, body = self._read_last_seen(anchor)
        if body is None or self._enough():
            return unknown
        fresh = {name: found_body for name, found_body in definitions_here.items() if name not in then}
        if again := find_renamed_body(body, fresh):
            return f"{path}::{again}"
        return next(self._search_elsewhere(anchor, body, path), None)

    def is_restructured(self, anchor: Anchor, path: str) -> bool:
        """Whether most of what a file defined when it was learned about is in it no longer, under any name."""
        then, definitions_here = self._read_stored(anchor.blob, anchor.learned_path), self._read_file(path)
        if then is None or definitions_here is None or len(then) < _FEWEST:
            return False
        fresh = {name: body for name, body in definitions_here.items() if name not in then}
        left = sum(
            name in definitions_here or bool(fresh and find_renamed_body(body, fresh))
            for name, body in then.items()
        )
        return left < _LEFT * len(then)

    def _read_last_seen(self, anchor: Anchor) -> tuple[_Definitions, DefinitionBody | None]:
        """The definition as it stood when it was last looked at, or if git does not know that content, when learned."""
        for blob, key in ((anchor.seen_blob, anchor.path), (anchor.blob, anchor.learned_path)):
            path, _, name = key.partition("::")
            then = self._read_stored(blob, path)
            if then is not None and name in then:
                return then, then[name]
        return {}, None

    def _search_elsewhere(self, anchor: Anchor, body: DefinitionBody, but: str | None) -> Iterator[str]:
        """Files that changed since and hold it now: under its own name first, then under another."""
        files = [
            path for path in self._list_changed_since(anchor.learned_in) if path not in (but, anchor.file)
        ]
        for is_same_name in (True, False):
            for path in files:
                definitions_there = self._read_file(path) or {}
                fitting = {
                    name: definition
                    for name, definition in definitions_there.items()
                    if (definition.name == body.name) is is_same_name
                }
                if again := find_renamed_body(body, fitting):
                    yield f"{path}::{again}"

    def _list_changed_since(self, commit: str) -> list[str]:
        if commit not in self._changed:
            try:
                paths = list_changed_since(self._checkout.root, commit) if commit else []
            except RepositoryError:
                paths = []
            self._changed[commit] = [path for path in paths if self._known.language_of(path)][:_MAX_FILES]
        return self._changed[commit]

    def _read_stored(self, blob: str, path: str) -> _Definitions | None:
        key = (blob, path)
        if key not in self._then:
            self._then[key] = self._parse(path, read_blob(self._checkout.root, blob) if blob else None)
        return self._then[key]

    def _read_file(self, path: str) -> _Definitions | None:
        if path not in self._now:
            self._now[path] = self._parse(path, read_content(Path(self._checkout.root, path)))
        return self._now[path]

    def _parse(self, path: str, source: bytes | None) -> _Definitions | None:
        return read_definitions(self._known, self._readers, path, source) if source is not None else None
