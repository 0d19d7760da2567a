"""The command `mcp`: memory for an agent, over standard input and output."""

from __future__ import annotations

import click

from recollect.surfaces.cli.options import common, looked_from, settings
from recollect.surfaces.mcp.stdio import serve


@click.command("mcp")
@click.option("--read-only", is_flag=True, help="Change nothing: no remember, no feedback.")
@common
def mcp_(read_only: bool) -> None:
    """Serve memory to an agent over MCP. Clients start it by themselves; it ends when they close it.

    \b
    recollect mcp
    recollect mcp --db shop.db --read-only
    """
    serve(db=settings().db, folder=looked_from(), read_only=read_only)
