"""Commands on methodologies: `methods`, `methods use`, `methods state`."""

from __future__ import annotations

import click

from recollect.model.json_form import memory_to_json
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import common, open_memory


@click.group("methods", cls=HelpGroup, invoke_without_command=True)
@common
@click.pass_context
def methods_(context: click.Context) -> None:
    """Show the ways of working there are, which one is active here, and why.

    \b
    recollect methods
    recollect methods use tdd
    recollect methods use auto
    recollect methods state
    """
    if context.invoked_subcommand is not None:
        return
    with open_memory(create=True) as memory:
        methods, broken = memory.methods.listed(), memory.methods.broken()
    if output.is_json():
        output.print_json({"methods": [asdict(one) for one in methods], "broken": list(broken)})
        return
    for one in methods:
        mark = "*" if one.active else " "
        output.print_line(f"{mark} {one.id:<10} {one.name}  {output.dim(one.origin)}")
        if one.active:
            output.print_line(f"  {'':<10} active: {one.why}")
    for reason in broken:
        output.print_note(f"Left out: {reason}")


@methods_.command("use")
@click.argument("method_id", metavar="ID")
@click.option(
    "--everywhere", is_flag=True, help="In every project that sets nothing else, not only in this one."
)
@common
def use_(method_id: str, everywhere: bool) -> None:
    """Work by ID from now on in this project (.recollect/config.toml); `auto` goes by the files again.

    All memories stay, and old references stay readable: nothing is translated.

    \b
    recollect methods use tdd
    recollect methods use auto
    """
    with open_memory(create=True) as memory:
        active = memory.methods.use(method_id, everywhere=everywhere)
    if output.is_json():
        output.print_json({"active": active.method.id, "why": active.why})
    else:
        output.print_line(f"Active: {active.method.id} ({active.why}).")


@methods_.command("state")
@click.option(
    "--work", metavar="REF", help="Of this unit, e.g. bmad:epic_3/story_3_2; by default the one at hand."
)
@common
def state_(work: str | None) -> None:
    """Show the unit of work and the phase at hand, and where the work was left.

    \b
    recollect methods state
    recollect methods state --work tdd:feature_auth --json
    """
    with open_memory(create=True) as memory:
        unit, phase, left = memory.methods.unit(), memory.methods.phase(), memory.methods.resume(work=work)
    if output.is_json():
        state = {"unit": str(unit) if unit else None, "label": unit.label if unit else None, "phase": phase}
        output.print_json({**state, "states": [memory_to_json(one) for one in left]})
        return
    output.print_line(f"unit: {f'{unit.label} ({unit})' if unit else 'none is named here'}")
    output.print_line(f"phase: {phase or 'no session yet'}")
    for one in left:
        output.print_line(f"{one.text}  {output.dim(output.short_id(one))}")
    if not left:
        output.print_line("No work was left open here.")
