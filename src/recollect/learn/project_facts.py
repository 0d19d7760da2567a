"""Facts of the project for notes: module names from the code graph, and co-change ties that bear out a note."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.codegraph.modules import find_parts, part_of_folder
from recollect.learn.note_texts import Sentence
from recollect.model.note import Note
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import cochange, code_files


def name_modules(db: Db, project_id: str | None, notes: Sequence[Note]) -> list[Note]:
    """
    Notes about work in a folder, each with the name of the module it is.

    So a memory about `module:auth` is met wherever the graph says `auth`. Without a graph the folder stands for itself.
    """
    folders = {note.facts["module"] for note in notes}
    tree = _find_newest_tree(db, project_id) if project_id else None
    parts = find_parts(db, tree) if tree else []
    names = {folder: part.name for folder in folders if (part := part_of_folder(parts, folder))}
    return [
        replace(note, facts={**note.facts, "module": names.get(folder, folder)})
        for note in notes
        for folder in (note.facts["module"],)
    ]


def _find_newest_tree(db: Db, project_id: str) -> code_files.Tree | None:
    trees = (code_files.find_tree(db, root) for root in code_files.list_trees(db, project_id))
    built = [(tree.built_at, tree.num, tree) for tree in trees if tree and tree.built_at]
    return max(built)[2] if built else None


# In so many of the sessions that touched the one file, the other was touched too.
MIN_TIE_SHARE = 0.5


def check_ties(db: Db, project_id: str | None, sentence: Sentence) -> Sentence | str:
    """The sentence about a file and another it needs, with its figures; or why the ties do not bear it out."""
    changed, needed = sentence.files[:2]
    if project_id is None:
        return sentence
    tie, alone = (
        cochange.read_tie_between(db, project_id, changed, needed),
        cochange.read_file_votes(db, project_id, changed),
    )
    if tie.votes.sessions < MIN_TIE_SHARE * alone.sessions:
        return (
            f"{needed} was used in {tie.votes.sessions} of the {alone.sessions} sessions that used {changed}"
        )
    return replace(sentence, fields={**sentence.fields, "commit_count": tie.votes.commits})
