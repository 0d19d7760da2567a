"""The command `context`: what would be put before an agent."""

from __future__ import annotations

import click

from recollect.errors import BadInput
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened


@click.command("context")
@click.option(
    "--relay",
    metavar="FROM:TO",
    required=True,
    help="What one stage of the work hands to the next, e.g. planner:coder.",
)
@click.option("--work", metavar="REF", help="The unit of work; by default the one at hand.")
@common
def context_(relay: str, work: str | None) -> None:
    """Print what would be put before an agent, exactly as it would read it.

    \b
    recollect context --relay planner:coder
    recollect context --relay dev:qa --work bmad:epic_3/story_3_2 --json
    """
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
    output.note(f"{len(found.memories)} memories, about {found.tokens} tokens.")
