"""
Memories about files that are tied to the ones in question: touched together in most commits and sessions, or next to
them in the code graph. They warn of what a change drags along.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.codegraph import traverse
from recollect.errors import NotFound
from recollect.model.hit import Hit, Part, Recalled
from recollect.model.query import Filters
from recollect.model.value import dataclass
from recollect.retrieve.file_presence import checked
from recollect.retrieve.read_context import Ground
from recollect.store.tables import cochange, code_files, subjects

# What warns: the other kinds say nothing about a change elsewhere.
KINDS = ("gotcha", "pattern", "error_pattern", "dead_end")
# In so large a share of what touched one file the other was touched too; seldom seen, it is chance.
STRONG = 0.6
FEWEST_TIMES = 3
MOST_FILES = 5
MOST_HITS = 5
# What a tie leaves of the score of the hit it starts from.
CARRIES = 0.5
_SEEDS = 4
_WALKED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A file that is tied to another, how strongly (0 to 1), and by what."""

    path: str
    start: str
    strength: float
    why: str


def links(ground: Ground, project_id: str | None, files: Iterable[str]) -> list[Link]:
    """The files most strongly tied to these, each once, the strongest first."""
    given = list(dict.fromkeys(files))[:_SEEDS]
    if not given or project_id is None:
        return []
    found = [*_touched_together(ground, project_id, given), *_next_in_code(ground, given)]
    best: dict[str, Link] = {}
    for link in sorted(found, key=lambda link: (-link.strength, link.path)):
        if link.path not in given:
            best.setdefault(link.path, link)
    return list(best.values())[:MOST_FILES]


def with_linked(
    ground: Ground, found: Recalled, filters: Filters, files: Sequence[str], now: datetime
) -> Recalled:
    """The hits, and after them what is known about files that go with theirs."""
    seeds = dict.fromkeys((*files, *(file for hit in found.hits[:_SEEDS] for file in _files(hit))))
    tied = {f"file:{link.path}": link for link in links(ground, filters.project_id, seeds)}
    if not tied:
        return found
    known = {hit.memory.id for hit in found}
    nums = subjects.nums_about(ground.db, tied, _warning(filters), MOST_HITS * 2)
    whole = ground.shelf.memories(nums)
    new: list[Hit] = []
    for num in nums:
        memory = whole[num]
        if memory and memory.id not in known:
            link = max(
                (tied[str(s)] for s in memory.subjects if str(s) in tied), key=lambda link: link.strength
            )
            added = CARRIES * link.strength * _start_score(found, link)
            words = f"{link.path}, {link.why} {link.start}"
            new.append(Hit(memory=memory, score=0.0).adding(Part("linked", link.strength, added, words)))
    new.sort(key=lambda hit: -hit.score)
    return Recalled(hits=(*found.hits, *checked(ground, new[:MOST_HITS], filters, now)), notes=found.notes)


def _warning(filters: Filters) -> Filters:
    wanted = tuple(kind for kind in KINDS if not filters.kinds or kind in filters.kinds)
    return Filters(
        kinds=wanted or filters.kinds,
        project_id=filters.project_id,
        every_project=filters.every_project,
        states=filters.states,
        min_confidence=filters.min_confidence,
        fresh=filters.fresh,
    )


def _touched_together(ground: Ground, project_id: str, files: Sequence[str]) -> list[Link]:
    found: list[Link] = []
    for path in files:
        times = cochange.times_of(ground.db, project_id, path)
        for other, together in cochange.times_with(ground.db, project_id, path).items():
            share = min(1.0, together / times) if times else 0.0
            if share > STRONG and together >= FEWEST_TIMES:
                found.append(Link(path=other, start=path, strength=share, why="touched together with"))
    return found


def _next_in_code(ground: Ground, files: Sequence[str]) -> list[Link]:
    tree = code_files.tree_at(ground.db, ground.root) if ground.root else None
    if tree is None:
        return []
    graph = traverse.cold(ground.db, tree)
    found: list[Link] = []
    for path in files:
        for walk, why in ((graph.dependents, "depends on"), (graph.dependencies, "is needed by")):
            try:
                reached = traverse.by_file(walk(path, depth=1, limit=_WALKED))
            except NotFound:
                continue  # the graph does not know the file
            found += [
                Link(path=other, start=path, strength=min(1.0, one.weight), why=why)
                for other, one in reached.items()
                if one.weight > STRONG
            ]
    return found


def _files(hit: Hit) -> list[str]:
    named = (subject for subject in hit.memory.subjects if subject.type in ("file", "symbol"))
    return [subject.name.partition("::")[0] for subject in named]


def _start_score(found: Recalled, link: Link) -> float:
    """The score of the best hit about the file a link starts from; of the best of all for a file that was given."""
    about = [hit.score for hit in found if link.start in _files(hit)]
    return max(about or [hit.score for hit in found] or [1.0])
