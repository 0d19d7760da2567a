"""
Projects in which hooks do nothing for a while: a marker each, in a folder beside the database.

A hook looks at every event, so a look is one question to the disk. The marker bears the repository's own git folder,
which all of its worktrees share.
"""

from __future__ import annotations

import os

from recollect.events.edits import short_digest

_FOLDER = ".paused"
_MOST_BYTES = 4096


def is_paused(db: str, top: str) -> bool:
    """Whether hooks are to keep still in the project with this top folder."""
    return os.path.exists(_marker(db, top))  # noqa: PTH110


def pause(db: str, top: str) -> bool:
    """Let hooks keep still there; False if they did already."""
    marker = _marker(db, top)
    os.makedirs(os.path.dirname(marker), 0o700, exist_ok=True)  # noqa: PTH103, PTH120
    try:
        file = os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    try:
        os.write(file, shared_folder(top).encode("utf-8", "surrogateescape") + b"\n")
    finally:
        os.close(file)
    return True


def unpause(db: str, top: str) -> bool:
    """Let them work again; False if nothing kept them from it."""
    try:
        os.unlink(_marker(db, top))  # noqa: PTH108
    except FileNotFoundError:
        return False
    return True


def shared_folder(top: str) -> str:
    """What all worktrees of a repository have in common: its git folder; without one, the folder itself."""
    dot_git = os.path.realpath(os.path.join(top, ".git"))  # noqa: PTH118
    if os.path.isdir(dot_git):  # noqa: PTH112
        return dot_git
    pointer = _first_line(dot_git)
    if not pointer.startswith("gitdir:"):
        return os.path.realpath(top)
    own = os.path.realpath(os.path.join(top, pointer.removeprefix("gitdir:").strip()))  # noqa: PTH118
    parent, name = os.path.split(os.path.dirname(own))  # noqa: PTH120
    return parent if name == "worktrees" else own


def _marker(db: str, top: str) -> str:
    return os.path.join(db + _FOLDER, short_digest(shared_folder(top)))  # noqa: PTH118


def _first_line(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:  # noqa: PTH123
            return stream.readline(_MOST_BYTES)
    except OSError:
        return ""
