"""The command `serve`: one memory for several people."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, read_settings
from recollect.surfaces.server.serve import BURST, PORT, REQUESTS_PER_SECOND, ServerOptions, serve

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="A name it is reached by through a reverse proxy (repeatable), e.g. memory.example.com.",
)
@click.option("--tls-cert", type=_FILE, help="A certificate file (PEM), for TLS without a proxy.")
@click.option("--tls-key", type=_FILE, help="The key of that certificate.")
@click.option(
    "--rate",
    type=click.FloatRange(0, 100_000),
    default=REQUESTS_PER_SECOND,
    show_default=True,
    help="Requests a second that one key may make; 0 sets no limit.",
)
@click.option(
    "--burst", type=click.IntRange(1, 1_000_000), default=BURST, show_default=True, help="Requests at once."
)
@common
def serve_(
    host: str,
    port: int,
    names: tuple[str, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    rate: float,
    burst: int,
) -> None:
    """Serve one memory to a team: HTTP and MCP, each behind a key. SIGTERM or Ctrl-C ends it.

    \b
    recollect serve --db team.db
    recollect serve --db postgresql://localhost/recollect --name memory.example.com
    recollect serve --db team.db --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
    """
    options = ServerOptions(
        host=host, port=port, names=names, tls_cert=tls_cert, tls_key=tls_key, per_second=rate, burst=burst
    )
    serve(read_settings().db, options, _say_address)


def _say_address(address: str) -> None:
    if output.is_json():
        output.print_json({"address": address})
    else:
        output.print_line(f"Serving at {address}")
