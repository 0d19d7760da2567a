"""The command `ui`: the dashboard in a browser."""

from __future__ import annotations

import sys

import click

from recollect import config
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, open_memory, project_folder
from recollect.surfaces.ui.opening import make_opener
from recollect.surfaces.ui.serve import check_packages, serve


@click.command("ui")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="The port on this machine; by default 7777, or a free one where that is taken. 0 is any free one.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@common
def ui_(port: int | None, no_browser: bool) -> None:
    """See, trust and correct the memory in a browser, on this machine alone. Ctrl-C ends it.

    The address works once, for one browser. What an agent starts has an agent's rights: it does not confirm or purge.

    \b
    recollect ui
    recollect ui --port 8080 --no-browser
    """
    check_packages()
    open_memory(create=True).close()
    by_agent = config.is_agent_process()
    folder, flags = project_folder(), {"db": click.get_current_context().meta.get("recollect.db")}

    def read_settings() -> config.Settings:
        return config.load_settings(config.project_folder(folder), flags)

    serve(
        make_opener(read_settings, folder, by_agent=by_agent),
        folder=folder,
        port=port,
        opens_browser=not no_browser and not by_agent and sys.stdout.isatty(),
        say=_say_link,
    )


def _say_link(link: str) -> None:
    if output.is_json():
        output.print_json({"address": link})
    else:
        output.print_line(f"The dashboard is at {link}")
        output.print_note(output.dim("This address lets one browser in, once. Ctrl-C ends it."))
