"""Where the files that memories stand on are now: in the commit that is checked out, and on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import RepositoryError
from recollect.git.files import is_there
from recollect.git.renames import Followed, followed, moved_uncommitted
from recollect.model.anchor import Anchor, Checkout

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
    moves = _uncommitted(checkout, tracks.values(), notes, thorough=thorough)
    places = {
        (commit, path): place
        for commit, track in tracks.items()
        for path in groups[commit]
        if (place := _place(checkout, track, moves, path)) is not None
    }
    return Found(places=places, notes=tuple(notes))


def _uncommitted(
    checkout: Checkout, tracks: Iterable[Followed], notes: list[str], *, thorough: bool
) -> dict[str, str]:
    paths = {path for track in tracks for path in track.at.values()}
    if not thorough and all(is_there(Path(checkout.root, path)) for path in paths):
        return {}
    try:
        return moved_uncommitted(checkout.root, paths) if paths else {}
    except RepositoryError as error:
        notes.append(str(error))
        return {}


def _place(checkout: Checkout, track: Followed, moves: dict[str, str], path: str) -> Place | None:
    if path not in track.at:
        # Git does not have it here. It may lie there all the same, unknown to git.
        here = _on_disk(checkout, path)
        return None if here.path is None and path in track.elsewhere else here
    tracked = track.at[path]
    now = moves.get(tracked, tracked)
    return Place(
        path=now if is_there(Path(checkout.root, now)) else None,
        tracked_path=tracked,
        touched=tracked in track.touched or now != tracked,
    )


def _on_disk(checkout: Checkout, path: str) -> Place:
    return Place(path=path if is_there(Path(checkout.root, path)) else None, tracked_path=path, touched=True)
