"""
The code graph on a real tree: how fast it is built and kept, and whether its imports agree with other tools.

The tree is copied, so that files can be changed; the copy has no git, and every build looks at all files
unless it is told which one changed. Wall time is what a person waits; CPU time is what remains of it when
others use the machine too.
"""

from __future__ import annotations

import math
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from recollect.bench import graph_peers
from recollect.bench.graph_peers import Edges
from recollect.bench.run import Progress, quiet
from recollect.codegraph import traverse
from recollect.codegraph.build import build
from recollect.codegraph.languages import known
from recollect.codegraph.listing import listing
from recollect.codegraph.walk import CompactGraph, Walk
from recollect.errors import BadInput
from recollect.model.code import SURE, EdgeKind
from recollect.store import code, code_nodes, projects
from recollect.store.open import open_db
from recollect.store.sqlite import SqliteDb

CHANGES = 15
QUESTIONS = 200
SYNTHETIC = (10_000, 100_000)
_EDGES_PER_NODE = 3
_PROJECT = "bench"
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOutcome:
    """What was measured: figures by system, what differs from the peers, and which goals are met."""

    systems: dict[str, dict[str, float]]
    disagreements: dict[str, dict[str, list[tuple[str, str]]]] = field(default_factory=dict)
    goals: list[dict[str, Any]] = field(default_factory=list)


def run(
    path: Path,
    *,
    madge: str | None = None,
    sizes: Sequence[int] = SYNTHETIC,
    progress: Progress = quiet,
) -> GraphOutcome:
    """Measure the tree at PATH, beside grimp and madge where they are installed."""
    if not path.is_dir():
        raise BadInput(reason=f"{path} is not a folder")
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="recollect-graph-")))
        tree = _copied(path, folder / "tree")
        db = open_db(str(folder / "graph.db"), _now())
        opened.callback(db.close)
        projects.ensure(db, "path:bench", "bench", _PROJECT, _now())
        with progress("Building") as step:
            ours = _built(db, tree, step)
        with progress("Changing one file") as step:
            ours |= _changed(db, tree, step)
        ours |= _asked(db, tree)
        with progress("Walking made graphs") as step:
            ours |= _synthetic(sizes, step)
        systems, differing = {"recollect": ours}, {}
        peers: dict[str, Callable[[], graph_peers.Peer | None]] = {
            "grimp": partial(graph_peers.grimp_edges, tree),
            "madge": partial(graph_peers.madge_edges, tree, madge),
        }
        for name, ask in peers.items():
            with progress(f"Asking {name}") as step:
                found = ask()
                step(1, 1)
            if found is not None:
                systems[name], differing[name] = _beside(found, _imports(db, tree), ours)
    return GraphOutcome(systems=systems, disagreements=differing, goals=_goals(systems))


def _copied(path: Path, target: Path) -> Path:
    """The code of a tree, and the files that tell how its names are found."""
    found = listing(path.resolve(), known())
    if not found.files:
        raise BadInput(reason=f"there is no code in {path}")
    for name in (*found.files, *found.settings):
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path / name, copy)
    return target


