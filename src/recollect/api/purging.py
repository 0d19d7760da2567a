"""Purging: memories removed for good, and their words from everything of ours that repeats them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect.api.vault import open_vault_context
from recollect.api.wiring import Wiring
from recollect.capture import change
from recollect.model.ids import ID_LENGTH, looks_like_id
from recollect.model.purged_text import PurgedText
from recollect.store.safety.erase import erase_lines, erase_rows
from recollect.store.tables import vault_notes
from recollect.vault.sync import remove_purged_notes

# Beside the store: what our own agent and scheduled ones wrote, a folder each run.
_RUN_FOLDERS = ("runs", "ops/runs")


def purge(wiring: Wiring, memory_ids: Sequence[str]) -> Sequence[str]:
    """Remove memories for good: from the store, its copies, the logs of runs, and the notes of vaults that we wrote."""
    context = wiring.begin_writing()
    vaults = vault_notes.list_vaults(wiring.db)
    purged = change.purge_memories(context, memory_ids, actor=wiring.actor)
    if vaults:
        for vault in vaults:
            if Path(vault.root).is_dir():
                remove_purged_notes(open_vault_context(wiring, vault))
        # A note is named after what it says: now that its file is gone, so may its name be.
        erase_rows(wiring.db, purged.texts)
        change.erase_copies(context, purged)
    if wiring.inbox:
        _erase_runs(Path(wiring.db.path).absolute().parent, purged.texts)
    return list(purged.ids)


def _erase_runs(folder: Path, texts: PurgedText) -> None:
    for name in _RUN_FOLDERS:
        for run in (folder / name).glob("*"):
            if looks_like_id(run.name) and len(run.name) == ID_LENGTH:
                for file in run.rglob("*"):
                    if file.is_file() and not file.is_symlink():
                        erase_lines(file, texts)
