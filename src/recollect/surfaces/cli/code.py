"""Commands on the code graph: build it, see what it holds, who depends on what, how a call gets there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import click

from recollect.model.code import Built, CodeNode, GraphStatus, Hop, Reached
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened

_DEPTH = click.IntRange(1, 20)


@click.group("graph")
def graph_() -> None:
    """The code of this project as a graph: who imports, calls, extends whom.

    \b
    recollect graph build
    recollect graph status
    """


@graph_.command("build")
@common
def build_() -> None:
    """Read what changed in the code since the last time and bring the graph up to date.

    \b
    recollect graph build
    """
    with opened(create=True) as memory, output.progress("Reading code") as step:
        built = memory.code.build(step)
    if output.is_json():
        output.data(asdict(built))
    else:
        _built(built)


@graph_.command("status")
@common
def status_() -> None:
    """Show what the graph holds, what was left out of it and why.

    \b
    recollect graph status --json
    """
    with opened(create=True) as memory:
        found = memory.code.status()
    if output.is_json():
        output.data(asdict(found))
    else:
        _status(found)


@click.command("deps")
@click.argument("place", metavar="PATH[::NAME]")
@click.option("--depth", type=_DEPTH, default=2, show_default=True, help="How many steps to go.")
@click.option("--back", is_flag=True, help="Who depends on it, instead of what it depends on.")
@click.option("--weak", is_flag=True, help="Also calls that only a name speaks for.")
@common
def deps_(place: str, depth: int, back: bool, weak: bool) -> None:
    """Show what a file, a definition in it, a folder or a module depends on.

    \b
    recollect deps src/auth.py
    recollect deps src/auth.py::refresh --back --depth 3
    """
    with opened() as memory:
        ask = memory.code.dependents if back else memory.code.dependencies
        found = ask(place, depth=depth, weak=weak)
    if output.is_json():
        output.data({"place": place, "back": back, "reached": [_reached_json(one) for one in found]})
        return
    for one in found:
        output.line(f"{'  ' * one.depth}{one.node.key}  {output.dim(f'{one.kind} {one.weight:.2f}')}")
    if not found:
        output.line("Nothing depends on it." if back else "It depends on nothing here.")


@click.command("trace")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--weak", is_flag=True, help="Also calls that only a name speaks for.")
@common
def trace_(source: str, target: str, weak: bool) -> None:
    """Show how calls get from one place in the code to another, with the lines where they are made.

    \b
    recollect trace src/app.py::main src/store.py::save
    """
    with opened() as memory:
        hops = memory.code.trace(source, target, weak=weak)
    if output.is_json():
        output.data({"from": source, "to": target, "hops": [_hop_json(hop) for hop in hops]})
        return
    if not hops:
        output.line("No path of calls leads there.")
        return
    output.line(hops[0].source.key)
    for hop in hops:
        sites = ", ".join(f"{hop.source.path}:{line}" for line in hop.lines)
        weakly = "" if hop.confidence == 1 else " (by name alone)"
        output.line(f"  → {hop.target.key}  {output.dim(sites + weakly)}")


def _built(built: Built) -> None:
    if built.unchanged:
        output.line(f"Up to date: {built.files} files.")
        return
    output.line(
        f"{built.files} files: {built.parsed} parsed, {built.cached} known already, {built.resolved} looked through."
    )
    for old, new in built.renamed:
        output.line(f"renamed: {old} → {new}")
    if built.removed:
        output.line(f"removed: {built.removed}")


def _status(found: GraphStatus) -> None:
    if found.built_at is None:
        output.line(f"No code graph of {found.root} yet; `recollect graph build` makes it.")
        return
    output.line(f"{found.root}: {found.files} files ({_counts(found.languages)})")
    output.line(f"nodes: {_counts(found.nodes)}")
    output.line(f"edges: {_counts(found.edges)}; {found.weak_edges} of them by name alone")
    for why, count in found.left_out.items():
        output.line(f"left out, {why}: {count}, such as {', '.join(found.examples[why][:2])}")
    if found.broken:
        output.line(f"{found.broken} files have errors in them; what could be read is in the graph")
    for plugin in found.plugins:
        output.line(f"plugin {plugin}")
    changed = f"{found.changed_since} files changed since" if found.changed_since else "up to date"
    output.line(f"built {found.built_at:%Y-%m-%d %H:%M}; {changed}")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items()) or "none"


def _node_json(node: CodeNode) -> dict[str, object]:
    return asdict(node)


def _reached_json(one: Reached) -> dict[str, object]:
    return {
        "node": _node_json(one.node),
        "depth": one.depth,
        "way": list(one.way),
        "kind": one.kind,
        "weight": round(one.weight, 4),
    }


def _hop_json(hop: Hop) -> dict[str, object]:
    lines: Sequence[int] = hop.lines
    return {
        "source": _node_json(hop.source),
        "target": _node_json(hop.target),
        "confidence": hop.confidence,
        "lines": list(lines),
    }
