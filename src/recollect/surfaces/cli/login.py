"""The commands `login`, `logout`, `sync` and `share`: a client of a team's server."""

from __future__ import annotations

import sys

import click

from recollect import config
from recollect.errors import BadInput
from recollect.remote.line import LineCaller, ServerLine, check_url
from recollect.remote.saved_token import save_token, token_file
from recollect.remote.sync import sync_with_server
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, json_option, open_memory, project_folder, read_settings


@click.command("login")
@click.argument("url")
@json_option
def login_(url: str) -> None:
    """Use a team's server from now on; its key is asked for, or read from standard input, and kept for you alone.

    \b
    recollect login https://memory.example.com
    recollect login http://127.0.0.1:7799 < key.txt
    """
    url = check_url(url)
    token = _read_key().strip()
    line = ServerLine(url, LineCaller(token=token))
    try:
        me = line.ask("GET", "/v1/me")["result"]
    finally:
        line.close()
    save_token(url, token)
    config.change_setting("url", url)
    if output.is_json():
        output.print_json({"url": url, **me})
    else:
        output.print_line(f"Signed in to {url} as {me['person']} of {me['organisation']} ({me['role']}).")
        output.print_note("Commands and hooks use it from now on; --db names a memory of this machine.")


def _read_key() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline(1000)
    return str(click.prompt("Key", hide_input=True, err=True))


@click.command("logout")
@json_option
def logout_() -> None:
    """Forget the key of the server in use, and use the memory of this machine again.

    \b
    recollect logout
    """
    url = config.load_settings().text("url")
    if not url:
        raise BadInput(reason="no server is in use")
    token_file(url).unlink(missing_ok=True)
    config.change_setting("url", "")
    if output.is_json():
        output.print_json({"url": url})
    else:
        output.print_line(f"Signed out of {url}.")


@click.command("sync")
@common
def sync_() -> None:
    """Send what agents did to the server in use, and mirror what it may tell here. Hooks do it by themselves.

    \b
    recollect sync
    """
    settings = read_settings()
    if not settings.text("url"):
        raise BadInput(reason="no server is in use; `recollect login` names one")
    report = sync_with_server(settings, project_folder())
    mirrored = report.mirrored
    if output.is_json():
        counts = {name: getattr(mirrored, name, 0) for name in ("added", "changed", "dropped")}
        output.print_json({"sent": report.sent, "mirrored": counts})
        return
    output.print_line(f"Sent {output.count_phrase(report.sent, 'event')}.")
    if mirrored is not None:
        output.print_line(
            f"Mirrored: {mirrored.added} new, {mirrored.changed} changed, {mirrored.dropped} gone."
        )


@click.command("share")
@click.argument("memory_id", metavar="ID")
@click.option("--why", default="", help="The reason, for the history.")
@common
def share_(memory_id: str, why: str) -> None:
    """Make a memory of yours everybody's in its project; where the project wants it, when a second person agrees.

    \b
    recollect share 01KA3 --why "everybody trips over it"
    """
    with open_memory() as memory:
        shared = memory.reviews.share(memory_id, why=why)
    waits = shared.state == "quarantined"
    output.print_changed([shared], "Waits for a second person" if waits else "Shared")
