"""Commands that put the code graph and memory together: what a change touches, what is known, the project's parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from recollect.model.code import CodeNode, SemanticNode
from recollect.model.impact import About, CoChange, Dependent, Impact, Linked
from recollect.model.json_form import memory_to_json
from recollect.model.modules import Module, ModuleMap
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened, svg_option
from recollect.surfaces.code_pictures import impact_picture, modules_picture

_DEPTH = click.IntRange(1, 20)
_MOST_SHOWN = 40
_FEW_SHOWN = 12


@click.command("impact")
@click.argument("place", metavar="PATH[::NAME]")
@click.option("--depth", type=_DEPTH, default=3, show_default=True, help="How many steps to go.")
@click.option("--weak", is_flag=True, help="Also calls that only a name speaks for.")
@svg_option
@common
def impact_(place: str, depth: int, weak: bool, svg: Path | None) -> None:
    """Show what a change touches: dependents, tests, what changes along, and what is known about all of it.

    \b
    recollect impact src/auth.py
    recollect impact src/auth.py::refresh --depth 2
    recollect impact module:auth --svg impact.svg
    """
    with opened() as memory:
        found = memory.code.impact(place, depth=depth, weak=weak)
    if svg:
        output.file(svg, impact_picture(found))
    if output.is_json():
        output.data(_impact_json(found))
    else:
        _impact(found)


@click.command("about")
@click.argument("thing", metavar="PATH|NAME|TYPE:NAME")
@common
def about_(thing: str) -> None:
    """Show everything known about a file, a definition, a folder, a module, a service, a person.

    \b
    recollect about src/auth.py
    recollect about service:caddy
    """
    with opened() as memory:
        found = memory.code.about(thing)
    if output.is_json():
        output.data(_about_json(found))
    else:
        _about(found)


@click.command("modules")
@svg_option
@common
def modules_(svg: Path | None) -> None:
    """Show the parts of this project: how large, how coupled, and how much is remembered about each.

    \b
    recollect modules
    recollect modules --svg modules.svg
    """
    with opened() as memory:
        found = memory.code.modules()
    if svg:
        output.file(svg, modules_picture(found))
    if output.is_json():
        output.data({"modules": [_module_json(module) for module in found.modules]})
    else:
        _modules(found)


def _impact(found: Impact) -> None:
    direct = len(found.direct)
    output.line(
        f"{output.visible(found.target.key)}  "
        f"{output.dim(f'score {found.score:.1f}: {direct} files directly, {len(found.transitive)} by way of others')}"
    )
    _tree(found)
    _section("tests", [_file_line(one) for one in found.tests])
    hidden = [one for one in found.together if not one.needed]
    _section("changes with it, though no code says so", [_company_line(one) for one in hidden])
    needed = [one for one in found.together if one.needed]
    _section("it depends on, and changes with it", [_company_line(one) for one in needed])
    held = [_memory_line(one) for one in found.invariants] + [
        _node_line(one) for one in found.invariant_nodes
    ]
    _section("has to hold", held)
    _section("seen in the running application", [_memory_line(one) for one in found.e2e])
    _section("also known", [_memory_line(one) for one in found.memories])
    if found.cut:
        output.note("There is more than was looked at; the nearest is shown.")


def _tree(found: Impact) -> None:
    """Dependents under the file by which they are reached."""
    below: dict[str, list[Dependent]] = {}
    start = found.target.key.partition("::")[0]
    paths = {one.path for one in found.dependents}
    for one in found.dependents:
        before = one.way[-2].partition("::")[0] if len(one.way) > 2 else start
        below.setdefault(before if before in paths - {one.path} and one.depth > 1 else start, []).append(one)
    lines: list[str] = []

    def grow(path: str, indent: str, seen: frozenset[str]) -> None:
        inside = [one for one in below.get(path, ()) if one.path not in seen]
        for place, one in enumerate(inside, start=1):
            is_last = place == len(inside)
            lines.append(f"{indent}{'└── ' if is_last else '├── '}{_file_line(one)}")
            grow(one.path, indent + ("    " if is_last else "│   "), seen | {one.path})

    grow(start, "", frozenset({start}))
    output.lines(lines[:_MOST_SHOWN])
    if len(lines) > _MOST_SHOWN:
        output.line(output.dim(f"… and {len(lines) - _MOST_SHOWN} more; --json shows all"))


def _about(found: About) -> None:
    if found.is_empty:
        output.line("Nothing is known about that.")
        return
    node, where = found.node, f"module {found.module}" if found.module else ""
    output.line(
        f"{output.visible(str(found.subject))}  {output.dim(_joined(node.kind if node else '', where))}"
    )
    _section("memories", [_memory_line(one) for one in found.memories])
    _section("holds", [f"{one.key.partition('::')[2]}  {output.dim(one.kind)}" for one in found.definitions])
    _section("depends on it", [_file_line(one) for one in found.dependents])
    _section("it depends on", [_file_line(one) for one in found.dependencies])
    _section("changes with it", [_company_line(one) for one in found.together])
    _section("added to the graph", [_node_line(one) for one in found.added])


def _modules(found: ModuleMap) -> None:
    headings = (
        "module",
        "files",
        "definitions",
        "coupling",
        "leans on",
        "used by",
        "memories",
        "known",
        "E2E",
    )
    output.table(headings, (_module_row(module) for module in found.modules))


def _module_row(module: Module) -> Sequence[str]:
    return (
        module.name,
        str(len(module.files)),
        str(module.definitions),
        f"{module.coupling:.2f}",
        _most(module.leans_on),
        _most(module.used_by),
        str(module.memories),
        f"{module.coverage:.0%}",
        str(module.e2e),
    )


def _most(edges: Any) -> str:
    ranked = sorted(edges, key=lambda name: (-edges[name], name))
    return ", ".join(ranked[:3]) + (" …" if len(ranked) > 3 else "")


def _section(heading: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    output.line(heading)
    output.lines(f"  {line}" for line in lines[:_FEW_SHOWN])
    if len(lines) > _FEW_SHOWN:
        output.line(output.dim(f"  … and {len(lines) - _FEW_SHOWN} more; --json shows all"))


def _file_line(one: Dependent) -> str:
    along = f", changes along {one.share:.0%}" if one.share else ""
    return f"{output.visible(one.path)}  {output.dim(f'{one.kind} {one.weight:.2f}{along}')}"


def _company_line(one: CoChange) -> str:
    met = _joined(_count(one.commits, "commit"), _count(one.sessions, "session"))
    return f"{output.visible(one.path)}  {output.dim(f'{one.share:.0%}, {met}')}"


def _memory_line(one: Linked) -> str:
    memory = one.memory
    tail = f"{memory.kind} {output.short(memory)} {output.visible(str(one.about))}"
    return f"{output.told_short(memory)}  {output.dim(tail)}"


def _node_line(node: SemanticNode) -> str:
    said = f": {node.text}" if node.text else ""
    return f"{output.visible(node.key + said)}  {output.dim(f'added by {node.added_by}')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}" if number else ""


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _impact_json(found: Impact) -> dict[str, object]:
    return {
        "target": asdict(found.target),
        "depth": found.depth,
        "score": round(found.score, 4),
        "cut": found.cut,
        "dependents": _files_json(found.dependents),
        "tests": _files_json(found.tests),
        "together": _company_json(found.together),
        "invariants": _linked_json(found.invariants),
        "invariant_nodes": [asdict(node) for node in found.invariant_nodes],
        "e2e": _linked_json(found.e2e),
        "memories": _linked_json(found.memories),
    }


def _about_json(found: About) -> dict[str, object]:
    return {
        "subject": str(found.subject),
        "module": found.module,
        "node": _node_json(found.node),
        "memories": _linked_json(found.memories),
        "definitions": [_node_json(node) for node in found.definitions],
        "dependents": _files_json(found.dependents),
        "dependencies": _files_json(found.dependencies),
        "together": _company_json(found.together),
        "added": [asdict(node) for node in found.added],
    }


def _module_json(module: Module) -> dict[str, object]:
    told = asdict(module)
    return told | {"coupling": round(module.coupling, 4), "coverage": round(module.coverage, 4)}


def _node_json(node: CodeNode | None) -> dict[str, object] | None:
    return asdict(node) if node else None


def _files_json(files: Iterable[Dependent]) -> list[dict[str, object]]:
    return [one._asdict() | {"weight": round(one.weight, 4), "share": round(one.share, 4)} for one in files]


def _company_json(company: Iterable[CoChange]) -> list[dict[str, object]]:
    return [asdict(one) | {"share": round(one.share, 4)} for one in company]


def _linked_json(linked: Iterable[Linked]) -> list[dict[str, object]]:
    return [
        {"memory": memory_to_json(one.memory), "about": str(one.about), "depth": one.depth} for one in linked
    ]
