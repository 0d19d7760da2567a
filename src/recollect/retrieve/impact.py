"""
Impact of a change to one place in the code: dependents, co-changed files and the memories attached to them.

The code graph tells who depends on it; history tells what changes with it though no code says so; memories are attached
to subjects of all of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.codegraph.code_graph import DEPTH, CodeGraph
from recollect.codegraph.dependents import Dependents, find_dependents, find_needed_files
from recollect.model.code import EDGE_WEIGHTS, CodeNode, EdgeKind, NodeKind, SemanticNode
from recollect.model.impact import CoChange, Dependent, Impact, LinkedMemory
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.trust import Origin, origin_of
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import cochange, code_notes, memories, subjects
from recollect.store.tables.subjects import SubjectMemory

# So many of each sort; a file that a hundred memories are about is not told better by all of them.
MAX_ATTACHED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedMemories:
    """The memories attached to some places, the nearest first."""

    binding: tuple[LinkedMemory, ...] = ()
    running: tuple[LinkedMemory, ...] = ()
    others: tuple[LinkedMemory, ...] = ()

    @property
    def everything(self) -> tuple[LinkedMemory, ...]:
        """All of them, those that bind first."""
        return (*self.binding, *self.running, *self.others)


def find_attached(db: Db, kinds: Kinds, filters: Filters, places: Mapping[str, int]) -> AttachedMemories:
    """The memories about these subjects (each with its distance) that pass the filter."""
    nearest: dict[int, tuple[int, SubjectMemory]] = {}
    for holding in subjects.list_memories_about(db, places, filters):
        here = (places[holding.subject], holding)
        known_nearest = nearest.get(holding.num)
        if known_nearest is None or (here[0], holding.subject) < (known_nearest[0], known_nearest[1].subject):
            nearest[holding.num] = here
    ranked = [holding for _, holding in sorted(nearest.values(), key=_rank_key)]
    binding = {kind.name for kind in kinds if kind.binds}
    running = {kind.name for kind in kinds if kind.seen_running}
    either = binding | running
    sorts = (
        [holding for holding in ranked if holding.kind in binding][:MAX_ATTACHED],
        [holding for holding in ranked if holding.kind in running][:MAX_ATTACHED],
        [holding for holding in ranked if holding.kind not in either][:MAX_ATTACHED],
    )
    memories_by_num = memories.read_memories(db, [holding.num for sort in sorts for holding in sort])
    linked = [
        [_linked(memories_by_num[holding.num], places[holding.subject], holding.subject) for holding in sort]
        for sort in sorts
    ]
    confirmed = [holding for holding in linked[0] if _is_confirmed(holding.memory)]
    unconfirmed = [holding for holding in linked[0] if not _is_confirmed(holding.memory)]
    return AttachedMemories(
        binding=tuple(confirmed),
        running=tuple(linked[1]),
        others=tuple([*unconfirmed, *linked[2]][:MAX_ATTACHED]),
    )


def _rank_key(place: tuple[int, SubjectMemory]) -> tuple[int, int, int, float, int]:
    depth, holding = place
    return (depth, holding.stale, -holding.verified, -holding.confidence, -holding.num)


def _linked(memory: Memory, depth: int, subject: str) -> LinkedMemory:
    kind, _, name = subject.partition(":")
    return LinkedMemory(memory=memory, about=Subject(kind, name), depth=depth)


def _is_confirmed(memory: Memory) -> bool:
    return origin_of(memory) is Origin.PERSON and memory.stale_at is None


# So small a part of a file's company is chance; the more so when the two have met only once.
OFTEN = 2
MIN_SHARE = 0.01
MIN_SHARE_ONCE = 0.03
MAX_TOGETHER = 20
# Of a folder or a module so many files are asked for their company.
_MAX_FILES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReadContext:
    """What an answer is put together from: the graph (if one was built), the kinds, and which memories may speak."""

    db: Db
    kinds: Kinds
    project_id: str | None
    filters: Filters
    graph: CodeGraph | None = None


def find_impact(
    context: CodeReadContext, graph: CodeGraph, key: str, *, depth: int = DEPTH, weak: bool = False
) -> Impact:
    """What a change of the place with this key touches, up to so many steps away."""
    own_nodes = list_own_nodes(graph, key)
    dependents = find_dependents(graph, key, depth=depth, weak=weak)
    paths = {node.path for node in own_nodes} - {""}
    needed = find_needed_files(graph, key)
    cochanged = find_cochanged(context, paths, without=paths)
    other_files = _without_dependents(cochanged, dependents.files, needed)
    dependent_files = _add_shares(dependents.files, cochanged)
    files = [dependent for dependent in dependent_files if not dependent.is_test]
    attached = find_attached(
        context.db, context.kinds, context.filters, _list_places(own_nodes, dependents, other_files)
    )
    return Impact(
        target=graph.node(key),
        depth=depth,
        score=_score(files, other_files),
        dependents=tuple(files),
        tests=tuple(dependent for dependent in dependent_files if dependent.is_test),
        together=other_files,
        invariants=attached.binding,
        invariant_nodes=_find_invariants(context, own_nodes, dependents),
        e2e=attached.running,
        memories=attached.others,
        cut=dependents.cut,
    )


def find_cochanged(
    context: CodeReadContext, paths: Iterable[str], *, without: Iterable[str] = ()
) -> tuple[CoChange, ...]:
    """What was often touched together with these files, by commits and sessions; the largest share first."""
    if context.project_id is None:
        return ()
    hidden = set(without)
    strongest: dict[str, CoChange] = {}
    for path in sorted(paths)[:_MAX_FILES]:
        for companion, (share, votes) in cochange.read_companions(
            context.db, context.project_id, path
        ).items():
            times_together = votes.commits + votes.sessions
            is_chance = share < (MIN_SHARE if times_together >= OFTEN else MIN_SHARE_ONCE)
            if companion in hidden or is_chance:
                continue
            if companion not in strongest or share > strongest[companion].share:
                strongest[companion] = CoChange(
                    path=companion,
                    share=share,
                    commits=votes.commits,
                    sessions=votes.sessions,
                    last_at=votes.last_at,
                )
    return tuple(sorted(strongest.values(), key=lambda cochanged: (-cochanged.share, cochanged.path)))


def find_added_nodes(db: Db, project_id: str | None, keys: Iterable[str]) -> list[SemanticNode]:
    """What people, agents and plugins added that stands in a connection with any of these keys."""
    if project_id is None:
        return []
    links = code_notes.list_added_edges(db, project_id)
    near = set(keys)
    ends = {link.source for link in links if link.target in near}
    ends |= {link.target for link in links if link.source in near}
    return [note for note in code_notes.list_added_nodes(db, project_id) if note.key in ends | near]


def list_own_nodes(graph: CodeGraph, key: str) -> list[CodeNode]:
    """What a key stands for, and the file it lies in."""
    nums = {*graph.nums_of(key)}
    nums |= {num for name, num in graph.nums_by_name(key.partition("::")[0]).items() if not name}
    nodes = graph.describe_nodes(nums)
    return [nodes[num] for num in sorted(nums)]


def _without_dependents(
    cochanged: Iterable[CoChange], felt_by: Iterable[Dependent], needed: set[str]
) -> tuple[CoChange, ...]:
    """Who changes along and does not depend on it; those it depends on itself are told apart."""
    dependent_paths = {cochange.path for cochange in felt_by}
    independent = [
        replace(cochange, needed=cochange.path in needed)
        for cochange in cochanged
        if cochange.path not in dependent_paths
    ]
    return tuple(independent[:MAX_TOGETHER])


def _add_shares(files: Iterable[Dependent], cochanged: Sequence[CoChange]) -> list[Dependent]:
    """Of those as near, who also changes along comes first."""
    if not cochanged:
        return list(files)
    shares = {file.path: file.share for file in cochanged}
    with_shares = [file._replace(share=shares[file.path]) if file.path in shares else file for file in files]
    return sorted(with_shares, key=lambda file: (file.depth, -file.likely, file.path))


def _score(files: Iterable[Dependent], cochanged: Iterable[CoChange]) -> float:
    """What arrives along the ways; what only history shows counts as a logical dependency of that share."""
    by_history = EDGE_WEIGHTS[EdgeKind.DEPENDS_LOGICALLY]
    return sum(item.weight for item in files) + sum(
        by_history * item.share for item in cochanged if not item.needed
    )


def _list_places(
    own_nodes: Iterable[CodeNode], dependents: Dependents, cochanged: Iterable[CoChange]
) -> dict[str, int]:
    """Every subject a memory may be about, with its distance; the nearest counts."""
    places: dict[str, int] = {f"file:{file.path}": 1 for file in cochanged}
    for file in reversed(dependents.files):
        for node in file.nodes:
            if "::" in node:
                places[f"symbol:{node}"] = file.depth
        places[f"file:{file.path}"] = file.depth
    return places | {str(node.subject): 0 for node in own_nodes if node.subject is not None}


def _find_invariants(
    context: CodeReadContext, own_nodes: Iterable[CodeNode], dependents: Dependents
) -> tuple[SemanticNode, ...]:
    if context.project_id is None or not any(code_notes.read_change_mark(context.db, context.project_id)):
        return ()
    keys = [node.key for node in own_nodes]
    keys += [node for file in dependents.files for node in (file.path, *file.nodes)]
    near = find_added_nodes(context.db, context.project_id, [*keys, *dependents.added])
    return tuple(note for note in near if note.kind is NodeKind.INVARIANT)
