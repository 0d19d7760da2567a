"""Serving the dashboard on loopback until it is told to stop."""

from __future__ import annotations

import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from recollect import config
from recollect.errors import BadInput, MissingExtra
from recollect.model.value import dataclass
from recollect.surfaces.loopback import LOOPBACK, bind_socket, ensure_key
from recollect.surfaces.ui.open_memories import OpenMemories, OpenMemory

PORT = 7777
KEY_FILE = "ui-key"
_NEW_LINK_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 75


def check_packages() -> None:
    """Say which packages are missing before anything is opened."""
    try:
        import jinja2  # noqa: F401
        import markdown_it  # noqa: F401
        import nh3  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra(feature="recollect ui", package="recollect[ui]") from error


def take_port(port: int | None) -> socket.socket:
    """The port that was named, or else ours; a free one where ours is taken."""
    if port is not None:
        return bind_socket(port)
    try:
        return bind_socket(PORT)
    except BadInput:
        return bind_socket(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardServer:
    """A server that is ready to answer. `make_link` gives an address that lets one browser in, once."""

    server: Any
    listening: socket.socket
    make_link: Callable[[], str]

    def run(self) -> None:
        """Answer until told to stop."""
        self.server.run(sockets=[self.listening])

    def stop(self) -> None:
        """Stop answering; `run` returns."""
        self.server.should_exit = True


def make_server(
    open_memory: OpenMemory,
    listening: socket.socket,
    *,
    folder: Path | None = None,
    on_link: Callable[[str], None] = lambda link: None,
    measures: bool = False,
) -> DashboardServer:
    """
    The server on this socket; `on_link` gets a new link when a browser without a key knocks.

    `measures`: hooks are timed and everything is checked at the start, in the background.
    """
    import uvicorn

    from recollect.surfaces.ui.access import Access
    from recollect.surfaces.ui.app import Dashboard
    from recollect.surfaces.ui.guard import guard_dashboard
    from recollect.surfaces.ui.screens.health import start_measuring

    port = listening.getsockname()[1]
    access = Access(port=port, key=ensure_key(config.data_dir(), KEY_FILE))

    def make_link() -> str:
        return f"http://{LOOPBACK}:{port}/?t={access.make_link_token()}"

    dashboard = Dashboard(OpenMemories(open_memory, folder))
    if measures:
        start_measuring(dashboard.jobs)
    app = guard_dashboard(
        dashboard.make_app(),
        access,
        port=port,
        on_stranger=_at_most_every(_NEW_LINK_SECONDS, lambda: on_link(make_link())),
    )
    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
        # Longer than a page waits between two looks, or its next question meets a line that is being closed.
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        lifespan="on",
    )
    return DashboardServer(server=uvicorn.Server(settings), listening=listening, make_link=make_link)


def serve(
    open_memory: OpenMemory,
    *,
    folder: Path | None,
    port: int | None,
    opens_browser: bool,
    say: Callable[[str], None],
) -> None:
    """Answer until Ctrl-C. `say` gets each link as it is made."""
    with take_port(port) as listening:
        server = make_server(open_memory, listening, folder=folder, on_link=say, measures=True)
        say(link := server.make_link())
        if opens_browser:
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
        # uvicorn gives the signal back when it has ended; its work is done by then.
        with suppress(KeyboardInterrupt):
            server.run()


def _at_most_every(seconds: float, act: Callable[[], None]) -> Callable[[], None]:
    last_at = [-seconds]

    def limited() -> None:
        now = time.monotonic()
        if now - last_at[0] >= seconds:
            last_at[0] = now
            act()

    return limited
