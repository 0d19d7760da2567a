"""CheckoutView: what a checkout says of its files before any session: its commits, paths, names, openings, links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from recollect.capture.evidence import gives_orders
from recollect.errors import RepositoryError
from recollect.events.bounded_read import read_beginning
from recollect.events.excluded import find_excluded
from recollect.git.files import list_tracked
from recollect.git.history import read_commits
from recollect.model.commit import Commit
from recollect.model.path_kinds import is_handwritten
from recollect.model.project import storable
from recollect.model.value import dataclass, field
from recollect.store.db import Db
from recollect.store.tables import code_files, code_nodes

# Older commits have faded to nothing, and reading them is what takes time.
MAX_COMMITS = 3_000
MAX_PATHS = 50_000
# Of so many files the first words are read; a larger project goes by its commits, paths and names.
_MAX_OPENINGS = 5_000
_OPENING_BYTES = 1_500
_BETWEEN_WORDS = re.compile(r"[\s_.-]+")
_MIN_SENTENCE_WORDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutView:
    """A checkout as its history and its code show it, without what must not be remembered."""

    # The newest first.
    commits: Sequence[Commit] = ()
    # Every file there is, as the project sees it.
    paths: Sequence[str] = ()
    # The names each file defines, and its first words: docstring, comment, heading.
    names: Mapping[str, str] = field(default_factory=dict)
    openings: Mapping[str, str] = field(default_factory=dict)
    # Files with the files that their code leads into or that lead into it, and by how many places.
    links: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def read_checkout(db: Db, root: str, excluded: Sequence[str] = ()) -> CheckoutView:
    """What git and the code graph know of the checkout at ROOT; empty where there is no git repository."""
    try:
        paths = list(_list_paths(root, excluded))
        commits = list(read_commits(root, limit=MAX_COMMITS)) if paths else []
    except RepositoryError:
        return CheckoutView()
    present = frozenset(paths)
    tree = code_files.find_tree(db, storable(root))
    names: dict[str, list[str]] = {}
    links: dict[str, dict[str, float]] = {}
    if tree is not None:
        for path, name in code_nodes.list_definition_names(db, tree):
            if path in present:
                names.setdefault(path, []).append(name)
        for (one, other), count in code_nodes.count_file_links(db, tree).items():
            if one in present and other in present:
                for here, there in ((one, other), (other, one)):
                    towards = links.setdefault(here, {})
                    towards[there] = towards.get(there, 0.0) + count
    return CheckoutView(
        commits=commits,
        paths=paths,
        names={path: " ".join(defined) for path, defined in names.items()},
        openings=dict(_read_openings(Path(root), paths)),
        links=links,
    )


def _list_paths(root: str, excluded: Sequence[str]) -> Iterator[str]:
    """The tracked files that somebody writes by hand."""
    for path in islice(list_tracked(root), MAX_PATHS):
        if is_handwritten(path) and not _is_message(path) and not find_excluded([path], excluded):
            yield storable(path)


def _is_message(path: str) -> bool:
    """Whether a name of the path is a sentence that tells its reader what to do: a file has no need of such a name."""
    sentences = (_BETWEEN_WORDS.sub(" ", name) for name in path.split("/"))
    return any(
        sentence.count(" ") >= _MIN_SENTENCE_WORDS - 1 and gives_orders(sentence) for sentence in sentences
    )


def _read_openings(root: Path, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(paths) > _MAX_OPENINGS:
        return
    for path in paths:
        try:
            raw = read_beginning(root / path, _OPENING_BYTES)
        except (OSError, ValueError):
            continue
        if b"\0" not in raw:
            yield path, raw.decode("utf-8", "replace")
