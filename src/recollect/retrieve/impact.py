"""
What a change of one place in the code touches: the graph, history and memories put together.

The graph tells who depends on it; ties tell what changes with it though no code says so; memories hang on all of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.codegraph.dependents import Felt, felt, needed_by
from recollect.codegraph.traverse import DEPTH, CodeGraph
from recollect.model.code import EDGE_WEIGHTS, CodeNode, EdgeKind, NodeKind, SemanticNode
from recollect.model.impact import CoChange, Dependent, Impact
from recollect.model.kinds import Kinds
from recollect.model.query import Filters
from recollect.model.value import dataclass, replace
from recollect.retrieve.attached_memories import hanging
from recollect.store.db import Db
from recollect.store.tables import cochange, code_notes

# So small a part of a file's company is chance; the more so when the two have met only once.
OFTEN = 2
SMALLEST_SHARE = 0.01
SMALLEST_SHARE_ONCE = 0.03
MOST_TOGETHER = 20
# Of a folder or a module so many files are asked for their company.
_MOST_FILES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an answer is put together from: the graph (if one was built), the kinds, and which memories may speak."""

    db: Db
    kinds: Kinds
    project_id: str | None
    filters: Filters
    graph: CodeGraph | None = None


def impact(asked: Asked, graph: CodeGraph, key: str, *, depth: int = DEPTH, weak: bool = False) -> Impact:
    """What a change of the place with this key touches, up to so many steps away."""
    own = own_nodes(graph, key)
    found = felt(graph, key, depth=depth, weak=weak)
    paths = {node.path for node in own} - {""}
    needed = needed_by(graph, key)
    everyone = together(asked, paths, without=paths)
    company = _beside(everyone, found.files, needed)
    felt_by = _with_shares(found.files, everyone)
    files = [one for one in felt_by if not one.is_test]
    hung = hanging(asked.db, asked.kinds, asked.filters, _places(own, found, company))
    return Impact(
        target=graph.node(key),
        depth=depth,
        score=_score(files, company),
        dependents=tuple(files),
        tests=tuple(one for one in felt_by if one.is_test),
        together=company,
        invariants=hung.binding,
        invariant_nodes=_invariants(asked, own, found),
        e2e=hung.running,
        memories=hung.others,
        cut=found.cut,
    )


def together(asked: Asked, paths: Iterable[str], *, without: Iterable[str] = ()) -> tuple[CoChange, ...]:
    """What was often touched together with these files, by commits and sessions; the largest share first."""
    if asked.project_id is None:
        return ()
    hidden = set(without)
    found: dict[str, CoChange] = {}
    for path in sorted(paths)[:_MOST_FILES]:
        for other, (share, votes) in cochange.company(asked.db, asked.project_id, path).items():
            met = votes.commits + votes.sessions
            is_chance = share < (SMALLEST_SHARE if met >= OFTEN else SMALLEST_SHARE_ONCE)
            if other in hidden or is_chance:
                continue
            if other not in found or share > found[other].share:
                found[other] = CoChange(
                    path=other,
                    share=share,
                    commits=votes.commits,
                    sessions=votes.sessions,
                    last_at=votes.last_at,
                )
    return tuple(sorted(found.values(), key=lambda one: (-one.share, one.path)))


def added_to(db: Db, project_id: str | None, keys: Iterable[str]) -> list[SemanticNode]:
    """What people, agents and plugins added that stands in a connection with any of these keys."""
    if project_id is None:
        return []
    links = code_notes.edges(db, project_id)
    near = set(keys)
    ends = {link.source for link in links if link.target in near}
    ends |= {link.target for link in links if link.source in near}
    return [note for note in code_notes.nodes(db, project_id) if note.key in ends | near]


def own_nodes(graph: CodeGraph, key: str) -> list[CodeNode]:
    """What a key stands for, and the file it lies in."""
    nums = {*graph.nums_of(key)}
    nums |= {num for name, num in graph.held(key.partition("::")[0]).items() if not name}
    nodes = graph.described(nums)
    return [nodes[num] for num in sorted(nums)]


def _beside(
    company: Iterable[CoChange], felt_by: Iterable[Dependent], needed: set[str]
) -> tuple[CoChange, ...]:
    """Who changes along and does not depend on it; those it depends on itself are told apart."""
    shown = {one.path for one in felt_by}
    left = [replace(one, needed=one.path in needed) for one in company if one.path not in shown]
    return tuple(left[:MOST_TOGETHER])


def _with_shares(files: Iterable[Dependent], company: Sequence[CoChange]) -> list[Dependent]:
    """Of those as near, who also changes along comes first."""
    if not company:
        return list(files)
    shares = {one.path: one.share for one in company}
    told = [one._replace(share=shares[one.path]) if one.path in shares else one for one in files]
    return sorted(told, key=lambda one: (one.depth, -one.likely, one.path))


def _score(files: Iterable[Dependent], company: Iterable[CoChange]) -> float:
    """What arrives along the ways; what only history shows counts as a logical dependency of that share."""
    by_history = EDGE_WEIGHTS[EdgeKind.DEPENDS_LOGICALLY]
    return sum(one.weight for one in files) + sum(by_history * one.share for one in company if not one.needed)


def _places(own: Iterable[CodeNode], found: Felt, company: Iterable[CoChange]) -> dict[str, int]:
    """Every subject a memory may be about, with its distance; the nearest counts."""
    places: dict[str, int] = {f"file:{one.path}": 1 for one in company}
    for one in reversed(found.files):
        for node in one.nodes:
            if "::" in node:
                places[f"symbol:{node}"] = one.depth
        places[f"file:{one.path}"] = one.depth
    return places | {str(node.subject): 0 for node in own if node.subject is not None}


def _invariants(asked: Asked, own: Iterable[CodeNode], found: Felt) -> tuple[SemanticNode, ...]:
    if asked.project_id is None or not any(code_notes.mark(asked.db, asked.project_id)):
        return ()
    keys = [node.key for node in own]
    keys += [node for one in found.files for node in (one.path, *one.nodes)]
    near = added_to(asked.db, asked.project_id, [*keys, *found.added])
    return tuple(note for note in near if note.kind is NodeKind.INVARIANT)
