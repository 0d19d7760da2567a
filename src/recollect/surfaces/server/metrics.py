"""Figures for Prometheus: requests by route and status, how long they took, what is open. No organisation is named."""

from __future__ import annotations

from hmac import compare_digest

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect import __version__
from recollect.errors import NotAllowed
from recollect.model.team import Mode
from recollect.server.team_server import TeamServer
from recollect.surfaces.server.answers import make_refusal

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class ServerMetrics:
    """The figures of one process."""

    def __init__(self, service: TeamServer) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "recollect_requests", "Requests answered.", ("route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "recollect_request_seconds",
            "Time to an answer.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.in_flight = Gauge(
            "recollect_requests_in_flight", "Requests that wait for their answer.", registry=self.registry
        )
        Gauge("recollect_open_memories", "Memories that are open.", registry=self.registry).set_function(
            lambda: len(service.pool)
        )
        Gauge("recollect_info", "The version.", ("version",), registry=self.registry).labels(__version__).set(
            1
        )

    def count(self, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


def make_metrics_route(metrics: ServerMetrics, key: str) -> Route:
    """For whoever runs the server: with a key of its own, which no organisation has."""

    async def show(request: Request) -> Response:
        sent = request.headers.get("authorization", "")
        if not compare_digest(sent.encode("utf-8", "replace"), f"Bearer {key}".encode()):
            return make_refusal(
                NotAllowed(who="This key", what="read the figures", reason="they have a key of their own")
            )
        return Response(generate_latest(metrics.registry), media_type="text/plain; version=0.0.4")

    show.mode = Mode.ADMIN  # type: ignore[attr-defined]
    return Route("/metrics", show, methods=["GET"], name="metrics")
