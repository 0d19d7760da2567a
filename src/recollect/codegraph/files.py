"""The files of a project as those who resolve names ask for them; what is not asked for is not worked out."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from recollect.codegraph.outline import Outline

NO_OUTLINE = Outline()


class Files:
    """
    Paths with their languages, and outlines that are fetched when somebody looks into a file.

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
        """What a file says; an empty one for a file that is not there."""
        found = self._outlines.get(path)
        if found is None:
            found = self._outlines[path] = self._outline_of(path) if path in self.languages else NO_OUTLINE
        return found

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """Every folder with the files right in it."""
        found: dict[str, list[str]] = {}
        for path in self.languages:
            found.setdefault(folder_of(path), []).append(path)
        return found

    @cached_property
    def all_folders(self) -> set[str]:
        """Every folder with code somewhere below it."""
        found: set[str] = set()
        for folder in self.folders:
            while folder not in found:
                found.add(folder)
                folder = folder_of(folder)
        return found

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Paths by their last part."""
        found: dict[str, list[str]] = {}
        for path in self.languages:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    @cached_property
    def by_package(self) -> dict[str, list[str]]:
        """Paths by the package or namespace they say they belong to."""
        found: dict[str, list[str]] = {}
        for path, package in self._packages.items():
            found.setdefault(package, []).append(path)
        return found

    def package_of(self, path: str) -> str:
        """The package a file says it belongs to."""
        return self._packages.get(path, "")

    def named(self, name: str) -> list[str]:
        """Where the settings files of this name lie, the shortest path first."""
        found = [path for path in self._others if path.rpartition("/")[2] == name]
        return sorted(found, key=lambda path: (path.count("/"), path))

    def ending(self, tail: str) -> list[str]:
        """Files whose path ends in these parts, the shortest first."""
        name = tail.rpartition("/")[2]
        found = [path for path in self.by_name.get(name, ()) if path == tail or path.endswith(f"/{tail}")]
        return sorted(found, key=len)


def folder_of(path: str) -> str:
    """The folder of a path inside the project; `posixpath` takes four times as long."""
    return path.rpartition("/")[0]


def above(folder: str) -> list[str]:
    """A folder and all those around it, out to the project's own, which is written ""."""
    found = [folder]
    while folder:
        folder = folder_of(folder)
        found.append(folder)
    return found


def joined(*parts: str) -> str:
    """Parts as one path inside the project; "" when it would lead out of it."""
    path = posixpath.normpath(posixpath.join(*parts))
    return "" if path == "." or path.startswith(("..", "/")) else path


def nearest(path: str, candidates: Iterable[str]) -> str:
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
