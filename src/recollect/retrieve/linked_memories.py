"""
Memories about files that are tied to the ones in question: touched together in most commits and sessions, or next to
them in the code graph. They warn of what a change drags along.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.codegraph import code_graph
from recollect.errors import NotFound
from recollect.model.query import Filters, Hit, Recalled, ScorePart
from recollect.model.value import dataclass
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.search import check_file_presence
from recollect.store.tables import cochange, code_files, subjects

# What warns: the other kinds say nothing about a change elsewhere.
KINDS = ("gotcha", "pattern", "error_pattern", "dead_end")
# In so large a share of what touched one file the other was touched too; seldom seen, it is chance.
MIN_STRENGTH = 0.6
MIN_TIMES = 3
MAX_FILES = 5
MAX_HITS = 5
# What a tie leaves of the score of the hit it starts from.
CARRIED_SHARE = 0.5
_MAX_SEEDS = 4
_MAX_WALKED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLink:
    """A file that is tied to another, how strongly (0 to 1), and by what."""

    path: str
    start: str
    strength: float
    why: str


def find_links(context: ReadContext, project_id: str | None, files: Iterable[str]) -> list[FileLink]:
    """The files most strongly tied to these, each once, the strongest first."""
    seeds = list(dict.fromkeys(files))[:_MAX_SEEDS]
    if not seeds or project_id is None:
        return []
    links = [*_find_cochanged(context, project_id, seeds), *_find_graph_neighbours(context, seeds)]
    best: dict[str, FileLink] = {}
    for link in sorted(links, key=lambda link: (-link.strength, link.path)):
        if link.path not in seeds:
            best.setdefault(link.path, link)
    return list(best.values())[:MAX_FILES]


def add_linked_memories(
    context: ReadContext, recalled: Recalled, filters: Filters, files: Sequence[str], now: datetime
) -> Recalled:
    """The hits, and after them what is known about files that go with theirs."""
    seeds = dict.fromkeys((*files, *(file for hit in recalled.hits[:_MAX_SEEDS] for file in _files(hit))))
    tied = {f"file:{link.path}": link for link in find_links(context, filters.project_id, seeds)}
    if not tied:
        return recalled
    shown_ids = {hit.memory.id for hit in recalled}
    nums = subjects.find_memories_about(context.db, tied, _filter_warnings(filters), MAX_HITS * 2)
    memories_by_num = context.shelf.memories(nums)
    new: list[Hit] = []
    for num in nums:
        memory = memories_by_num[num]
        if memory and memory.id not in shown_ids:
            link = max(
                (tied[str(s)] for s in memory.subjects if str(s) in tied), key=lambda link: link.strength
            )
            added = CARRIED_SHARE * link.strength * _start_score(recalled, link)
            words = f"{link.path}, {link.why} {link.start}"
            new.append(Hit(memory=memory, score=0.0).adding(ScorePart("linked", link.strength, added, words)))
    new.sort(key=lambda hit: -hit.score)
    return Recalled(
        hits=(*recalled.hits, *check_file_presence(context, new[:MAX_HITS], filters, now)),
        notes=recalled.notes,
    )


def _filter_warnings(filters: Filters) -> Filters:
    kinds = tuple(kind for kind in KINDS if not filters.kinds or kind in filters.kinds)
    return Filters(
        kinds=kinds or filters.kinds,
        project_id=filters.project_id,
        every_project=filters.every_project,
        states=filters.states,
        min_confidence=filters.min_confidence,
        fresh=filters.fresh,
    )


def _find_cochanged(context: ReadContext, project_id: str, files: Sequence[str]) -> list[FileLink]:
    links: list[FileLink] = []
    for path in files:
        times = cochange.count_touches(context.db, project_id, path)
        for neighbour, together in cochange.count_joint_touches(context.db, project_id, path).items():
            share = min(1.0, together / times) if times else 0.0
            if share > MIN_STRENGTH and together >= MIN_TIMES:
                links.append(
                    FileLink(path=neighbour, start=path, strength=share, why="touched together with")
                )
    return links


def _find_graph_neighbours(context: ReadContext, files: Sequence[str]) -> list[FileLink]:
    tree = code_files.find_tree(context.db, context.root) if context.root else None
    if tree is None:
        return []
    graph = code_graph.open_graph(context.db, tree)
    links: list[FileLink] = []
    for path in files:
        for walk, why in ((graph.dependents, "depends on"), (graph.dependencies, "is needed by")):
            try:
                reached = code_graph.nearest_by_file(walk(path, depth=1, limit=_MAX_WALKED))
            except NotFound:
                continue  # the graph does not know the file
            links += [
                FileLink(path=neighbour, start=path, strength=min(1.0, step.weight), why=why)
                for neighbour, step in reached.items()
                if step.weight > MIN_STRENGTH
            ]
    return links


def _files(hit: Hit) -> list[str]:
    code_subjects = (subject for subject in hit.memory.subjects if subject.type in ("file", "symbol"))
    return [subject.name.partition("::")[0] for subject in code_subjects]


def _start_score(recalled: Recalled, link: FileLink) -> float:
    """The score of the best hit about the file a link starts from; of the best of all for a file that was given."""
    about = [hit.score for hit in recalled if link.start in _files(hit)]
    return max(about or [hit.score for hit in recalled] or [1.0])
