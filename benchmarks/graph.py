"""
The code graph on a real tree: how fast it is built and kept, and whether its imports agree with other tools.

The tree is copied, so that files can be changed; the copy has no git, and every build looks at all files
unless it is told which one changed. Wall time is what a person waits; CPU time is what remains of it when
others use the machine too.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks import cochange, graph_impact
from benchmarks.graph_impact import PROJECT
from benchmarks.run import Progress, quiet
from benchmarks.timing import Times
from recollect.codegraph import code_graph
from recollect.codegraph.build import build_graph
from recollect.codegraph.languages import load_languages
from recollect.codegraph.listing import list_files
from recollect.errors import BadInput
from recollect.model.code import EdgeKind
from recollect.model.value import asdict, dataclass, field
from recollect.store.db import Db
from recollect.store.open import open_db
from recollect.store.tables import code_files, code_nodes, projects
from recollect.store.tables.code_files import Tree
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

Edges = set[tuple[str, str]]

_MADGE_SECONDS = 900
_SCRIPT_ENDINGS = "ts,tsx,mts,cts,js,jsx,mjs,cjs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Which files a tool looked at, the imports it found between them, and how long it took, also of CPU time."""

    name: str
    files: frozenset[str]
    edges: Edges
    seconds: float
    cpu: float


def grimp_edges(tree: Path) -> Peer | None:
    """What grimp says about the largest package of a tree; None without grimp or without a package."""
    try:
        import grimp
    except ImportError:
        return None
    package = _largest_package(tree)
    if package is None:
        return None
    with _importable(package.parent):
        began, spent = time.perf_counter(), time.process_time()
        graph = grimp.build_graph(package.name, cache_dir=None)
        seconds, cpu = time.perf_counter() - began, time.process_time() - spent
    paths = {
        _module(file, package.parent): file.relative_to(tree).as_posix() for file in package.rglob("*.py")
    }
    edges = {
        (paths[module], paths[other])
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
        if module in paths and other in paths
    }
    files = frozenset(paths[module] for module in graph.modules if module in paths)
    return Peer(name="grimp", files=files, edges=edges, seconds=seconds, cpu=cpu)


def madge_edges(tree: Path, program: str | None) -> Peer | None:
    """What madge says about `src`, or the whole tree; None where it is not installed or finds nothing."""
    madge = program or shutil.which("madge")
    top = tree / "src" if (tree / "src").is_dir() else tree
    if madge is None or not any(next(top.rglob(f"*.{ending}"), None) for ending in ("ts", "tsx", "js")):
        return None
    command = [madge, "--json", "--extensions", _SCRIPT_ENDINGS]
    config = next(
        (path for path in (tree / "tsconfig.json", top / "tsconfig.base.json") if path.exists()), None
    )
    if config is not None:
        command += ["--ts-config", str(config)]
    began, spent = time.perf_counter(), _by_children()
    process = subprocess.run(
        [*command, str(top)], capture_output=True, text=True, timeout=_MADGE_SECONDS, check=False, cwd=tree
    )
    seconds, cpu = time.perf_counter() - began, _by_children() - spent
    listed = json.loads(process.stdout) if process.stdout.strip() else {}
    if not listed:
        return None
    prefix = top.relative_to(tree).as_posix()
    base = "" if prefix == "." else f"{prefix}/"
    edges = {
        (base + file, base + other) for file, others in listed.items() for other in others if file != other
    }
    files = frozenset({base + file for file in listed} | {end for edge in edges for end in edge})
    return Peer(name="madge", files=files, edges=edges, seconds=seconds, cpu=cpu)


def _by_children() -> float:
    """CPU seconds of all processes this one has started and seen end."""
    used = os.times()
    return used.children_user + used.children_system


def _largest_package(tree: Path) -> Path | None:
    tops = [
        file.parent
        for folder in (tree, tree / "src", tree / "lib")
        if folder.is_dir()
        for file in folder.glob("*/__init__.py")
    ]
    return max(tops, key=lambda top: sum(1 for _ in top.rglob("*.py")), default=None)


