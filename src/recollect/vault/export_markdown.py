"""Memories as notes in a folder of their own: for reading, sharing and review, with no way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from recollect.errors import BadInput
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory, MemoryState
from recollect.vault import layout, note
from recollect.vault.context import NOT_SHOWN
from recollect.vault.replace import create_file


def export_notes(folder: Path, memories: Iterable[Memory], kinds: Kinds, projects: Mapping[str, str]) -> int:
    """Write a note for every active memory that people read; how many. The folder is new or empty."""
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise BadInput(reason=f"{folder} is no empty folder; name a new one")
    shown = [one for one in memories if one.state is MemoryState.ACTIVE and one.kind not in NOT_SHOWN]
    paths: dict[str, str] = {}
    taken: set[str] = set()
    for memory in shown:
        place = (
            f"{layout.choose_folder(memory, kinds)}/{layout.make_note_name(memory.citation or memory.text)}"
        )
        is_free = f"{place}.md".lower() not in taken
        paths[memory.id] = f"{place}.md" if is_free else f"{place} {memory.id}.md"
        taken.add(paths[memory.id].lower())
    for memory in shown:
        text = note.new_note(memory, paths.get, projects.get(memory.project_id or "", ""))
        create_file(folder / paths[memory.id], text.encode())
    return len(shown)
