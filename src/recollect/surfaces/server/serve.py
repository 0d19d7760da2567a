"""Serving a team until told to stop: no new requests then, and those that are under way are answered."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config
from recollect.errors import BadInput, MissingExtra
from recollect.model.value import dataclass
from recollect.server.rate_limit import RateLimit
from recollect.server.team_server import TeamServer
from recollect.surfaces.loopback import bind_socket, ensure_key

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from recollect.surfaces.server.metrics import ServerMetrics

PORT = 7799
METRICS_KEY = "metrics-key"
REQUESTS_PER_SECOND = 50.0
BURST = 200
_DRAIN_SECONDS = 20
_TIDY_SECONDS = 3600.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How a server is reached, and how much of it one key may have."""

    host: str = "127.0.0.1"
    port: int = PORT
    # Names it answers to beside its own address: those by which a reverse proxy is called.
    names: tuple[str, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None
    per_second: float = REQUESTS_PER_SECOND
    burst: int = BURST


def check_packages() -> None:
    """Say which packages are missing before anything is opened."""
    try:
        import argon2  # noqa: F401
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra(feature="recollect serve", package="'recollect[server]'") from error


def make_app(service: TeamServer, metrics: ServerMetrics, options: ServerOptions) -> Starlette:
    """Every route, without the door before them."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware

    from recollect.surfaces.server import routes
    from recollect.surfaces.server.metrics import make_metrics_route

    limit = RateLimit(options.per_second, options.burst)
    table = routes.list_routes(service)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tidying = asyncio.create_task(_tidy(service))
        yield
        tidying.cancel()
        await asyncio.to_thread(service.close)

    async def answer_http_error(request: Request, error: Exception) -> Response:
        return routes.answer_unknown(request.url.path, getattr(error, "status_code", 404))

    return Starlette(
        routes=[
            *routes.make_open_routes(service, table),
            make_metrics_route(metrics, ensure_key(config.data_dir(), METRICS_KEY)),
            *(routes.make_route(service, route, limit.check) for route in table),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=1000)],
        exception_handlers={HTTPException: answer_http_error},
        lifespan=lifespan,
    )


def make_server(service: TeamServer, options: ServerOptions, port: int) -> uvicorn.Server:
    """The server on a port that is bound already."""
    import uvicorn

    from recollect.surfaces.server.door import JsonLog, guard_server, write_json_line
    from recollect.surfaces.server.metrics import ServerMetrics
    from recollect.surfaces.server.patience import PatientProtocol

    if bool(options.tls_cert) != bool(options.tls_key):
        raise BadInput(
            reason="a certificate needs its key, and a key its certificate: give --tls-cert and --tls-key"
        )
    logging.getLogger("uvicorn").handlers = [JsonLog()]
    metrics = ServerMetrics(service)
    app = guard_server(
        make_app(service, metrics, options),
        hosts=list_hosts(options, port),
        metrics=metrics,
        write_line=write_json_line,
    )
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=PatientProtocol,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_DRAIN_SECONDS,
            timeout_keep_alive=75,
            limit_concurrency=1000,
            ssl_certfile=str(options.tls_cert) if options.tls_cert else None,
            ssl_keyfile=str(options.tls_key) if options.tls_key else None,
            lifespan="on",
        )
    )


def list_hosts(options: ServerOptions, port: int) -> frozenset[str]:
    """The names the server answers to."""
    own = _LOOPBACK if options.host in (*_LOOPBACK, "0.0.0.0", "::") else (options.host,)
    names: Sequence[str] = [f"[{name}]" if ":" in name else name for name in own]
    return frozenset({f"{name}:{port}" for name in names} | {name.lower() for name in options.names})


def serve(address: str, options: ServerOptions, say: Callable[[str], None]) -> None:
    """Answer until SIGTERM or Ctrl-C. `say` gets where it is reached, once it is."""
    check_packages()
    if not options.tls_cert and options.host not in _LOOPBACK and not options.names:
        raise BadInput(
            reason=f"without a certificate, {options.host} would carry keys in the clear: give --tls-cert and "
            "--tls-key, or serve on 127.0.0.1 behind a reverse proxy (docs/server.md)"
        )
    for file in filter(None, (options.tls_cert, options.tls_key)):
        if not file.is_file():
            raise BadInput(reason=f"there is no file {file}")
    service = TeamServer(address)
    with bind_socket(options.port, options.host) as listening:
        port = listening.getsockname()[1]
        server = make_server(service, options, port)
        scheme = "https" if options.tls_cert else "http"
        say(f"{scheme}://{options.host}:{port}")
        # uvicorn gives the signal back when it has ended; its work is done by then.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])


async def _tidy(service: TeamServer) -> None:
    while True:
        await asyncio.sleep(_TIDY_SECONDS)
        with suppress(Exception):
            await asyncio.to_thread(service.tidy)