def _module(file: Path, root: Path) -> str:
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """grimp finds a package as Python would; the package itself is not run."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


CHANGES = 15
SYNTHETIC = (10_000, 100_000)
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOutcome:
    """What was measured: figures by system, what differs from the peers, and which goals are met."""

    systems: dict[str, dict[str, float]]
    disagreements: dict[str, dict[str, list[tuple[str, str]]]] = field(default_factory=dict)
    # Which of the files that changed together each system names, in percent.
    history: dict[str, dict[str, float]] = field(default_factory=dict)
    goals: list[dict[str, Any]] = field(default_factory=list)


def run(
    path: Path,
    *,
    madge: str | None = None,
    history: Path | None = None,
    sizes: Sequence[int] = SYNTHETIC,
    progress: Progress = quiet,
) -> GraphOutcome:
    """Measure the tree at PATH, beside grimp and madge where they are installed, and against its HISTORY."""
    if not path.is_dir():
        raise BadInput(reason=f"{path} is not a folder")
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="recollect-graph-")))
        tree = _copied(path, folder / "tree")
        db = open_db(str(folder / "graph.db"), _now())
        opened.callback(db.close)
        projects.ensure_project(db, "path:bench", "bench", PROJECT, _now())
        with progress("Building with one process") as step:
            ours = _built(db, tree, step)
        with progress("Building with all processors") as step:
            ours |= _built_by_all(folder / "again.db", tree, step)
        with progress("Changing one file") as step:
            ours |= _changed(db, tree, step)
        with progress("Asking for impacts") as step:
            ours |= graph_impact.measure_real(db, _tree(db, tree), step)
        with progress("Asking made graphs") as step:
            ours |= graph_impact.measure_synthetic(sizes, step)
        systems, differing = {"recollect": ours}, {}
        with progress("Reading history") as step:
            by_history = _history(db, _tree(db, tree), path, history)
            step(1, 1)
        peers: dict[str, Callable[[], Peer | None]] = {
            "grimp": partial(grimp_edges, tree),
            "madge": partial(madge_edges, tree, madge),
        }
        for name, ask in peers.items():
            with progress(f"Asking {name}") as step:
                found = ask()
                step(1, 1)
            if found is not None:
                systems[name], differing[name] = _beside(found, _imports(db, tree), ours)
    return GraphOutcome(
        systems=systems, disagreements=differing, history=by_history, goals=_goals(systems, by_history)
    )


def _copied(path: Path, target: Path) -> Path:
    """The code of a tree, and the files that tell how its names are found."""
    listing = list_files(path.resolve(), load_languages())
    if not listing.files:
        raise BadInput(reason=f"there is no code in {path}")
    for name in (*listing.files, *listing.settings):
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path / name, copy)
    return target


def _built(db: Db, tree: Path, step: Callable[[int, int], None]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    built = build_graph(db, tree, PROJECT, _now(), progress=step)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    status = code_nodes.read_graph_status(db, _tree(db, tree))
    return {
        "files": built.files,
        "files_per_s": built.files / wall,
        "cpu_files_per_s": built.files / cpu,
        "nodes": sum(status.nodes.values()),
        "edges": sum(status.edges.values()),
        "weak_edges": status.weak_edges,
        "memory_mb": _peak_memory(),
        "disk_mb": Path(db.path).stat().st_size / 1e6,
    }


def _built_by_all(file: Path, tree: Path, step: Callable[[int, int], None]) -> dict[str, float]:
    """The same once more, with a worker for each processor: what a person waits for."""
    db = open_db(str(file), _now())
    try:
        projects.ensure_project(db, "path:bench", "bench", PROJECT, _now())
        wall = time.perf_counter()
        built = build_graph(db, tree, PROJECT, _now(), progress=step, workers=0)
        return {"files_per_s_all_processors": built.files / (time.perf_counter() - wall)}
    finally:
        db.close()


def _changed(db: Db, tree: Path, step: Callable[[int, int], None]) -> dict[str, float]:
    """What one change costs until the graph shows it: told which file, and having to look for it."""
    files = sorted(code_files.list_files(db, _tree(db, tree)))
    chosen = random.Random(6).sample(files, min(CHANGES, len(files)))
    told_which, looked_for = Times(), Times()
    for done, name in enumerate(chosen, start=1):
        file = tree / name
        whole = file.read_bytes()
        lines = whole.splitlines(keepends=True)
        file.write_bytes(b"".join(lines[: len(lines) * 9 // 10]) + b"\n")
        told_which.take(partial(build_graph, db, tree, PROJECT, _now(), only=[name]))
        file.write_bytes(whole)
        looked_for.take(partial(build_graph, db, tree, PROJECT, _now()))
        step(done, len(chosen))
    return told_which.figures("change_named") | looked_for.figures("change_looked_for")


def _history(db: Db, row: Tree, path: Path, log: Path | None) -> dict[str, dict[str, float]]:
    """Impact against the commits of a log, or of the checkout at PATH; nothing where there is neither."""
    if log is None and not (path / ".git").exists():
        return {}
    commits = cochange.load(log) if log else graph_impact.read_history(path)
    graph = code_graph.load_graph(db, row)
    return graph_impact.score_history(graph_impact.make_context(db, graph), graph, commits)


def _imports(db: Db, tree: Path) -> Edges:
    row = _tree(db, tree)
    nodes = dict(code_nodes.list_nodes(db, row))
    return {
        (nodes[source].path, nodes[target].path)
        for source, target, kind, _ in code_nodes.list_edges(db, row)
        if kind == EdgeKind.IMPORTS
    }


def _beside(
    peer: Peer, ours: Edges, figures: dict[str, float]
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
        "cpu_files_per_s": len(peer.files) / max(peer.cpu, 0.001),
    }
    differing = {
        "only_recollect": sorted(mine - peer.edges)[:_SHOWN],
        f"only_{peer.name}": sorted(peer.edges - mine)[:_SHOWN],
    }
    return theirs, differing


def _goals(
    systems: dict[str, dict[str, float]], history: dict[str, dict[str, float]]
) -> list[dict[str, Any]]:
    ours = systems["recollect"]
    beside = max((history[name]["named"] for name in ("imports", "cochange") if name in history), default=0.0)
    bounds: list[tuple[str, float | None, float, bool]] = [
        ("files per CPU second", ours["cpu_files_per_s"], 400, True),
        ("one changed file, CPU ms", ours["change_named_cpu_p50_ms"], 30, False),
        ("impact p95 at 10,000 nodes, CPU ms", ours.get("impact_cpu_p95_ms@10000"), 10, False),
        ("impact p95 at 100,000 nodes, CPU ms", ours.get("impact_cpu_p95_ms@100000"), 50, False),
        ("impact p95 on this tree, CPU ms", ours["impact_warm_cpu_p95_ms"], 10, False),
        ("changed files named, beside the better of its parts, %", _named(history), beside, True),
        ("imports as grimp, precision %", ours.get("imports_precision_grimp"), 99, True),
        ("imports as grimp, recall %", ours.get("imports_recall_grimp"), 99, True),
        ("imports as madge, precision %", ours.get("imports_precision_madge"), 97, True),
        ("imports as madge, recall %", ours.get("imports_recall_madge"), 97, True),
    ]
    if "madge" in systems:
        bounds.append(
            (
                "times as fast as madge, by CPU time",
                ours["cpu_files_per_s"] / systems["madge"]["cpu_files_per_s"],
                5,
                True,
            )
        )
    return [
        asdict(GraphGoal(what=what, found=value, bound=bound, at_least=at_least))
        | {"verdict": "PASS" if (value >= bound if at_least else value <= bound) else "MISS"}
        for what, value, bound, at_least in bounds
        if value is not None
    ]


def _named(history: dict[str, dict[str, float]]) -> float | None:
    return history["impact"]["named"] if "impact" in history else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphGoal:
    """One figure with its bound."""

    what: str
    found: float
    bound: float
    at_least: bool


def _tree(db: Db, root: Path) -> code_files.Tree:
    tree = code_files.find_tree(db, str(root))
    assert tree is not None
    return tree


def _peak_memory() -> float:
    """The most this process has held so far, in MB; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def _now() -> datetime:
    return datetime.now(UTC)


