"""The command `context`: what would be put before an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.errors import BadInput
from recollect.model.complexity import Complexity
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened, refuse

if TYPE_CHECKING:
    from recollect.api.contexts import Context

_NAME_LENGTH = 13
_OF_A_CONTEXT = frozenset({"task", "layout", "phase", "budget", "complexity", "no_files", "explain"})


@click.command("context")
@click.option("--task", metavar="TEXT", help="What the agent is to do.")
@click.option("--layout", default="coding", show_default=True, help="What is told; see --layouts.")
@click.option("--phase", help="The phase of the work, e.g. implement, red, auto. Default: none.")
@click.option("--budget", type=click.IntRange(1), metavar="N", help="Tokens, if not the layout's own.")
@click.option(
    "--complexity", type=click.Choice(list(Complexity)), help="How big the work is; else it is guessed."
)
@click.option("--work", metavar="REF", help="The unit of work; by default the one at hand.")
@click.option("--no-files", is_flag=True, help="Name files, do not put them there.")
@click.option("--explain", is_flag=True, help="Also say what each slot cost, why, and what was left out.")
@click.option("--layouts", is_flag=True, help="List the layouts instead.")
@click.option(
    "--relay",
    metavar="FROM:TO",
    help="What one stage of the work hands to the next instead, e.g. planner:coder.",
)
@common
def context_(
    task: str | None,
    layout: str,
    phase: str | None,
    budget: int | None,
    complexity: str | None,
    work: str | None,
    no_files: bool,
    explain: bool,
    layouts: bool,
    relay: str | None,
) -> None:
    """Print what would be put before an agent, exactly as it would read it.

    \b
    recollect context --task "add retries to the payment client" --explain
    recollect context --task "check the login" --phase validate
    recollect context --task "open the invoice in Chrome" --layout desktop --json
    recollect context --layouts
    recollect context --relay planner:coder
    """
    if layouts:
        refuse(_OF_A_CONTEXT | {"work", "relay"}, "--layouts only lists them")
        _list()
    elif relay is not None:
        refuse(_OF_A_CONTEXT, "a relay goes by its stages and --work")
        _relay(relay, work)
    elif task is None:
        raise BadInput("Say what the agent is to do with --task, or ask for --layouts or --relay FROM:TO.")
    else:
        with opened() as memory:
            found = memory.context(
                task,
                layout=layout,
                phase=phase,
                budget=budget,
                complexity=complexity,
                work=work,
                files=not no_files,
            )
        _show(found, explain)


def _show(found: Context, explain: bool) -> None:
    if output.is_json():
        output.data(asdict(found))
        return
    if found.text:
        output.line(found.text)
    told = [said for slot in found.slots for said in slot.said]
    files = sum(said.is_file for said in told)
    memories = output.counted(len(told) - files, "memory")
    memories += f", {output.counted(files, 'file')}" if files else ""
    named = f"{found.layout}{f', {found.phase}' if found.phase else ''}, {found.complexity} work"
    if found.text:
        output.note(f"{memories}, {found.tokens:,} of {found.budget:,} tokens ({named}).")
    else:
        output.note(f"Nothing is worth saying here ({named}).")
    if explain:
        _explain(found)


def _explain(found: Context) -> None:
    rows = [
        (slot.name, str(len(slot.said)), f"{slot.tokens:,} of {slot.budget:,}", f"{slot.bar:.2f}", slot.why)
        for slot in found.slots
    ]
    output.table(
        ("slot", "memories", "tokens", "bar", ""), [*rows, ("borders", "", str(found.borders), "", "")]
    )
    for slot in found.slots:
        for said in slot.said:
            name = said.memory_id if said.is_file else said.memory_id[:_NAME_LENGTH]
            output.line(f"{name}  {said.score:.2f}  {said.tokens} tokens  {said.why}")
    for file in found.files:
        output.line(f"{file.path}  {len(file.text):,} of {file.characters:,} characters")
    for left in found.left_out:
        output.line(output.dim(f"{left.memory_id[:_NAME_LENGTH]}  left out of {left.slot}: {left.why}"))


def _list() -> None:
    with opened() as memory:
        found = memory.contexts.layouts()
    if output.is_json():
        output.data({"layouts": [asdict(one) for one in found]})
        return
    output.table(
        ("layout", "tokens", "slots"),
        [
            (one.name, f"{one.tokens:,}", ", ".join(f"{slot.name} {slot.tokens:,}" for slot in one.slots))
            for one in found
        ],
    )
    output.note("coding stands for planning, implement, qa or opening, by the phase.")


def _relay(relay: str, work: str | None) -> None:
    source, colon, target = relay.partition(":")
    if not colon or not source or not target:
        raise BadInput(reason=f"{relay!r} does not name two stages; write FROM:TO")
    with opened() as memory:
        found = memory.methods.relay(source.strip(), target.strip(), work=work)
    if output.is_json():
        ids = [one.id for one in found.memories]
        output.data({"relay": relay, "text": found.text, "memories": ids, "tokens": found.tokens})
        return
    if not found.text:
        output.note(f"Nothing goes from {source} to {target} just now.")
        return
    output.line(found.text)
    output.note(f"{output.counted(len(found.memories), 'memory')}, about {found.tokens} tokens.")
