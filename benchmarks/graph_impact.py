"""How long an impact takes: in a process that holds the graph, in one that asks the store, and as a command."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.cold import spend
from benchmarks.times import Times
from recollect import config
from recollect.api import Recollect
from recollect.codegraph import traverse
from recollect.codegraph.traverse import CodeGraph
from recollect.model.code import EdgeKind, NodeKind
from recollect.model.kinds import Kinds
from recollect.model.query import Filters
from recollect.retrieve.impact import Asked, impact
from recollect.store.db import Db
from recollect.store.open import open_db
from recollect.store.tables import code_files, code_nodes, projects
from recollect.store.tables.code_files import StoredFile, Tree
from recollect.store.tables.code_nodes import StoredNode

PROJECT = "bench"
QUESTIONS = 200
PROCESSES = 7
_EDGES_PER_NODE = 3
_NODES_PER_FILE = 10
_MEMORIES = 500


def asked_of(db: Db, graph: CodeGraph) -> Asked:
    """A question with all that belongs to it, from the project of the benchmark."""
    filters = Filters(project_id=PROJECT)
    return Asked(db=db, kinds=Kinds(), project_id=PROJECT, filters=filters, graph=graph)


def real(db: Db, tree: Tree, step: Callable[[int, int], None]) -> dict[str, float]:
    """Impacts of files of a real tree: warm, asked of the store, and as a command in a process of its own."""
    paths = sorted(path for path, file in code_files.files(db, tree).items() if not file.left_out)
    chosen = random.Random(6).choices(paths, k=QUESTIONS)
    loading, warm, short, command = Times(), Times(), Times(), Times()
    loading.take(partial(traverse.warm, db, tree))
    held = traverse.warm(db, tree)
    for path in chosen:
        warm.take(partial(impact, asked_of(db, held), held, path))
        cold = traverse.cold(db, tree)
        short.take(partial(impact, asked_of(db, cold), cold, path))
    for done, path in enumerate(chosen[: PROCESSES + 1]):
        cpu, wall = spend(_command(db, tree, path), Path(db.path).parent)
        if done:  # the first one only fills the caches
            command.note(wall, cpu)
        step(done, PROCESSES)
    return (
        loading.figures("loading")
        | warm.figures("impact_warm")
        | short.figures("impact_short")
        | command.figures("impact_command")
    )


def synthetic(sizes: Sequence[int], step: Callable[[int, int], None]) -> dict[str, float]:
    """Impacts of depth 3 in made graphs with memories, where nearly everything leads to a few nodes."""
    figures: dict[str, float] = {}
    for done, size in enumerate(sizes, start=1):
        with _made(size) as (db, graph, paths):
            times = Times()
            for path in paths:
                times.take(partial(impact, asked_of(db, graph), graph, path))
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
            projects.ensure(db, "path:made", "made", PROJECT, now)
            tree = code_files.ensure_tree(db, PROJECT, "/made")
            with db.transaction():
                ends = _fill(db, tree, chance, files)
            # Ends of edges, not nodes: what many lead to is asked about more often.
            asked = [
                files[(chance.choice(ends) - 1) // _NODES_PER_FILE % len(files)] for _ in range(QUESTIONS)
            ]
            yield db, traverse.warm(db, tree), asked
        finally:
            db.close()


def _remember(file: str, chance: random.Random, files: Sequence[str]) -> None:
    settings = config.load(None, {"embedding.tier": "none"})
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
