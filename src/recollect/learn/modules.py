"""The modules that work took place in: notes keep the folder, memories go by the name the code graph has for it."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.codegraph.modules import part_of_folder, parts_of
from recollect.model.note import Note
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import code_files


def by_name(db: Db, project_id: str | None, notes: Sequence[Note]) -> list[Note]:
    """
    Notes about work in a folder, each with the name of the module it is.

    So a memory about `module:auth` is met wherever the graph says `auth`. Without a graph the folder stands for itself.
    """
    folders = {note.facts["module"] for note in notes}
    tree = _newest_tree(db, project_id) if project_id else None
    parts = parts_of(db, tree) if tree else []
    names = {folder: part.name for folder in folders if (part := part_of_folder(parts, folder))}
    return [
        replace(note, facts={**note.facts, "module": names.get(folder, folder)})
        for note in notes
        for folder in (note.facts["module"],)
    ]


def _newest_tree(db: Db, project_id: str) -> code_files.Tree | None:
    found = (code_files.tree_at(db, root) for root in code_files.trees_of(db, project_id))
    built = [(tree.built_at, tree.num, tree) for tree in found if tree and tree.built_at]
    return max(built)[2] if built else None
