"""The files of a project as name resolution sees them; outlines and look-up tables are made on first use."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from recollect.codegraph.outline import Outline

NO_OUTLINE = Outline()


class ProjectFiles:
    """
    Paths with their languages, and outlines that are fetched on first use.

    `others` are files without code that tell how names are found: `go.mod`, `tsconfig.json`.
    """

    def __init__(
        self,
        languages: Mapping[str, str],
        outline_of: Callable[[str], Outline],
        *,
        packages: Mapping[str, str] | None = None,
        others: Iterable[str] = (),
        read: Callable[[str], str] = lambda path: "",
    ) -> None:
        self.languages = languages
        self.read = read
        self._outline_of = outline_of
        self._outlines: dict[str, Outline] = {}
        self._packages = packages or {}
        self._others = tuple(others)

    def __contains__(self, path: str) -> bool:
        return path in self.languages

    def outline(self, path: str) -> Outline:
        """The outline of a file; an empty one for a file that does not exist."""
        outline = self._outlines.get(path)
        if outline is None:
            outline = self._outlines[path] = self._outline_of(path) if path in self.languages else NO_OUTLINE
        return outline

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """Every folder with the files right in it."""
        folders: dict[str, list[str]] = {}
        for path in self.languages:
            folders.setdefault(folder_of(path), []).append(path)
        return folders

    @cached_property
    def all_folders(self) -> set[str]:
        """Every folder with code somewhere below it."""
        folders: set[str] = set()
        for folder in self.folders:
            while folder not in folders:
                folders.add(folder)
                folder = folder_of(folder)
        return folders

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Paths by their last part."""
        paths: dict[str, list[str]] = {}
        for path in self.languages:
            paths.setdefault(path.rpartition("/")[2], []).append(path)
        return paths

    @cached_property
    def by_package(self) -> dict[str, list[str]]:
        """Paths by the package or namespace they say they belong to."""
        paths: dict[str, list[str]] = {}
        for path, package in self._packages.items():
            paths.setdefault(package, []).append(path)
        return paths

    def package_of(self, path: str) -> str:
        """The package a file says it belongs to."""
        return self._packages.get(path, "")

    def settings_files(self, name: str) -> list[str]:
        """Paths of the settings files with this name, the shortest first."""
        paths = [path for path in self._others if path.rpartition("/")[2] == name]
        return sorted(paths, key=lambda path: (path.count("/"), path))

    def paths_ending(self, tail: str) -> list[str]:
        """Files whose path ends in these parts, the shortest first."""
        name = tail.rpartition("/")[2]
        paths = [path for path in self.by_name.get(name, ()) if path == tail or path.endswith(f"/{tail}")]
        return sorted(paths, key=len)


def folder_of(path: str) -> str:
    """The folder of a path inside the project; `posixpath` takes four times as long."""
    return path.rpartition("/")[0]


def folders_above(folder: str) -> list[str]:
    """A folder and all those around it, out to the project's own, which is written ""."""
    folders = [folder]
    while folder:
        folder = folder_of(folder)
        folders.append(folder)
    return folders


def join_path(*parts: str) -> str:
    """Parts as one path inside the project; "" when it would lead out of it."""
    path = posixpath.normpath(posixpath.join(*parts))
    return "" if path == "." or path.startswith(("..", "/")) else path


def nearest_path(path: str, candidates: Iterable[str]) -> str:
    """The candidate that shares most folders with a path; "" when there is none."""
    home = path.split("/")[:-1]

    def shared(candidate: str) -> tuple[int, int, str]:
        same = 0
        for mine, theirs in zip(home, candidate.split("/"), strict=False):
            if mine != theirs:
                break
            same += 1
        return (-same, len(candidate), candidate)

    return min(candidates, key=shared, default="")
