"""Folders and modules that memories are about: which folder a module is, where it went, how much of it is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from recollect.git.files import below, is_there, tracked
from recollect.git.history import knows
from recollect.git.renames import followed
from recollect.model.anchor import Anchor, AnchorState, Checkout
from recollect.model.subject import Subject
from recollect.model.value import replace

# With less of it left where it was, a folder is another one now.
_LEFT = 0.5


def folders_in(checkout: Checkout) -> frozenset[str]:
    """Every folder that holds a file git tracks."""
    found: set[str] = set()
    for path in tracked(checkout.root):
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def folder_of(subject: Subject, folders: Iterable[str]) -> str:
    """The one folder a module names, by its path or by the end of it; empty if there is none, or several."""
    if subject.type != "module":
        return ""
    name = subject.name.strip("/").replace(".", "/")
    found = [folder for folder in folders if folder == name or folder.endswith(f"/{name}")]
    return found[0] if len(found) == 1 else ""


def looked_at(checkout: Checkout, anchor: Anchor) -> Anchor:
    """A folder's anchor as things are now: where it went as a whole, or how much of it is left."""
    if not anchor.learned_in or not knows(checkout.root, anchor.learned_in):
        return anchor
    then = below(checkout.root, anchor.learned_in, anchor.learned_path)
    if not then:
        return anchor
    if _left(checkout, then, anchor.learned_path, anchor.learned_path) >= _LEFT:
        return _at(anchor, anchor.learned_path, checkout, AnchorState.UNCHANGED)
    went = _went_to(checkout, anchor, then)
    if went and _left(checkout, then, anchor.learned_path, went) >= _LEFT:
        return _at(anchor, went, checkout, AnchorState.UNCHANGED)
    is_gone = not is_there(Path(checkout.root, anchor.path))
    return replace(anchor, state=AnchorState.GONE if is_gone else AnchorState.RESTRUCTURED)


def _left(checkout: Checkout, files: list[str], folder: str, now: str) -> float:
    """The share of a folder's files that stands under the same name in the folder it is now."""
    there = sum(is_there(Path(checkout.root, now, PurePosixPath(file).relative_to(folder))) for file in files)
    return there / len(files)


def _went_to(checkout: Checkout, anchor: Anchor, then: list[str]) -> str:
    """The folder that most of the files went to, keeping their places in it."""
    at = followed(checkout.root, anchor.learned_in, checkout.head, then).at
    targets: Counter[str] = Counter()
    for old, new in at.items():
        rest = old[len(anchor.learned_path) :]
        if new != old and new.endswith(rest):
            targets[new[: -len(rest)]] += 1
    (folder, count), *_ = targets.most_common(1) or [("", 0)]
    return folder if count >= len(then) * _LEFT else ""


def _at(anchor: Anchor, path: str, checkout: Checkout, state: AnchorState) -> Anchor:
    return replace(anchor, path=path, tracked_path=path, tracked_in=checkout.head, state=state)