def rows(systems: dict[str, dict[str, float]]) -> Iterable[Sequence[str]]:
    """Every figure in a line, a column per system."""
    names = dict.fromkeys(name for figures in systems.values() for name in figures)
    for name in names:
        yield (name, *(f"{figures[name]:,.4g}" if name in figures else "" for figures in systems.values()))


@click.command("graph")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--madge", metavar="PROGRAM", help="Where madge lies, when it is not on the path.")
@click.option(
    "--history",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A log of commits, when PATH is no checkout.",
)
@json_option
def graph_(path: Path, madge: str | None, history: Path | None) -> None:
    """How fast the code graph of the folder PATH is built and kept, and whether grimp and madge see the same imports.

    With a history, also how many of the files that changed together an impact names. The folder is copied; nothing in
    it is changed.

    \b
    python -m benchmarks graph ~/src/django --json
    python -m benchmarks graph httpx-0.28.1 --history commits.jsonl
    """
    outcome = run(path, madge=madge, history=history, progress=output.show_progress)
    if output.is_json():
        output.print_json({"benchmark": "graph", **asdict(outcome)})
        return
    output.print_table(("", *outcome.systems), rows(outcome.systems))
    output.print_line()
    for peer, sides in outcome.disagreements.items():
        for side, edges in sides.items():
            output.print_lines(f"{peer}, {side}: {source} → {target}" for source, target in edges)
    if outcome.history:
        names = ("commits", "named", "r@10", "names")
        output.print_table(
            ("against history", *names),
            ((system, *(f"{one[name]:g}" for name in names)) for system, one in outcome.history.items()),
        )
        output.print_line()
    goal_rows = [
        (
            goal["what"],
            f"{goal['outcome']:.4g}",
            f"{'≥' if goal['at_least'] else '≤'} {goal['bound']:g}",
            goal["verdict"],
        )
        for goal in outcome.goals
    ]
    output.print_table(("goal", "found", "wanted", ""), goal_rows)
