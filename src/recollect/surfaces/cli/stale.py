"""The command `stale`."""

from __future__ import annotations

import click

from recollect.model.json_form import memory_to_json
from recollect.model.value import asdict
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, opened


@click.command("stale")
@click.option("--sweep", is_flag=True, help="Look at every file first, and follow those that moved.")
@common
def stale_(sweep: bool) -> None:
    """Show which memories are stale, and why: their files are gone, or have changed under a recipe.

    \b
    recollect stale
    recollect stale --sweep --json
    """
    with opened(read_only=not sweep) as memory:
        swept = memory.staleness.sweep() if sweep else None
        found = memory.staleness.listed()
    if output.is_json():
        done = asdict(swept) if swept else None
        output.data({"stale": [memory_to_json(item) for item in found], "swept": done})
        return
    if swept:
        output.swept(swept)
    output.stale(found)
