"""The command `mcp`: memory for an agent, over standard input and output or over HTTP."""

from __future__ import annotations

import click

from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, project_folder, read_settings, refuse_options
from recollect.surfaces.mcp import http, stdio
from recollect.surfaces.vault_tools import TOOL_SETS


@click.command("mcp")
@click.option("--read-only", is_flag=True, help="Change nothing: no remember, no feedback.")
@click.option("--http", "over_http", is_flag=True, help="Over HTTP on this machine, behind a key.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=http.PORT,
    show_default=True,
    help="Where, over HTTP; 0 takes a free one.",
)
@click.option(
    "--tools",
    "tool_sets",
    multiple=True,
    type=click.Choice(list(TOOL_SETS)),
    metavar="NAME",
    help="Offer these sets instead of the six of memory (repeatable): memory, vault, tasks, messages, openclaw.",
)
@common
def mcp_(read_only: bool, over_http: bool, port: int, tool_sets: tuple[str, ...]) -> None:
    """Serve memory to an agent over MCP. Clients start it by themselves; it ends when they close it.

    \b
    recollect mcp
    recollect mcp --db shop.db --read-only
    recollect mcp --http --port 7733
    recollect mcp --tools memory --tools vault --tools tasks
    """
    if not over_http:
        refuse_options(("port",), "a port is for --http: say both")
    # The database that was named, not one that stands for a server.
    settings, folder = read_settings(), project_folder()
    db = None if settings.text("url") else settings.db
    if over_http:
        http.serve(
            db=db, folder=folder, read_only=read_only, port=port, tell=output.print_note, tool_sets=tool_sets
        )
    else:
        stdio.serve(db=db, folder=folder, read_only=read_only, tool_sets=tool_sets)
