"""
The parts a project falls into: its packages and folders, and where a folder is flat and large, groups of files.

A folder that only holds others, or that is large, is taken apart into those; any other is one part with all below it.
Folders of one or two files join the one around them. Where most of a project lies flat in one folder, its files are
grouped by what they have to do with each other.

Names are the shortest end of the folder's path that no other part has, as people write `module:auth`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from recollect.codegraph.communities import Weights, communities
from recollect.codegraph.files import above, folder_of
from recollect.model.testfile import is_test_file
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import code_files, code_nodes
from recollect.store.tables.code_files import Tree

# A folder with more below it is taken apart.
LARGE = 40
# With so few files of its own, a folder only holds others.
_FEW = 2
# A group of files smaller than this is no part of its own.
_SMALLEST = 3
# A folder is flat when it holds so many files, or this share of a project that is not tiny.
_FLAT = 80
_FLAT_SHARE = 0.6
_TINY = 12
TOP = "top"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part: the folder it lies in and its files. Several parts of one folder are told apart by their hub."""

    name: str
    folder: str
    files: tuple[str, ...]


def parts_of(db: Db, tree: Tree) -> list[Part]:
    """The parts of a checkout, as its files and their edges show them."""
    paths = [path for path, file in code_files.files(db, tree).items() if not file.left_out]
    return parts(paths, lambda: code_nodes.file_links(db, tree))


def parts(paths: Iterable[str], linked: Callable[[], Weights]) -> list[Part]:
    """The parts of a project; LINKED tells how much files have to do with each other, if anybody has to know."""
    listed = list(paths)
    whole = sum(not is_test_file(path) for path in listed)
    groups: list[tuple[str, str, list[str]]] = []
    for folder, files in _by_folder(listed):
        if _is_flat(folder, files, whole):
            groups += _groups(folder, files, linked())
        else:
            groups.append((folder, "", files))
    names = _names({folder: files for folder, _, files in groups})
    return [
        Part(name=f"{names[folder]}/{hub}" if hub else names[folder], folder=folder, files=tuple(files))
        for folder, hub, files in groups
    ]


def part_of_file(parts: Iterable[Part], path: str) -> Part | None:
    """The part a file belongs to; None for one that is in none."""
    return next((part for part in parts if path in part.files), None)


def part_of_folder(parts: Iterable[Part], folder: str) -> Part | None:
    """The part that most files of a folder belong to; None if it holds no code."""
    inside = [(sum(folder_of(file) == folder for file in part.files), part) for part in parts]
    most, part = max(inside, key=lambda one: one[0], default=(0, None))
    return part if most else None


def _by_folder(paths: Iterable[str]) -> list[tuple[str, list[str]]]:
    own: dict[str, list[str]] = {}
    inside: dict[str, set[str]] = {}
    total: dict[str, int] = {}
    for path in sorted(paths):
        home = folder_of(path)
        own.setdefault(home, []).append(path)
        for folder in above(home):
            total[folder] = total.get(folder, 0) + 1
            if folder:
                inside.setdefault(folder_of(folder), set()).add(folder)

    def cut(folder: str) -> list[tuple[str, list[str]]]:
        mine, below = own.get(folder, []), sorted(inside.get(folder, ()))
        lower = [group for one in below for group in cut(one)]
        if not below or (folder and total[folder] <= LARGE and len(mine) > _FEW):
            return [(folder, [*mine, *(path for _, files in lower for path in files)])]
        small = [group for group in lower if len(group[1]) <= _FEW and group[0] in below]
        if folder and (mine or len(small) > 1):
            mine = [*mine, *(path for _, files in small for path in files)]
            lower = [group for group in lower if group not in small]
        return ([(folder, mine)] if mine else []) + lower

    return cut("") if total else []


def _is_flat(folder: str, files: Sequence[str], whole: int) -> bool:
    if any(folder_of(file) != folder for file in files) or all(map(is_test_file, files)):
        return False
    return len(files) > _FLAT or (len(files) > _TINY and len(files) > _FLAT_SHARE * whole)


def _groups(folder: str, files: Sequence[str], weights: Weights) -> list[tuple[str, str, list[str]]]:
    """Communities of a flat folder, each named by the file the others have most to do with; the small ones stay."""
    inside = set(files)
    weights = {ends: weight for ends, weight in weights.items() if inside.issuperset(ends)}
    found = communities(files, weights)
    large = [group for group in found if len(group) >= _SMALLEST]
    rest = [path for group in found if len(group) < _SMALLEST for path in group]
    if len(large) < 2:
        return [(folder, "", list(files))]
    named: dict[str, list[str]] = {}
    for group in large:
        hub = _hub(group, weights)
        named.setdefault(hub, []).extend(group)
    left = [(folder, "", sorted(rest))] if rest else []
    return left + [(folder, hub, sorted(group)) for hub, group in sorted(named.items())]


def _hub(group: Sequence[str], weights: Weights) -> str:
    degree = dict.fromkeys(group, 0.0)
    for (one, other), weight in weights.items():
        if one in degree and other in degree and one != other:
            degree[other] += weight
            degree[one] += weight / 2  # what others need is the middle of a group, not what needs many
    hub = min(group, key=lambda path: (-degree[path], path))
    return hub.rpartition("/")[2].partition(".")[0]


def _names(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The shortest end of each folder that no other has; that of tests says so: `tests/auth`."""
    tests = {folder for folder, files in groups.items() if all(map(is_test_file, files))}
    names: dict[str, str] = {}
    taken: set[str] = set()
    for those in (groups.keys() - tests, tests):
        borne = Counter(end for folder in those for end in _ends(folder))
        for folder in sorted(those):
            *short, whole = _ends(folder)
            fitting = [end for end in short if folder not in tests or is_test_file(f"{end}/it")]
            names[folder] = next((end for end in fitting if borne[end] == 1 and end not in taken), whole)
        taken.update(names.values())
    return names


def _ends(folder: str) -> list[str]:
    pieces = folder.split("/") if folder else [TOP]
    return ["/".join(pieces[-size:]) for size in range(1, len(pieces) + 1)]
