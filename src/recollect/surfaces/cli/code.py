"""Commands on the code graph: build it, see what it holds, who depends on what, how a call gets there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from recollect.model.code import (
    SEMANTIC_EDGES,
    SEMANTIC_NODES,
    BuildReport,
    CodeNode,
    GraphStatus,
    Hop,
    ReachedNode,
    SemanticEdge,
    SemanticNode,
)
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import common, open_memory, open_memory_of_code, svg_option
from recollect.surfaces.code_pictures import draw_deps

_DEPTH = click.IntRange(1, 20)
_SURENESS = click.FloatRange(0, 1, min_open=True)


@click.group("graph", cls=HelpGroup)
def graph_() -> None:
    """The code of this project as a graph: who imports, calls, extends whom.

    \b
    recollect graph build
    recollect graph status
    recollect graph add invariant "totals are never negative" --about src/cart.py
    """


@graph_.command("build")
@common
def build_() -> None:
    """Read what changed in the code since the last time and bring the graph up to date.

    \b
    recollect graph build
    """
    with open_memory(create=True) as memory, output.show_progress("Reading code") as step:
        built = memory.code.build(step)
    if output.is_json():
        output.print_json(asdict(built))
    else:
        _print_built(built)


@graph_.command("status")
@common
def status_() -> None:
    """Show what the graph holds, what was left out of it and why.

    \b
    recollect graph status --json
    """
    with open_memory(create=True) as memory:
        status = memory.code.status()
    if output.is_json():
        output.print_json(asdict(status))
    else:
        _print_status(status)


@graph_.command("add")
@click.argument("kind", type=click.Choice(sorted(map(str, SEMANTIC_NODES))))
@click.argument("name")
@click.option("--text", default="", help="What it says, in a sentence.")
@click.option("--about", multiple=True, metavar="PATH[::NAME]", help="What depends on it (repeatable).")
@click.option("--confidence", type=_SURENESS, default=1.0, show_default=True, help="How sure it is.")
@common
def add_(kind: str, name: str, text: str, about: Sequence[str], confidence: float) -> None:
    """Say that there is an invariant, a pattern, a dataflow or a decision that no code shows.

    \b
    recollect graph add invariant "totals are never negative" --about src/cart.py::Cart.total
    """
    with open_memory(create=True) as memory:
        node = memory.code.add_node(kind, name, text, about=about, confidence=confidence)
    if output.is_json():
        output.print_json({"node": asdict(node)})
    else:
        output.print_line(f"Added {output.escape_controls(node.key)}")


@graph_.command("link")
@click.argument("source", metavar="FROM")
@click.argument("kind", type=click.Choice(sorted(map(str, SEMANTIC_EDGES))))
@click.argument("target", metavar="TO")
@click.option("--confidence", type=_SURENESS, default=1.0, show_default=True, help="How sure it is.")
@common
def link_(source: str, kind: str, target: str, confidence: float) -> None:
    """Say that one place in the code bears on another where no code shows it.

    \b
    recollect graph link src/app.py::main is_entrypoint_for module:shop
    """
    with open_memory(create=True) as memory:
        edge = memory.code.add_edge(source, kind, target, confidence=confidence)
    if output.is_json():
        output.print_json({"edge": asdict(edge)})
    else:
        output.print_line(f"Added {_edge_line(edge)}")


@graph_.command("added")
@common
def added_() -> None:
    """Show what people, agents and plugins added to the graph, and who said so.

    \b
    recollect graph added --json
    """
    with open_memory() as memory:
        additions = memory.code.added()
    if output.is_json():
        output.print_json(asdict(additions))
        return
    for node in additions.nodes:
        text = f": {node.text}" if node.text else ""
        output.print_line(f"{output.escape_controls(node.key + text)}  {output.dim(_describe_origin(node))}")
    for edge in additions.edges:
        output.print_line(f"{_edge_line(edge)}  {output.dim(_describe_origin(edge))}")
    if not (additions.nodes or additions.edges):
        output.print_line("Nothing was added to this graph.")


@graph_.command("remove")
@click.argument("key", metavar="KIND:NAME|FROM")
@click.argument("edge", nargs=-1, metavar="[KIND TO]")
@common
def remove_(key: str, edge: Sequence[str]) -> None:
    """Take back what was added: a node with its edges, or one edge.

    \b
    recollect graph remove "invariant:totals are never negative"
    recollect graph remove src/app.py::main is_entrypoint_for module:shop
    """
    if len(edge) not in (0, 2):
        raise click.UsageError("Name a node, or an edge by where it comes from, its kind and where it goes.")
    with open_memory() as memory:
        gone = memory.code.remove_edge(key, *edge) if edge else memory.code.remove_node(key)
    if output.is_json():
        output.print_json({"removed": asdict(gone)})
    else:
        output.print_line(f"Removed {' '.join([output.escape_controls(key), *edge])}")


@click.command("deps")
@click.argument("place", metavar="PATH[::NAME]")
@click.option("--depth", type=_DEPTH, default=2, show_default=True, help="How many steps to go.")
@click.option("--back", is_flag=True, help="Who depends on it, instead of what it depends on.")
@click.option("--weak", is_flag=True, help="Also calls that only a name speaks for.")
@svg_option
@common
def deps_(place: str, depth: int, back: bool, weak: bool, svg: Path | None) -> None:
    """Show what a file, a definition in it, a folder or a module depends on.

    \b
    recollect deps src/auth.py
    recollect deps src/auth.py::refresh --back --depth 3
    recollect deps src/auth.py --svg deps.svg
    """
    with open_memory_of_code() as memory:
        ask = memory.code.dependents if back else memory.code.dependencies
        reached = ask(place, depth=depth, weak=weak)
    if svg:
        output.write_file(svg, draw_deps(place, reached, back=back))
    if output.is_json():
        output.print_json({"place": place, "back": back, "reached": [_reached_json(one) for one in reached]})
        return
    for one in reached:
        output.print_line(f"{'  ' * one.depth}{one.node.key}  {output.dim(f'{one.kind} {one.weight:.2f}')}")
    if not reached:
        output.print_line("Nothing depends on it." if back else "It depends on nothing here.")


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
    with open_memory_of_code() as memory:
        hops = memory.code.trace(source, target, weak=weak)
    if output.is_json():
        output.print_json({"from": source, "to": target, "hops": [_hop_json(hop) for hop in hops]})
        return
    if not hops:
        output.print_line("No path of calls leads there.")
        return
    output.print_line(hops[0].source.key)
    for hop in hops:
        sites = ", ".join(f"{hop.source.path}:{line}" for line in hop.lines)
        weakly = "" if hop.confidence == 1 else " (by name alone)"
        output.print_line(f"  → {hop.target.key}  {output.dim(sites + weakly)}")


def _print_built(built: BuildReport) -> None:
    if built.unchanged:
        output.print_line(f"Up to date: {built.files} files.")
        return
    output.print_line(
        f"{built.files} files: {built.parsed} parsed, {built.cached} known already, {built.resolved} looked through."
    )
    for old, new in built.renamed:
        output.print_line(f"renamed: {old} → {new}")
    if built.removed:
        output.print_line(f"removed: {built.removed}")


def _print_status(status: GraphStatus) -> None:
    if status.built_at is None:
        output.print_line(f"No code graph of {status.root} yet; `recollect graph build` makes it.")
        return
    output.print_line(f"{status.root}: {status.files} files ({_describe_counts(status.languages)})")
    output.print_line(f"nodes: {_describe_counts(status.nodes)}")
    output.print_line(f"edges: {_describe_counts(status.edges)}; {status.weak_edges} of them by name alone")
    for why, count in status.left_out.items():
        output.print_line(f"left out, {why}: {count}, such as {', '.join(status.examples[why][:2])}")
    if status.broken:
        output.print_line(f"{status.broken} files have errors in them; what could be read is in the graph")
    for plugin in status.plugins:
        output.print_line(f"plugin {plugin}")
    changed = f"{status.changed_since} files changed since" if status.changed_since else "up to date"
    output.print_line(f"built {status.built_at:%Y-%m-%d %H:%M}; {changed}")


def _edge_line(edge: SemanticEdge) -> str:
    return f"{output.escape_controls(edge.source)} {edge.kind} {output.escape_controls(edge.target)}"


def _describe_origin(one: SemanticNode | SemanticEdge) -> str:
    sure = "" if one.confidence == 1 else f", confidence {one.confidence:.2f}"
    return f"{one.added_by} ({one.channel}), {one.added_at:%Y-%m-%d}{sure}"


def _describe_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items()) or "none"


def _node_json(node: CodeNode) -> dict[str, object]:
    return asdict(node)


def _reached_json(one: ReachedNode) -> dict[str, object]:
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
