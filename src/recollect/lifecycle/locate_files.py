"""Where the files and folders that memories are about are now: in the checked-out commit and on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from recollect.errors import RepositoryError
from recollect.git.files import is_there, list_folder, list_tracked
from recollect.git.history import has_commit
from recollect.git.renames import FollowedPaths, Uncommitted, find_uncommitted, follow_paths
from recollect.model.anchor import Anchor, AnchorState, Checkout
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace

# A file by where it was last seen: the commit, and its path there.
Sighting = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLocation:
    """Where a file is: its path on disk (None: nowhere) and in the commit that is checked out."""

    path: str | None
    tracked_path: str
    touched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLocations:
    """What is known of files. One that is missing here stands on another branch, or git could not tell."""

    places: dict[Sighting, FileLocation]
    notes: tuple[str, ...] = ()


def locate_files(
    checkout: Checkout, anchors: Iterable[Anchor], *, enough: Callable[[], bool], thorough: bool
) -> FileLocations:
    """
    Where files are that stood somewhere when they were last looked for.

    THOROUGH also looks for moves that nobody has committed yet; else only when a file is missing. Once it has been
    ENOUGH, the rest is left for another time.
    """
    groups: dict[str, set[str]] = {}
    for anchor in anchors:
        groups.setdefault(anchor.tracked_in or checkout.head, set()).add(anchor.tracked_path)
    if not checkout.head:
        return FileLocations(
            places={("", path): _look_on_disk(checkout, path) for path in groups.get("", ())}
        )
    notes: list[str] = []
    tracks: dict[str, FollowedPaths] = {}
    for commit, paths in groups.items():
        if enough():
            notes.append("There was no time to follow every file; the next look goes on.")
            break
        try:
            tracks[commit] = follow_paths(checkout.root, commit, checkout.head, paths)
        except RepositoryError as error:
            notes.append(str(error))
    apart = _compare_working_tree(checkout, tracks.values(), notes, thorough=thorough)
    places = {
        (commit, path): place
        for commit, track in tracks.items()
        for path in groups[commit]
        if (place := _locate_file(checkout, track, apart, path)) is not None
    }
    return FileLocations(places=places, notes=tuple(notes))


def _compare_working_tree(
    checkout: Checkout, tracks: Iterable[FollowedPaths], notes: list[str], *, thorough: bool
) -> Uncommitted:
    """How the working tree differs from the commit, as far as our files go."""
    nothing = Uncommitted(moved={}, deleted=frozenset())
    paths = {path for track in tracks for path in track.at.values()}
    if not paths or (not thorough and all(is_there(Path(checkout.root, path)) for path in paths)):
        return nothing
    try:
        return find_uncommitted(checkout.root, paths)
    except RepositoryError as error:
        notes.append(str(error))
        return nothing


def _locate_file(
    checkout: Checkout, track: FollowedPaths, apart: Uncommitted, path: str
) -> FileLocation | None:
    if path not in track.at:
        # Git does not have it here. It may lie there all the same, unknown to git.
        location = _look_on_disk(checkout, path)
        return None if location.path is None and path in track.elsewhere else location
    tracked = track.at[path]
    now = apart.moved.get(tracked, tracked)
    exists = is_there(Path(checkout.root, now))
    if not exists and tracked not in apart.deleted:  # a sparse checkout, or git could not tell
        return None
    touched = tracked in track.touched or now != tracked
    return FileLocation(path=now if exists else None, tracked_path=tracked, touched=touched)


def _look_on_disk(checkout: Checkout, path: str) -> FileLocation:
    return FileLocation(
        path=path if is_there(Path(checkout.root, path)) else None, tracked_path=path, touched=True
    )


# With less of it left where it was, a folder is another one now.
_MIN_SHARE_LEFT = 0.5


def list_folders(checkout: Checkout) -> frozenset[str]:
    """Every folder that holds a file git tracks."""
    folders: set[str] = set()
    for path in list_tracked(checkout.root):
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders)


def find_folder(subject: Subject, folders: Iterable[str]) -> str:
    """The one folder a module names, by its path or by the end of it; empty if there is none, or several."""
    if subject.type != "module":
        return ""
    name = subject.name.strip("/").replace(".", "/")
    matches = [folder for folder in folders if folder == name or folder.endswith(f"/{name}")]
    return matches[0] if len(matches) == 1 else ""


def check_folder(checkout: Checkout, anchor: Anchor) -> Anchor:
    """A folder's anchor as things are now: where it went as a whole, or how much of it is left."""
    if not anchor.learned_in or not has_commit(checkout.root, anchor.learned_in):
        return anchor
    then = list_folder(checkout.root, anchor.learned_in, anchor.learned_path)
    if not then:
        return anchor
    if _share_left(checkout, then, anchor.learned_path, anchor.learned_path) >= _MIN_SHARE_LEFT:
        return _move_anchor(anchor, anchor.learned_path, checkout, AnchorState.UNCHANGED)
    went = _find_new_folder(checkout, anchor, then)
    if went and _share_left(checkout, then, anchor.learned_path, went) >= _MIN_SHARE_LEFT:
        return _move_anchor(anchor, went, checkout, AnchorState.UNCHANGED)
    is_gone = not is_there(Path(checkout.root, anchor.path))
    return replace(anchor, state=AnchorState.GONE if is_gone else AnchorState.RESTRUCTURED)


def _share_left(checkout: Checkout, files: list[str], folder: str, now: str) -> float:
    """The share of a folder's files that stands under the same name in the folder it is now."""
    present = sum(
        is_there(Path(checkout.root, now, PurePosixPath(file).relative_to(folder))) for file in files
    )
    return present / len(files)


def _find_new_folder(checkout: Checkout, anchor: Anchor, then: list[str]) -> str:
    """The folder that most of the files went to, keeping their places in it."""
    at = follow_paths(checkout.root, anchor.learned_in, checkout.head, then).at
    targets: Counter[str] = Counter()
    for old, new in at.items():
        rest = old[len(anchor.learned_path) :]
        if new != old and new.endswith(rest):
            targets[new[: -len(rest)]] += 1
    (folder, count), *_ = targets.most_common(1) or [("", 0)]
    return folder if count >= len(then) * _MIN_SHARE_LEFT else ""


def _move_anchor(anchor: Anchor, path: str, checkout: Checkout, state: AnchorState) -> Anchor:
    return replace(anchor, path=path, tracked_path=path, tracked_in=checkout.head, state=state)
