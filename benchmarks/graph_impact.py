"""
Impact of the code graph: how long it takes, and whether it names the files that commits changed together.

Commits are read in order and scored before they are learned from, as in `bench cochange`: the last fifth, those with
2 to 10 files that are in the graph. The graph is that of the tree as it is: a file that is gone since is not asked for,
and an import that a scored commit brought is there already. Beside impact at depth 2 stand those it is made of: import
neighbours both ways, and co-change alone. `named` is the share of the others that is named at all, `names` how many
files that takes, `r@10` the share among the first ten.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.cochange import FEWEST, MOST, SCORED_SHARE, Commit
from benchmarks.timing import Times, measure_process
from recollect import config
from recollect.api import Recollect
from recollect.codegraph import code_graph
from recollect.codegraph.code_graph import CodeGraph
from recollect.codegraph.dependents import find_dependents
from recollect.git import history
from recollect.model.cochange import ChangeOccasion, Ties
from recollect.model.code import EdgeKind, NodeKind
from recollect.model.kinds import Kinds
from recollect.model.query import Filters
from recollect.retrieve.impact import CodeReadContext, find_impact
from recollect.store.db import Db
from recollect.store.open import open_db
from recollect.store.tables import cochange, code_files, code_nodes, projects
from recollect.store.tables.code_files import StoredFile, Tree
from recollect.store.tables.code_nodes import StoredNode

PROJECT = "bench"
QUESTIONS = 200
PROCESSES = 7
_EDGES_PER_NODE = 3
_NODES_PER_FILE = 10
_MEMORIES = 500


def make_context(db: Db, graph: CodeGraph) -> CodeReadContext:
    """A question with all that belongs to it, from the project of the benchmark."""
    filters = Filters(project_id=PROJECT)
    return CodeReadContext(db=db, kinds=Kinds(), project_id=PROJECT, filters=filters, graph=graph)


def measure_real(db: Db, tree: Tree, step: Callable[[int, int], None]) -> dict[str, float]:
    """Impacts of files of a real tree: warm, asked of the store, and as a command in a process of its own."""
    paths = sorted(path for path, file in code_files.list_files(db, tree).items() if not file.left_out)
    chosen = random.Random(6).choices(paths, k=QUESTIONS)
    loading, warm, short, command = Times(), Times(), Times(), Times()
    loading.take(partial(code_graph.load_graph, db, tree))
    graph = code_graph.load_graph(db, tree)
    for path in chosen:
        warm.take(partial(find_impact, make_context(db, graph), graph, path))
        cold = code_graph.open_graph(db, tree)
        short.take(partial(find_impact, make_context(db, cold), cold, path))
    for done, path in enumerate(chosen[: PROCESSES + 1]):
        cpu, wall = measure_process(_command(db, tree, path), Path(db.path).parent)
        if done:  # the first one only fills the caches
            command.note(wall, cpu)
        step(done, PROCESSES)
    return (
        loading.figures("loading")
        | warm.figures("impact_warm")
        | short.figures("impact_short")
        | command.figures("impact_command")
    )


def measure_synthetic(sizes: Sequence[int], step: Callable[[int, int], None]) -> dict[str, float]:
    """Impacts of depth 3 in made graphs with memories, where nearly everything leads to a few nodes."""
    figures: dict[str, float] = {}
    for done, size in enumerate(sizes, start=1):
        with _made(size) as (db, graph, paths):
            times = Times()
            for path in paths:
                times.take(partial(find_impact, make_context(db, graph), graph, path))
        figures |= {f"{name}@{size}": value for name, value in times.figures("impact").items()}
        step(done, len(sizes))
    return figures


def _command(db: Db, tree: Tree, path: str) -> tuple[str, ...]:
    return ("-m", "recollect", "impact", path, "--db", db.path, "--project", tree.root, "--json")


@contextmanager
def _made(size: int) -> Iterator[tuple[Db, CodeGraph, list[str]]]:
    """A graph of so many nodes, ten to a file, in a store with memories about some of the files."""
    now = datetime.now(UTC)
    chance = random.Random(size)
    with tempfile.TemporaryDirectory(prefix="recollect-graph-") as folder:
        file = str(Path(folder, "made.db"))
        files = [
            f"src/part{number % 50}/file{number}.py" for number in range(max(1, size // _NODES_PER_FILE))
        ]
        _remember(file, chance, files)
        db = open_db(file, now)
        try:
            projects.ensure_project(db, "path:made", "made", PROJECT, now)
            tree = code_files.ensure_tree(db, PROJECT, "/made")
            with db.transaction():
                ends = _fill(db, tree, chance, files)
            # Ends of edges, not nodes: what many lead to is asked about more often.
            questions = [
                files[(chance.choice(ends) - 1) // _NODES_PER_FILE % len(files)] for _ in range(QUESTIONS)
            ]
            yield db, code_graph.load_graph(db, tree), questions
        finally:
            db.close()


def _remember(file: str, chance: random.Random, files: Sequence[str]) -> None:
    settings = config.load_settings(None, {"embedding.tier": "none"})
    with Recollect(file, folder=None, settings=settings) as memory:
        memory.remember_many(
            [
                memory.draft(f"Memory {n} of many", kind="decision", about=[f"file:{chance.choice(files)}"])
                for n in range(_MEMORIES)
            ]
        )


def _fill(db: Db, tree: Tree, chance: random.Random, files: Sequence[str]) -> list[int]:
    """Nodes and edges; the node numbers edges lead to."""
    stored = [StoredFile(num, path, "python", "") for num, path in enumerate(files, start=1)]
    code_files.add_files(db, tree, stored)
    nodes = []
    for file in stored:
        first = (file.num - 1) * _NODES_PER_FILE + 1
        for place in range(_NODES_PER_FILE):
            kind, name = (NodeKind.FUNCTION, f"f{place}") if place else (NodeKind.FILE, file.path)
            nodes.append(
                StoredNode(
                    num=first + place,
                    file_num=file.num,
                    kind=kind,
                    name=name,
                    qualified=f"f{place}" if place else "",
                )
            )
    code_nodes.add_nodes(db, tree, nodes)
    count = len(nodes)
    edges = {
        (1 + chance.randrange(count), EdgeKind.CALLS, 1 + int(count * chance.random() ** 3))
        for _ in range(count * _EDGES_PER_NODE)
    }
    code_nodes.add_edges(db, ((*edge, 1.0, "") for edge in sorted(edges)))
    return [target for _, _, target in sorted(edges)]


_FIRST = 10
_MAX_COMMITS = 5_000

Named = Callable[[str], Sequence[str]]


def read_history(root: Path) -> list[Commit]:
    """The history of a checkout, oldest first."""
    commits = history.read_commits(str(root), limit=_MAX_COMMITS, renames=True)
    return [
        Commit(
            at=commit.at,
            touched=tuple(change.path for change in commit.changes if change.status != "D"),
            renamed={change.was: change.path for change in commit.changes if change.status == "R"},
            deleted=tuple(change.path for change in commit.changes if change.status == "D"),
        )
        for commit in reversed(list(commits))
    ]


def score_history(
    context: CodeReadContext, graph: CodeGraph, commits: Sequence[Commit]
) -> dict[str, dict[str, float]]:
    """Scores by system, in percent; empty when no commit can be scored."""
    assert context.project_id is not None
    ties = Ties()
    systems: Mapping[str, Named] = {
        "impact": lambda path: _by_impact(context, graph, path),
        "imports": lambda path: _by_imports(graph, path),
        "cochange": lambda path: [other for other, _ in _company(ties, path)],
    }
    scores: dict[str, list[tuple[float, float, float]]] = {name: [] for name in systems}
    for number, commit in enumerate(commits):
        _follow(ties, commit)
        targets = [
            path for path in dict.fromkeys(commit.touched) if graph.nums_by_name(path) and path in ties.files
        ]
        if number >= len(commits) * (1 - SCORED_SHARE) and FEWEST <= len(targets) <= MOST:
            _store(context, ties, targets)
            for name, name_files in systems.items():
                scores[name].append(_score(name_files, targets))
        ties.learn(ChangeOccasion(files=commit.touched, at=commit.at))
        for gone in commit.deleted:
            ties.remove(gone)
    return {name: _means(results) for name, results in scores.items() if results}


def _follow(ties: Ties, commit: Commit) -> None:
    for old, new in commit.renamed.items():
        if old in ties.files:
            ties.move(old, new)


def _store(context: CodeReadContext, ties: Ties, paths: Iterable[str]) -> None:
    """What is known of these files just before a commit goes where impact reads it."""
    part = Ties()
    part.occasion = ties.occasion
    for path in paths:
        part.files[path] = ties.files[path]
        for other in ties.around(path):
            part.put(path, other, ties.between(path, other))
    assert context.project_id is not None
    with context.db.transaction():
        cochange.forget_ties(context.db, context.project_id)
        cochange.save_ties(context.db, context.project_id, part, commit_sha="")


def _by_impact(context: CodeReadContext, graph: CodeGraph, path: str) -> list[str]:
    impact = find_impact(context, graph, path, depth=2)
    scored = {one.path: one.likely for one in (*impact.dependents, *impact.tests)}
    scored |= {one.path: one.share for one in impact.together}
    return sorted(scored, key=lambda other: (-scored[other], other))


def _by_imports(graph: CodeGraph, path: str) -> list[str]:
    near = [
        *find_dependents(graph, path, depth=1).files,
        *find_dependents(graph, path, depth=1, back=False).files,
    ]
    return list(dict.fromkeys(one.path for one in near if one.path != path))


def _company(ties: Ties, path: str) -> list[tuple[str, float]]:
    strengths = [(other, ties.strength(path, other)) for other in ties.around(path)]
    return sorted(strengths, key=lambda one: (-one[1], one[0]))[:20]


def _score(name_files: Named, targets: Sequence[str]) -> tuple[float, float, float]:
    """Shares named at all and among the first ten, and how many names that took; means over the files given."""
    totals = [0.0, 0.0, 0.0]
    for seed in targets:
        others = set(targets) - {seed}
        names = list(name_files(seed))
        totals[0] += len(others.intersection(names)) / len(others)
        totals[1] += len(others.intersection(names[:_FIRST])) / len(others)
        totals[2] += len(names)
    return totals[0] / len(targets), totals[1] / len(targets), totals[2] / len(targets)


def _means(results: Sequence[tuple[float, float, float]]) -> dict[str, float]:
    named, first, names = (sum(column) / len(results) for column in zip(*results, strict=True))
    return {
        "commits": len(results),
        "named": round(100 * named, 1),
        "r@10": round(100 * first, 1),
        "names": round(names, 1),
    }
