"""Making a vault: folders and first notes where they are missing, in an empty folder or among notes."""

from __future__ import annotations

import os
from pathlib import Path

from recollect.errors import BadInput
from recollect.store.db import Db
from recollect.store.tables import vault_notes
from recollect.store.tables.vault_notes import VaultRow
from recollect.vault import layout
from recollect.vault.replace import create_file
from recollect.vault.scan import list_notes

DEFAULT = Path("Documents", "Obsidian Vault", "Recollect")


def make_vault(
    db: Db, folder: Path, *, project_id: str | None = None, kinds: tuple[str, ...] = ()
) -> tuple[VaultRow, list[str]]:
    """Make a folder a vault, and what was made in it. One that is a vault already keeps what it is."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BadInput(reason=f"{folder} is no folder of its own; name one that is not a link")
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(os.path.realpath(folder))
    if any(part.startswith(".") for part in root.parts[1:] if part in (".obsidian", ".git", ".trash")):
        raise BadInput(reason=f"{folder} lies in a hidden folder of another program")
    known = vault_notes.find_vault(db, str(root))
    is_empty = not list_notes(root).notes
    with db.transaction():
        vault = known or vault_notes.add_vault(
            db, str(root), project_id=project_id, kinds=kinds, own=is_empty
        )
    # Where a repository shares some kinds of memories, the rest of the layout would lie about empty.
    return vault, [] if vault.project_id and vault.kinds else lay_out(root)


def lay_out(root: Path) -> list[str]:
    """Make what is missing of the layout; the paths that were made."""
    made: list[str] = []
    for name in layout.FOLDERS:
        folder = root / name
        if not folder.exists():
            folder.mkdir()
            made.append(f"{name}/")
    for path, text in layout.FIRST_NOTES.items():
        place = root / path
        if not place.exists() and not place.is_symlink() and create_file(place, text.encode()):
            made.append(path)
    return made


def find_vaults(home: Path) -> list[Path]:
    """Obsidian vaults in the usual places of a home, to be offered."""
    usual = [home / "Documents", home / "Obsidian", home / "Notes", home]
    vaults: list[Path] = []
    for folder in usual:
        try:
            candidates = [folder, *sorted(one for one in folder.iterdir() if one.is_dir())]
        except OSError:
            continue
        vaults += [one for one in candidates if (one / ".obsidian").is_dir() and one not in vaults]
    return vaults
