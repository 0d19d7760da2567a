"""
The parts of a project: packages and folders; a large flat folder is split into Louvain communities.

A folder that only holds others, or that is large, is taken apart into those; any other is one part with all below it.
Folders of one or two files join the one around them. Where most of a project lies flat in one folder, its files are
grouped by what they have to do with each other.

Names are the shortest end of the folder's path that no other part has, as people write `module:auth`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from recollect.codegraph.communities import Weights, find_communities
from recollect.codegraph.files import folder_of, folders_above
from recollect.model.path_kinds import is_test_file
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import code_files, code_nodes
from recollect.store.tables.code_files import Tree

# A folder with more below it is taken apart.
LARGE = 40
# With so few files of its own, a folder only holds others.
_MAX_OWN_FILES = 2
# A group of files smaller than this is no part of its own.
_MIN_GROUP = 3
# A folder is flat when it holds so many files, or this share of a project that is not tiny.
_MIN_FLAT_FILES = 80
_MIN_FLAT_SHARE = 0.6
_TINY_PROJECT = 12
TOP = "top"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPart:
    """One part: the folder it lies in and its files. Several parts of one folder are named after their hub file."""

    name: str
    folder: str
    files: tuple[str, ...]


def find_parts(db: Db, tree: Tree) -> list[ProjectPart]:
    """The parts of a checkout, from its files and the edges between them."""
    paths = [path for path, file in code_files.list_files(db, tree).items() if not file.left_out]
    return split_into_parts(paths, lambda: code_nodes.count_file_links(db, tree))


def split_into_parts(paths: Iterable[str], linked: Callable[[], Weights]) -> list[ProjectPart]:
    """Split a project into parts; LINKED gives the weights between files and is called only for a flat folder."""
    files_listed = list(paths)
    code_count = sum(not is_test_file(path) for path in files_listed)
    groups: list[tuple[str, str, list[str]]] = []
    for folder, files in _group_by_folder(files_listed):
        if _is_flat(folder, files, code_count):
            groups += _split_flat_folder(folder, files, linked())
        else:
            groups.append((folder, "", files))
    names = _name_folders({folder: files for folder, _, files in groups})
    return [
        ProjectPart(
            name=f"{names[folder]}/{hub}" if hub else names[folder], folder=folder, files=tuple(files)
        )
        for folder, hub, files in groups
    ]


def part_of_file(parts: Iterable[ProjectPart], path: str) -> ProjectPart | None:
    """The part a file belongs to; None for one that is in none."""
    return next((part for part in parts if path in part.files), None)


def part_of_folder(parts: Iterable[ProjectPart], folder: str) -> ProjectPart | None:
    """The part that most files of a folder belong to; None if it holds no code."""
    inside = [(sum(folder_of(file) == folder for file in part.files), part) for part in parts]
    most, part = max(inside, key=lambda one: one[0], default=(0, None))
    return part if most else None


def _group_by_folder(paths: Iterable[str]) -> list[tuple[str, list[str]]]:
    own: dict[str, list[str]] = {}
    inside: dict[str, set[str]] = {}
    total: dict[str, int] = {}
    for path in sorted(paths):
        home = folder_of(path)
        own.setdefault(home, []).append(path)
        for folder in folders_above(home):
            total[folder] = total.get(folder, 0) + 1
            if folder:
                inside.setdefault(folder_of(folder), set()).add(folder)

    def cut(folder: str) -> list[tuple[str, list[str]]]:
        mine, below = own.get(folder, []), sorted(inside.get(folder, ()))
        lower = [group for one in below for group in cut(one)]
        if not below or (folder and total[folder] <= LARGE and len(mine) > _MAX_OWN_FILES):
            return [(folder, [*mine, *(path for _, files in lower for path in files)])]
        small = [group for group in lower if len(group[1]) <= _MAX_OWN_FILES and group[0] in below]
        if folder and (mine or len(small) > 1):
            mine = [*mine, *(path for _, files in small for path in files)]
            lower = [group for group in lower if group not in small]
        return ([(folder, mine)] if mine else []) + lower

    return cut("") if total else []


def _is_flat(folder: str, files: Sequence[str], code_count: int) -> bool:
    if any(folder_of(file) != folder for file in files) or all(map(is_test_file, files)):
        return False
    return len(files) > _MIN_FLAT_FILES or (
        len(files) > _TINY_PROJECT and len(files) > _MIN_FLAT_SHARE * code_count
    )


def _split_flat_folder(
    folder: str, files: Sequence[str], weights: Weights
) -> list[tuple[str, str, list[str]]]:
    """Split a flat folder into communities, each named after its hub; small ones stay with the folder."""
    inside = set(files)
    weights = {ends: weight for ends, weight in weights.items() if inside.issuperset(ends)}
    groups = find_communities(files, weights)
    large = [group for group in groups if len(group) >= _MIN_GROUP]
    small = [path for group in groups if len(group) < _MIN_GROUP for path in group]
    if len(large) < 2:
        return [(folder, "", list(files))]
    by_hub: dict[str, list[str]] = {}
    for group in large:
        hub = _find_hub(group, weights)
        by_hub.setdefault(hub, []).extend(group)
    left = [(folder, "", sorted(small))] if small else []
    return left + [(folder, hub, sorted(group)) for hub, group in sorted(by_hub.items())]


def _find_hub(group: Sequence[str], weights: Weights) -> str:
    degree = dict.fromkeys(group, 0.0)
    for (one, other), weight in weights.items():
        if one in degree and other in degree and one != other:
            degree[other] += weight
            degree[one] += weight / 2  # what others need is the middle of a group, not what needs many
    hub = min(group, key=lambda path: (-degree[path], path))
    return hub.rpartition("/")[2].partition(".")[0]


def _name_folders(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name each folder by its shortest unique ending; a folder of tests keeps that word: `tests/auth`."""
    tests = {folder for folder, files in groups.items() if all(map(is_test_file, files))}
    names: dict[str, str] = {}
    taken: set[str] = set()
    for those in (groups.keys() - tests, tests):
        borne = Counter(end for folder in those for end in _path_tails(folder))
        for folder in sorted(those):
            *short, whole = _path_tails(folder)
            fitting = [end for end in short if folder not in tests or is_test_file(f"{end}/it")]
            names[folder] = next((end for end in fitting if borne[end] == 1 and end not in taken), whole)
        taken.update(names.values())
    return names


def _path_tails(folder: str) -> list[str]:
    pieces = folder.split("/") if folder else [TOP]
    return ["/".join(pieces[-size:]) for size in range(1, len(pieces) + 1)]
