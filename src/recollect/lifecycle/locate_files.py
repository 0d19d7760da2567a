"""Where the files that memories stand on are now: in the commit that is checked out, and on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from recollect.errors import RepositoryError
from recollect.git.files import is_there
from recollect.git.renames import Followed, Uncommitted, followed, uncommitted
from recollect.model.anchor import Anchor, Checkout
from recollect.model.value import dataclass

# A file by where it was last seen: the commit, and its path there.
Sighting = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a file is: its path on disk (None: nowhere) and in the commit that is checked out."""

    path: str | None
    tracked_path: str
    touched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is known of files. One that is missing here stands on another branch, or git could not tell."""

    places: dict[Sighting, Place]
    notes: tuple[str, ...] = ()


def find(
    checkout: Checkout, anchors: Iterable[Anchor], *, enough: Callable[[], bool], thorough: bool
) -> Found:
    """
    Where files are that stood somewhere when they were last looked for.

    THOROUGH also looks for moves that nobody has committed yet; else only when a file is missing. Once it has been
    ENOUGH, the rest is left for another time.
    """
    groups: dict[str, set[str]] = {}
    for anchor in anchors:
        groups.setdefault(anchor.tracked_in or checkout.head, set()).add(anchor.tracked_path)
    if not checkout.head:
        return Found(places={("", path): _on_disk(checkout, path) for path in groups.get("", ())})
    notes: list[str] = []
    tracks: dict[str, Followed] = {}
    for commit, paths in groups.items():
        if enough():
            notes.append("There was no time to follow every file; the next look goes on.")
            break
        try:
            tracks[commit] = followed(checkout.root, commit, checkout.head, paths)
        except RepositoryError as error:
            notes.append(str(error))
    apart = _apart(checkout, tracks.values(), notes, thorough=thorough)
    places = {
        (commit, path): place
        for commit, track in tracks.items()
        for path in groups[commit]
        if (place := _place(checkout, track, apart, path)) is not None
    }
    return Found(places=places, notes=tuple(notes))


def _apart(
    checkout: Checkout, tracks: Iterable[Followed], notes: list[str], *, thorough: bool
) -> Uncommitted:
    """How the working tree differs from the commit, as far as our files go."""
    nothing = Uncommitted(moved={}, deleted=frozenset())
    paths = {path for track in tracks for path in track.at.values()}
    if not paths or (not thorough and all(is_there(Path(checkout.root, path)) for path in paths)):
        return nothing
    try:
        return uncommitted(checkout.root, paths)
    except RepositoryError as error:
        notes.append(str(error))
        return nothing


def _place(checkout: Checkout, track: Followed, apart: Uncommitted, path: str) -> Place | None:
    if path not in track.at:
        # Git does not have it here. It may lie there all the same, unknown to git.
        here = _on_disk(checkout, path)
        return None if here.path is None and path in track.elsewhere else here
    tracked = track.at[path]
    now = apart.moved.get(tracked, tracked)
    there = is_there(Path(checkout.root, now))
    if not there and tracked not in apart.deleted:  # a sparse checkout, or git could not tell
        return None
    touched = tracked in track.touched or now != tracked
    return Place(path=now if there else None, tracked_path=tracked, touched=touched)


def _on_disk(checkout: Checkout, path: str) -> Place:
    return Place(path=path if is_there(Path(checkout.root, path)) else None, tracked_path=path, touched=True)
