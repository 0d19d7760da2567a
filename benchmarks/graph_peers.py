"""What other tools say about the imports of a tree: grimp for Python, madge for JavaScript and TypeScript."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.model.value import dataclass

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
    found = program or shutil.which("madge")
    top = tree / "src" if (tree / "src").is_dir() else tree
    if found is None or not any(next(top.rglob(f"*.{ending}"), None) for ending in ("ts", "tsx", "js")):
        return None
    command = [found, "--json", "--extensions", _SCRIPT_ENDINGS]
    config = next(
        (path for path in (tree / "tsconfig.json", top / "tsconfig.base.json") if path.exists()), None
    )
    if config is not None:
        command += ["--ts-config", str(config)]
    began, spent = time.perf_counter(), _by_children()
    done = subprocess.run(
        [*command, str(top)], capture_output=True, text=True, timeout=_MADGE_SECONDS, check=False, cwd=tree
    )
    seconds, cpu = time.perf_counter() - began, _by_children() - spent
    listed = json.loads(done.stdout) if done.stdout.strip() else {}
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
