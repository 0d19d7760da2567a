"""The working tree: tracked files with their hashes, and what differs on disk."""

from __future__ import annotations

from pathlib import Path

from recollect.git.run import run_git
from recollect.model.value import dataclass

LINK = "120000"
SUBMODULE = "160000"
_BYTES = 256 * 1024 * 1024
_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingTree:
    """Tracked paths with mode and blob, and which paths are changed, missing or not tracked yet."""

    tracked: dict[str, tuple[str, str]]
    changed: frozenset[str]
    missing: frozenset[str]
    untracked: tuple[str, ...]


def read_working_tree(root: Path) -> WorkingTree:
    """What lies in the working tree whose top is ROOT; ignored files are not told of."""
    tracked: dict[str, tuple[str, str]] = {}
    unmerged: set[str] = set()
    listed = run_git(["ls-files", "-s", "-z"], str(root), timeout=_SECONDS, limit=_BYTES)
    for entry in listed.split("\0"):
        about, tab, path = entry.partition("\t")
        if tab:
            mode, blob, stage = about.split()
            tracked[path] = (mode, blob)
            if stage != "0":
                unmerged.add(path)
    changed, missing, untracked = _differences(root)
    return WorkingTree(
        tracked=tracked,
        changed=frozenset(changed | unmerged),
        missing=frozenset(missing),
        untracked=untracked,
    )


def _differences(root: Path) -> tuple[set[str], set[str], tuple[str, ...]]:
    command = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]
    changed: set[str] = set()
    missing: set[str] = set()
    untracked: list[str] = []
    for entry in run_git(command, str(root), timeout=_SECONDS, limit=_BYTES).split("\0"):
        on_disk, path = entry[1:2], entry[3:]
        if entry.startswith("??"):
            untracked.append(path)
        elif on_disk == "D":
            missing.add(path)
        elif path and on_disk != " ":
            changed.add(path)
    return changed, missing, tuple(untracked)
