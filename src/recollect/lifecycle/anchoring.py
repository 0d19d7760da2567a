"""Giving anchors to memories that have none yet: imports, old ones, and those whose subjects were edited."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from recollect.errors import RepositoryError
from recollect.git.files import blobs_in_commit, hash_on_disk, is_there
from recollect.git.history import read_commits
from recollect.git.run import run_git
from recollect.lifecycle.locate_files import find_folder, list_folders
from recollect.model.anchor import (
    Anchor,
    AnchorState,
    Checkout,
    find_files_of,
    find_symbols_of,
    is_inside,
    make_anchor,
)
from recollect.model.code import EdgeKind
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import anchors, code_notes

# A file that was taken away is looked for in so many of the newest commits that touched one of the missing.
_MAX_COMMITS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loss:
    """When a file was taken away, and in which shape it was last."""

    at: datetime
    commit: str
    blob: str


def anchor_memories(
    db: Db,
    kinds: Kinds,
    checkout: Checkout,
    memories: Sequence[Memory],
    stored: Mapping[str, Sequence[Anchor]],
) -> dict[str, list[Anchor]]:
    """What each memory stands on: the anchors it has, without those of subjects it lost, and new ones."""
    entries = _find_entry_points(db, checkout, memories)
    paths_by_memory = {
        memory.id: (
            *find_files_of(memory, kinds.of(memory.kind)),
            *find_symbols_of(memory),
            *entries.get(memory.id, ()),
        )
        for memory in memories
    }
    modules = _find_modules(checkout, memories)
    anchors_by_memory = {
        memory.id: [
            anchor
            for anchor in stored.get(memory.id, ())
            if anchor.path in paths_by_memory[memory.id]
            or (anchor.is_folder and _is_module_of(memory, anchor))
        ]
        for memory in memories
    }
    losses = _find_losses(checkout, _find_missing(checkout, paths_by_memory, anchors_by_memory))
    for memory in memories:
        has = {anchor.path for anchor in anchors_by_memory[memory.id]}
        for path in paths_by_memory[memory.id]:
            if path not in has and (anchor := _make_new_anchor(db, checkout, memory, path, losses)):
                anchors_by_memory[memory.id].append(anchor)
        for folder in modules.get(memory.id, ()):
            if not any(anchor.is_folder for anchor in anchors_by_memory[memory.id]):
                anchors_by_memory[memory.id].append(
                    make_anchor(memory.id, folder, "", checkout.head, is_folder=True)
                )
    return anchors_by_memory


def _find_entry_points(db: Db, checkout: Checkout, memories: Iterable[Memory]) -> dict[str, list[str]]:
    """Where what a memory is about is entered, as somebody added to the code graph: without it, it hangs in the air."""
    entries: dict[str, list[str]] = {}
    for edge in code_notes.list_added_edges(db, checkout.project_id):
        if edge.kind is EdgeKind.IS_ENTRYPOINT_FOR and is_inside(edge.source.partition("::")[0]):
            entries.setdefault(edge.target, []).append(edge.source)
    return {
        memory.id: [
            entry
            for subject in memory.subjects
            for entry in entries.get(str(subject) if subject.type == "module" else subject.name, ())
        ]
        for memory in memories
        if entries
    }


def _find_modules(checkout: Checkout, memories: Iterable[Memory]) -> dict[str, list[str]]:
    about = {memory.id: [s for s in memory.subjects if s.type == "module"] for memory in memories}
    if not checkout.head or not any(about.values()):
        return {}
    try:
        folders = list_folders(checkout)
    except RepositoryError:  # the files themselves can still be looked at
        return {}
    return {
        memory_id: [folder for subject in subjects if (folder := find_folder(subject, folders))]
        for memory_id, subjects in about.items()
        if subjects
    }


def _is_module_of(memory: Memory, anchor: Anchor) -> bool:
    """Whether a folder is still one of the modules a memory is about, wherever it has gone."""
    places = {anchor.path, anchor.learned_path}
    return any(find_folder(subject, [place]) for subject in memory.subjects for place in places)


def _find_missing(
    checkout: Checkout,
    paths_by_memory: Mapping[str, Sequence[str]],
    anchors_by_memory: Mapping[str, Sequence[Anchor]],
) -> set[str]:
    """Paths without an anchor at which there is nothing."""
    return {
        path.partition("::")[0]
        for memory_id, paths in paths_by_memory.items()
        for path in set(paths) - {anchor.path for anchor in anchors_by_memory[memory_id]}
        if not is_there(Path(checkout.root, path.partition("::")[0]))
    }


def _find_losses(checkout: Checkout, paths: set[str]) -> dict[str, _Loss]:
    """Of the missing, those that git once had, and the commit before they were taken away."""
    if not checkout.head or not paths:
        return {}
    try:
        return _search_history(checkout, paths)
    except RepositoryError:
        return {}


def _search_history(checkout: Checkout, paths: set[str]) -> dict[str, _Loss]:
    losses: dict[str, _Loss] = {}
    for commit in read_commits(checkout.root, limit=_MAX_COMMITS, paths=sorted(paths)):
        for change in commit.changes:
            if change.status == "D" and change.path in paths and change.path not in losses:
                before = run_git(["rev-parse", f"{commit.sha}^"], checkout.root).strip()
                blob = blobs_in_commit(checkout.root, before, [change.path]).get(change.path, "")
                losses[change.path] = _Loss(at=commit.at, commit=before, blob=blob)
    return losses


def _make_new_anchor(
    db: Db, checkout: Checkout, memory: Memory, path: str, losses: Mapping[str, _Loss]
) -> Anchor | None:
    file = Path(checkout.root, path.partition("::")[0])
    # Not Path.is_dir: that one raises for a name no file system would take.
    if os.path.isdir(file):  # noqa: PTH112
        return make_anchor(memory.id, path, "", checkout.head, is_folder=True) if checkout.head else None
    blob = hash_on_disk(file)
    if blob is not None:
        anchor = make_anchor(memory.id, path, blob, checkout.head)
        return _respect_undo(db, anchor) if anchor.symbol else anchor
    loss = losses.get(path.partition("::")[0])
    # What was remembered after the file was gone was not about a file that is there.
    if loss is None or loss.at < memory.happened_at:
        return None
    return _respect_undo(db, make_anchor(memory.id, path, loss.blob, loss.commit))


def _respect_undo(db: Db, anchor: Anchor) -> Anchor:
    """
    Taken back once, a move is not made again: somebody has said that it is not about where the thing went.

    So it is gone, unless the look that follows finds it where it was.
    """
    if anchors.was_undone(db, anchor.memory_id, "moved"):
        return replace(anchor, state=AnchorState.GONE)
    return anchor
