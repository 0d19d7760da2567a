"""Commands that join code graph and memory: `impact`, `about`, `modules`, `scan`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from recollect.model.code import Module, ModuleMap, SemanticNode
from recollect.model.impact import CoChange, Dependent, Impact, LinkedMemory, SubjectSummary
from recollect.model.survey import ScanReport, SurveyItem, SurveyOutcome
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import (
    common,
    open_memory,
    open_memory_of_code,
    refuse_options,
    svg_option,
)
from recollect.surfaces.code_pictures import draw_impact, draw_modules
from recollect.surfaces.json_answers import impact_to_json, modules_to_json, subject_to_json

_DEPTH = click.IntRange(1, 20)
_MAX_SHOWN = 40
_MAX_SHORT_LIST = 12


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
    with open_memory_of_code() as memory:
        impact = memory.code.impact(place, depth=depth, weak=weak)
    if svg:
        output.write_file(svg, draw_impact(impact))
    if output.is_json():
        output.print_json(impact_to_json(impact))
    else:
        _print_impact(impact)


@click.command("about")
@click.argument("thing", metavar="PATH|NAME|TYPE:NAME")
@common
def about_(thing: str) -> None:
    """Show everything known about a file, a definition, a folder, a module, a service, a person.

    \b
    recollect about src/auth.py
    recollect about service:caddy
    """
    with open_memory_of_code() as memory:
        summary = memory.code.about(thing)
    if output.is_json():
        output.print_json(subject_to_json(summary))
    else:
        _print_about(summary)


@click.command("modules")
@svg_option
@common
def modules_(svg: Path | None) -> None:
    """Show the parts of this project: how large, how coupled, and how much is remembered about each.

    \b
    recollect modules
    recollect modules --svg modules.svg
    """
    with open_memory_of_code() as memory:
        module_map = memory.code.modules()
    if svg:
        output.write_file(svg, draw_modules(module_map))
    if output.is_json():
        output.print_json(modules_to_json(module_map))
    else:
        _print_modules(module_map)


def _print_impact(impact: Impact) -> None:
    direct = len(impact.direct)
    output.print_line(
        f"{output.escape_controls(impact.target.key)}  "
        f"{output.dim(f'score {impact.score:.1f}: {direct} files directly, {len(impact.transitive)} by way of others')}"
    )
    _print_tree(impact)
    _print_section("tests", [_file_line(one) for one in impact.tests])
    hidden = [one for one in impact.together if not one.needed]
    _print_section("changes with it, though no code says so", [_cochange_line(one) for one in hidden])
    needed = [one for one in impact.together if one.needed]
    _print_section("it depends on, and changes with it", [_cochange_line(one) for one in needed])
    rules = [_memory_line(one) for one in impact.invariants] + [
        _node_line(one) for one in impact.invariant_nodes
    ]
    _print_section("has to hold", rules)
    _print_section("seen in the running application", [_memory_line(one) for one in impact.e2e])
    _print_section("also known", [_memory_line(one) for one in impact.memories])
    if impact.cut:
        output.print_note("There is more than was looked at; the nearest is shown.")


def _print_tree(impact: Impact) -> None:
    """Dependents under the file by which they are reached."""
    below: dict[str, list[Dependent]] = {}
    start = impact.target.key.partition("::")[0]
    paths = {one.path for one in impact.dependents}
    for one in impact.dependents:
        before = one.way[-2].partition("::")[0] if len(one.way) > 2 else start
        below.setdefault(before if before in paths - {one.path} and one.depth > 1 else start, []).append(one)
    lines: list[str] = []

    def grow(path: str, indent: str, visited: frozenset[str]) -> None:
        inside = [one for one in below.get(path, ()) if one.path not in visited]
        for place, one in enumerate(inside, start=1):
            is_last = place == len(inside)
            lines.append(f"{indent}{'└── ' if is_last else '├── '}{_file_line(one)}")
            grow(one.path, indent + ("    " if is_last else "│   "), visited | {one.path})

    grow(start, "", frozenset({start}))
    output.print_lines(lines[:_MAX_SHOWN])
    if len(lines) > _MAX_SHOWN:
        output.print_line(output.dim(f"… and {len(lines) - _MAX_SHOWN} more; --json shows all"))


def _print_about(summary: SubjectSummary) -> None:
    if summary.is_empty:
        output.print_line("Nothing is known about that.")
        return
    node, where = summary.node, f"module {summary.module}" if summary.module else ""
    output.print_line(
        f"{output.escape_controls(str(summary.subject))}  {output.dim(_join_parts(node.kind if node else '', where))}"
    )
    _print_section("memories", [_memory_line(one) for one in summary.memories])
    _print_section(
        "holds", [f"{one.key.partition('::')[2]}  {output.dim(one.kind)}" for one in summary.definitions]
    )
    _print_section("depends on it", [_file_line(one) for one in summary.dependents])
    _print_section("it depends on", [_file_line(one) for one in summary.dependencies])
    _print_section("changes with it", [_cochange_line(one) for one in summary.together])
    _print_section("added to the graph", [_node_line(one) for one in summary.added])


def _print_modules(module_map: ModuleMap) -> None:
    headings = (
        "module",
        "files",
        "definitions",
        "coupling",
        "leans on",
        "used by",
        "memories",
        "files known",
        "E2E",
    )
    output.print_table(headings, (_module_row(module) for module in module_map.modules))


def _module_row(module: Module) -> Sequence[str]:
    return (
        module.name,
        str(len(module.files)),
        str(module.definitions),
        f"{module.coupling:.2f}",
        _strongest_neighbours(module.leans_on),
        _strongest_neighbours(module.used_by),
        str(module.memories),
        f"{module.files_known} of {len(module.files)}",
        str(module.e2e),
    )


def _strongest_neighbours(edges: Any) -> str:
    ranked = sorted(edges, key=lambda name: (-edges[name], name))
    return ", ".join(ranked[:3]) + (" …" if len(ranked) > 3 else "")


def _print_section(heading: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    output.print_line(heading)
    output.print_lines(f"  {line}" for line in lines[:_MAX_SHORT_LIST])
    if len(lines) > _MAX_SHORT_LIST:
        output.print_line(output.dim(f"  … and {len(lines) - _MAX_SHORT_LIST} more; --json shows all"))


def _file_line(one: Dependent) -> str:
    along = f", {one.share:.0%} of what changes along" if one.share else ""
    return f"{output.escape_controls(one.path)}  {output.dim(f'{one.kind} {one.weight:.2f}{along}')}"


def _cochange_line(one: CoChange) -> str:
    counts = _join_parts(_count_phrase(one.commits, "commit"), _count_phrase(one.sessions, "session"))
    return f"{output.escape_controls(one.path)}  {output.dim(f'{one.share:.0%} of what changes along, {counts}')}"


def _memory_line(one: LinkedMemory) -> str:
    memory = one.memory
    tail = f"{memory.kind} {output.short_id(memory)} {output.escape_controls(str(one.about))}"
    return f"{output.summary_line(memory)}  {output.dim(tail)}"


def _node_line(node: SemanticNode) -> str:
    text = f": {node.text}" if node.text else ""
    return f"{output.escape_controls(node.key + text)}  {output.dim(f'added by {node.added_by}')}"


def _count_phrase(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}" if number else ""


def _join_parts(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


_SHOWN = frozenset({SurveyOutcome.NEW, SurveyOutcome.REFRESHED, SurveyOutcome.GONE, SurveyOutcome.REFUSED})


@click.command("scan")
@click.option("--module", default="", metavar="NAME", help="One module alone; habits are not counted then.")
@click.option(
    "--proposals",
    is_flag=True,
    help="Instead: at most ten things a newcomer would thank for, from settings, guides and decisions.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be remembered, and remember nothing.")
@common
def scan_(module: str, proposals: bool, dry_run: bool) -> None:
    """Read the code and note, for review, what each module is for and how the project is written.

    Only what was counted is said. What it noted before is noted anew when more than three tenths of the files changed.
    With --proposals it notes what `init` proposes: how tests run, what is generated or forbidden, what was decided.
    What files say in words waits for a yes.

    \b
    recollect scan --dry-run
    recollect scan
    recollect scan --module auth
    recollect scan --proposals --dry-run --json
    """
    if proposals:
        refuse_options(("module",), "--proposals are about the whole project")
        with open_memory(create=True) as memory:
            _show_scan(memory.code.propose(dry_run=dry_run))
        return
    with open_memory(create=True) as memory, output.show_progress("Reading code") as step:
        report = memory.code.scan(module=module, dry_run=dry_run, progress=step)
    _show_scan(report)


def _show_scan(report: ScanReport) -> None:
    if output.is_json():
        output.print_json(_scan_json(report))
    else:
        _print_scan(report)


def _scan_json(report: ScanReport) -> dict[str, object]:
    fields = asdict(report)
    # Programs read the reason under its older name.
    fields["no_words"] = fields.pop("model_failure")
    return {**fields, "written": report.written}


def _print_scan(report: ScanReport) -> None:
    _print_items("Modules", report.modules)
    _print_items("How it is written", report.habits)
    _print_items("Worth knowing from the first day", report.proposals)
    if report.model_failure:
        output.print_note(f"The model that writes was of no help: {report.model_failure}")
    if report.left:
        output.print_line(f"{report.left} more modules are left for the next scan.")
    counts = Counter(str(one.outcome) for one in (*report.modules, *report.habits, *report.proposals))
    summary = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "no code found"
    output.print_line(f"{'Would be' if report.dry_run else 'Noted'}: {summary}.")
    if report.written and not report.dry_run:
        at_once = "; all at once: recollect review confirm --tag scan" if report.written > 1 else ""
        output.print_line(f"{'They wait' if at_once else 'It waits'} for a look: recollect review{at_once}")


def _print_items(heading: str, items: Sequence[SurveyItem]) -> None:
    fresh = [one for one in items if one.outcome in _SHOWN]
    if fresh:
        output.print_line(heading)
    for one in fresh:
        why = f": {one.why}" if one.why else ", waits for a yes" if one.waits else ""
        output.print_line(f"  {output.escape_controls(one.text)}  {output.dim(f'{one.outcome}{why}')}")
