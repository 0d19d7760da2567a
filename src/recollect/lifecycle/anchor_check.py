"""Judging anchors one by one: what has become of each file since it was learned about."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import RepositoryError
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.git.files import Drift, hash_on_disk, is_there, measure_drift
from recollect.lifecycle import locate_files
from recollect.lifecycle.locate_files import FileLocation, FileLocations
from recollect.model.anchor import Anchor, AnchorState, Checkout, can_be_named, make_anchor
from recollect.model.value import replace

if TYPE_CHECKING:
    from recollect.lifecycle.symbols import SymbolTracker


_CHANGED = (AnchorState.CHANGED, AnchorState.RESTRUCTURED)


class AnchorCheck:
    """Judges anchors one by one; every file is read once, however many memories stand on it."""

    def __init__(
        self, checkout: Checkout, locations: FileLocations, *, enough: Callable[[], bool], thorough: bool
    ) -> None:
        self._checkout = checkout
        self._root = Path(checkout.root)
        self._head = checkout.head
        self._found = locations
        self._enough = enough
        self._thorough = thorough
        self._blobs: dict[str, str | None] = {}
        self._folders: dict[tuple[str, str, str], tuple[str, AnchorState]] = {}

    def at(self, anchor: Anchor) -> Anchor:
        """The anchor as things are now."""
        if anchor.is_folder:
            return self._check_folder(anchor)
        if anchor.symbol:
            return self._check_definition(anchor)
        if anchor.state is AnchorState.GONE:
            return self._compare(anchor, anchor.path) if is_there(self._root / anchor.path) else anchor
        sighting = (anchor.tracked_in or self._head, anchor.tracked_path)
        place = self._found.places.get(sighting)
        if place is None:  # on another branch, or git could not tell
            return anchor
        if place.path is None or not _can_follow(anchor, place):
            return replace(anchor, state=AnchorState.GONE)
        tracked = replace(anchor, tracked_path=place.tracked_path, tracked_in=self._head)
        if self._thorough or place.touched or place.path != anchor.path:
            return self._compare(tracked, place.path)
        return tracked

    def _compare(self, anchor: Anchor, path: str) -> Anchor:
        at_path = replace(anchor, path=path)
        if anchor.state is AnchorState.GONE:  # it is back: from here on it is followed from here
            at_path = replace(at_path, tracked_path=path, tracked_in=self._head, state=AnchorState.UNCHANGED)
        blob = self._read_blob(path)
        if not blob or not anchor.blob or blob == anchor.blob:
            return replace(at_path, state=AnchorState.UNCHANGED, seen_blob=blob or "", commits=0, lines=0)
        if blob == anchor.seen_blob and anchor.state in _CHANGED:
            return at_path
        return self._measure_drift(replace(at_path, state=AnchorState.CHANGED), blob)

    def _measure_drift(self, anchor: Anchor, blob: str) -> Anchor:
        if self._enough():  # it is measured the next time
            return replace(anchor, seen_blob="")
        root, has_commit = str(self._root), bool(anchor.learned_in)
        far = (
            measure_drift(root, anchor.learned_in, anchor.learned_path, anchor.path)
            if has_commit
            else Drift(0, 0)
        )
        is_another = has_commit and self._symbols.is_restructured(anchor, anchor.path)
        state = AnchorState.RESTRUCTURED if is_another else AnchorState.CHANGED
        return replace(anchor, state=state, seen_blob=blob, commits=far.commits, lines=far.lines)

    def _check_definition(self, anchor: Anchor) -> Anchor:
        """A definition follows its file, and its body when it left it."""
        if anchor.state is AnchorState.GONE:
            is_back = is_there(self._root / anchor.file) and self._symbols.is_there(
                anchor.file, anchor.symbol
            )
            return self._follow_to(anchor, anchor.path) if is_back else anchor
        place = self._found.places.get((anchor.tracked_in or self._head, anchor.tracked_path))
        if place is None:
            return anchor
        is_at_rest = place.path == anchor.file and not place.touched
        if is_at_rest and not (self._thorough and self._read_blob(anchor.file) != anchor.seen_blob):
            return replace(anchor, tracked_path=place.tracked_path, tracked_in=self._head)
        went = self._symbols.went(anchor, place.path)
        if went is None or not all(map(_can_be_written, went.split("::"))):
            return replace(anchor, state=AnchorState.GONE)
        return self._follow_to(anchor, went)

    def _follow_to(self, anchor: Anchor, key: str) -> Anchor:
        file = key.partition("::")[0]
        return replace(
            anchor,
            path=key,
            tracked_path=file,
            tracked_in=self._head,
            state=AnchorState.UNCHANGED,
            seen_blob=self._read_blob(file) or "",
        )

    @cached_property
    def _symbols(self) -> SymbolTracker:
        # Here alone: it loads the readers of all languages, and most looks meet no definition.
        from recollect.lifecycle.symbols import SymbolTracker

        return SymbolTracker(self._checkout, self._enough)

    def _check_folder(self, anchor: Anchor) -> Anchor:
        key = (anchor.learned_in, anchor.learned_path, anchor.path)
        if key not in self._folders:
            self._folders[key] = self._locate_folder(anchor)
        path, state = self._folders[key]
        return replace(anchor, path=path, state=state, tracked_in=self._head)

    def _locate_folder(self, anchor: Anchor) -> tuple[str, AnchorState]:
        if self._enough():
            return anchor.path, anchor.state
        try:
            now = locate_files.check_folder(self._checkout, anchor)
        except RepositoryError:
            return anchor.path, anchor.state
        return now.path, now.state

    def _read_blob(self, path: str) -> str | None:
        if path not in self._blobs:
            self._blobs[path] = hash_on_disk(self._root / path)
        return self._blobs[path]


def refresh_anchor(checkout: Checkout, anchor: Anchor) -> Anchor:
    """The anchor as if its file had been learned about just now; one that is gone or restructured stays so."""
    if anchor.state is AnchorState.GONE or (anchor.is_folder and anchor.state is AnchorState.RESTRUCTURED):
        return anchor
    blob = "" if anchor.is_folder else hash_on_disk(Path(checkout.root, anchor.file))
    return make_anchor(anchor.memory_id, anchor.path, blob or "", checkout.head, is_folder=anchor.is_folder)


def _can_follow(anchor: Anchor, place: FileLocation) -> bool:
    new = {place.path or "", place.tracked_path} - {anchor.path, anchor.tracked_path}
    return all(map(_can_be_written, new))


def _can_be_written(path: str) -> bool:
    # A name goes into memories without a person's hand: nothing hidden, nothing secret.
    return can_be_named(path) and strip_hidden(path).text == path and redact(path).text == path
