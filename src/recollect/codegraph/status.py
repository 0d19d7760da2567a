"""What the graph of a checkout holds, and how far the files have gone on since."""

from __future__ import annotations

from pathlib import Path

from recollect.codegraph.languages import Known
from recollect.codegraph.languages import known as known_languages
from recollect.codegraph.listing import listing
from recollect.model.code import GraphStatus
from recollect.model.project import storable
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import code_files, code_nodes


def status(db: Db, root: Path, known: Known | None = None) -> GraphStatus:
    """What is in the graph, what is left out and why, how many files changed since it was built."""
    languages = known or known_languages()
    tree = code_files.tree_at(db, storable(str(root)))
    found = listing(root, languages)
    before = code_files.files(db, tree) if tree else {}
    same = sum(path in before and before[path].seen == file.seen for path, file in found.files.items())
    changed = len(found.files) - same + len(before.keys() - found.files.keys())
    told = code_nodes.status(db, tree) if tree else GraphStatus(root=storable(str(root)))
    plugins = (*languages.plugins, *(f"left out: {broken}" for broken in languages.broken))
    return replace(told, changed_since=changed, plugins=plugins)