def _built(db: SqliteDb, tree: Path, step: Callable[[int, int], None]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    built = build(db, tree, _PROJECT, _now(), progress=step)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    found = code_nodes.status(db, _tree(db, tree))
    return {
        "files": built.files,
        "files_per_s": built.files / wall,
        "cpu_files_per_s": built.files / cpu,
        "nodes": sum(found.nodes.values()),
        "edges": sum(found.edges.values()),
        "weak_edges": found.weak_edges,
        "memory_mb": _peak_memory(),
        "disk_mb": Path(db.path).stat().st_size / 1e6,
    }


def _changed(db: SqliteDb, tree: Path, step: Callable[[int, int], None]) -> dict[str, float]:
    """What one change costs until the graph shows it: told which file, and having to look for it."""
    files = sorted(code.files(db, _tree(db, tree)))
    chosen = random.Random(6).sample(files, min(CHANGES, len(files)))
    named, looked_for = _Times(), _Times()
    for done, name in enumerate(chosen, start=1):
        file = tree / name
        whole = file.read_bytes()
        lines = whole.splitlines(keepends=True)
        file.write_bytes(b"".join(lines[: len(lines) * 9 // 10]) + b"\n")
        named.take(partial(build, db, tree, _PROJECT, _now(), only=[name]))
        file.write_bytes(whole)
        looked_for.take(partial(build, db, tree, _PROJECT, _now()))
        step(done, len(chosen))
    return named.figures("change_named") | looked_for.figures("change_looked_for")


def _asked(db: SqliteDb, tree: Path) -> dict[str, float]:
    """Who depends on a file, in a process that holds the graph and in one that does not."""
    files = sorted(path for path, file in code.files(db, _tree(db, tree)).items() if not file.left_out)
    chance = random.Random(6)
    asked = [chance.choice(files) for _ in range(QUESTIONS)]
    loading, held, short = _Times(), _Times(), _Times()
    row = _tree(db, tree)
    loading.take(partial(traverse.warm, db, row))
    warm = traverse.warm(db, row)
    for path in asked:
        held.take(partial(warm.dependents, path))
        short.take(lambda path=path: traverse.cold(db, row).dependents(path))  # type: ignore[misc]
    return loading.figures("loading") | held.figures("dependents_warm") | short.figures("dependents_short")


def _synthetic(sizes: Sequence[int], step: Callable[[int, int], None]) -> dict[str, float]:
    """Walks of depth 3 over made graphs with a few nodes that nearly everything leads to."""
    figures: dict[str, float] = {}
    for done, size in enumerate(sizes, start=1):
        chance = random.Random(size)
        edges = [
            (chance.randrange(size), int(size * chance.random() ** 3), EdgeKind.CALLS, SURE)
            for _ in range(size * _EDGES_PER_NODE)
        ]
        graph = CompactGraph(range(size), edges)
        how = Walk(True, traverse.DEPTH, traverse.LIMIT, frozenset(EdgeKind), SURE)
        # Ends of edges, not nodes: what many lead to is asked about more often.
        starts = [chance.choice(edges)[1] for _ in range(QUESTIONS)]
        times = _Times()
        for start in starts:
            times.take(partial(graph.walk, [start], how))
        figures |= {f"{name}@{size}": value for name, value in times.figures("walk").items()}
        step(done, len(sizes))
    return figures


def _imports(db: SqliteDb, tree: Path) -> Edges:
    row = _tree(db, tree)
    nodes = dict(code_nodes.all_nodes(db, row))
    return {
        (nodes[source].path, nodes[target].path)
        for source, target, kind, _ in code_nodes.all_edges(db, row)
        if kind == EdgeKind.IMPORTS
    }


def _beside(
    peer: graph_peers.Peer, ours: Edges, figures: dict[str, float]
) -> tuple[dict[str, float], dict[str, list[tuple[str, str]]]]:
    """A peer's figures, ours over the same files added to them, and the edges that only one of us has."""
    mine = {edge for edge in ours if edge[0] in peer.files and edge[1] in peer.files}
    both = len(mine & peer.edges)
    figures[f"imports_precision_{peer.name}"] = 100 * both / max(len(mine), 1)
    figures[f"imports_recall_{peer.name}"] = 100 * both / max(len(peer.edges), 1)
    theirs = {
        "files": len(peer.files),
        "imports": len(peer.edges),
        "seconds": peer.seconds,
        "files_per_s": len(peer.files) / peer.seconds,
    }
    differing = {
        "only_recollect": sorted(mine - peer.edges)[:_SHOWN],
        f"only_{peer.name}": sorted(peer.edges - mine)[:_SHOWN],
    }
    return theirs, differing


def _goals(systems: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    ours = systems["recollect"]
    wanted: list[tuple[str, float | None, float, bool]] = [
        ("files per CPU second", ours["cpu_files_per_s"], 400, True),
        ("one changed file, CPU ms", ours["change_named_cpu_p50_ms"], 30, False),
        ("walk p95 at 10,000 nodes, CPU ms", ours.get("walk_cpu_p95_ms@10000"), 10, False),
        ("walk p95 at 100,000 nodes, CPU ms", ours.get("walk_cpu_p95_ms@100000"), 50, False),
        ("imports as grimp, precision %", ours.get("imports_precision_grimp"), 99, True),
        ("imports as grimp, recall %", ours.get("imports_recall_grimp"), 99, True),
        ("imports as madge, precision %", ours.get("imports_precision_madge"), 97, True),
        ("imports as madge, recall %", ours.get("imports_recall_madge"), 97, True),
    ]
    if "madge" in systems:
        wanted.append(
            ("times as fast as madge", ours["files_per_s"] / systems["madge"]["files_per_s"], 5, True)
        )
    return [
        asdict(GraphGoal(what=what, found=found, bound=bound, at_least=at_least))
        | {"verdict": "PASS" if (found >= bound if at_least else found <= bound) else "MISS"}
        for what, found, bound, at_least in wanted
        if found is not None
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphGoal:
    """One figure with its bound."""

    what: str
    found: float
    bound: float
    at_least: bool


@dataclass(slots=True)
class _Times:
    """What acts took, one by one, in milliseconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def take(self, act: Callable[[], object]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        act()
        self.cpu.append(1000 * (time.process_time() - cpu))
        self.wall.append(1000 * (time.perf_counter() - wall))

    def figures(self, name: str) -> dict[str, float]:
        late = math.ceil(0.95 * len(self.wall)) - 1
        return {
            f"{name}_p50_ms": statistics.median(self.wall),
            f"{name}_p95_ms": sorted(self.wall)[late],
            f"{name}_cpu_p50_ms": statistics.median(self.cpu),
            f"{name}_cpu_p95_ms": sorted(self.cpu)[late],
        }


def _tree(db: SqliteDb, root: Path) -> code.Tree:
    found = code.tree_at(db, str(root))
    assert found is not None
    return found


def _peak_memory() -> float:
    """The most this process has held so far, in MB; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held / 1e6 if sys.platform == "darwin" else held / 1e3


def _now() -> datetime:
    return datetime.now(UTC)


def rows(systems: dict[str, dict[str, float]]) -> Iterable[Sequence[str]]:
    """Every figure in a line, a column per system."""
    names = dict.fromkeys(name for figures in systems.values() for name in figures)
    for name in names:
        yield (name, *(f"{figures[name]:,.4g}" if name in figures else "" for figures in systems.values()))
