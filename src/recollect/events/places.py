"""Where a client works, and how the project sees the files it names. No git is started here."""

from __future__ import annotations

import os
from functools import lru_cache

from recollect.model.subject_path import relative

_AWKWARD = ("\\", "//", "/./", "/../")


class ProjectPaths:
    """A folder inside a project; remembers what it was asked, since agents name the same files again and again."""

    def __init__(self, folder: str, root: str = "") -> None:
        self.folder = folder
        self.root = root or _top(folder)
        self._roots = tuple(dict.fromkeys((self.root, _resolved(self.root))))
        self._known: dict[str, str | None] = {}

    def inside(self, path: str) -> str | None:
        """A file as the project knows it; None when it lies outside."""
        if path not in self._known:
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[path] = self._inside(path)
        return self._known[path]

    def _inside(self, path: str) -> str | None:
        if not self.root or path.startswith("~") or "\0" in path or "\n" in path:
            return None
        path = path if _is_absolute(path) else f"{self.folder}/{path}"
        for root in self._roots:
            if path.startswith(root + "/") and not path.endswith("/..") and not _is_awkward(path):
                return path[len(root) + 1 :].rstrip("/") or None
            if inside := relative(path, root):
                return inside if inside != "." else None
        inside = relative(_resolved(path), self._roots[-1])
        return inside if inside != "." else None


@lru_cache(maxsize=64)
def paths_of_folder(folder: str, root: str = "") -> ProjectPaths:
    """The place a client works in; a caller that knows the project's top may say so."""
    return ProjectPaths(folder, root)


def _top(folder: str) -> str:
    """The nearest folder upwards that is a repository; the folder itself without one."""
    at = folder
    while at:
        if os.path.lexists(at + "/.git"):
            return at
        at, parent = os.path.dirname(at), at  # noqa: PTH120
        if at == parent:
            break
    return folder.rstrip("/")


def _resolved(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # a loop of links, or a name no file system takes
        return path


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or path[1:3] in (":\\", ":/")


def _is_awkward(path: str) -> bool:
    return any(piece in path for piece in _AWKWARD)
