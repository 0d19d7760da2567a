"""
How quick the dashboard is over a large memory: the first page, search as one types, its weight, and many that poll.

Memories are made up (`synthetic`), the server is the one that people start, asked over a real connection on loopback.
Wall time holds the client and whatever else the machine does; CPU time is that of server and client together.
"""

from __future__ import annotations

import asyncio
import gc
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import httpx
import psutil

from benchmarks.run import Progress, quiet
from benchmarks.synthetic import Corpus, GivenEmbedder
from recollect import Recollect
from recollect.config import load_settings
from recollect.model.value import asdict, dataclass
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option
from recollect.surfaces.ui.serve import make_server, take_port

MEMORIES = 100_000
POLLERS = 50
_BATCH = 1000
_LOOKS = 60
_WARM_UP = 3
_ROUNDS = 6
_EVERY_SECONDS = 5.0
# What is promised; times in milliseconds, weights in bytes, memory in bytes that it may grow.
GOALS = {
    "first_page_p95_ms": 150.0,
    "search_p95_ms": 60.0,
    "page_bytes": 250_000.0,
    "poll_errors": 0.0,
    "poll_grown_bytes": 16_000_000.0,
}
_LABELS = {
    "first_page_p50_ms": "First page of memories, median (ms)",
    "first_page_p95_ms": "First page of memories, 95th percentile (ms)",
    "first_page_cpu_p95_ms": "The same, CPU of server and client (ms)",
    "search_p50_ms": "Search as one types, median (ms)",
    "search_p95_ms": "Search as one types, 95th percentile (ms)",
    "search_cpu_p95_ms": "The same, CPU of server and client (ms)",
    "health_first_ms": "Health, when nothing is worked out yet (ms)",
    "health_p95_ms": "Health, 95th percentile (ms)",
    "page_bytes": "The heaviest page with all it loads, compressed (bytes)",
    "poll_answers": "Answers to browsers that poll",
    "poll_errors": "Of them errors",
    "poll_p95_ms": "An answer to one of them, 95th percentile (ms)",
    "poll_grown_bytes": "Memory of the process, grown meanwhile (bytes)",
}
_LINKS = re.compile(r'(?:href|src)="(/static/[^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardFigures:
    """What was measured."""

    memories: int
    first_page_p50_ms: float
    first_page_p95_ms: float
    first_page_cpu_p95_ms: float
    search_p50_ms: float
    search_p95_ms: float
    search_cpu_p95_ms: float
    health_first_ms: float
    health_p95_ms: float
    page_bytes: int
    poll_answers: int
    poll_errors: int
    poll_p95_ms: float
    poll_grown_bytes: int


def run(memories: int, pollers: int, *, progress: Progress = quiet) -> DashboardFigures:
    """Fill a memory, serve it, and ask."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        db = Path(folder) / "memories.db"
        words = _fill(db, memories, progress)
        with _serve(db) as link:
            base = link.partition("/?")[0]
            with httpx.Client(base_url=base, timeout=120) as client:
                client.get(link)
                cookies = dict(client.cookies)
                health_first = _time(lambda: _get(client, "/"))
                pages = _measure(lambda number: _get(client, "/memories"), progress, "First page")
                typed = _type_questions(words)
                searches = _measure(
                    lambda number: _get(client, typed[number % len(typed)], part=True), progress, "Search"
                )
                health = _measure(lambda number: _get(client, "/"), progress, "Health")
                weight = max(_weigh(client, path) for path in ("/", "/memories", "/modules", "/review"))
            polled = asyncio.run(_poll(base, cookies, pollers, progress))
    return DashboardFigures(
        memories=memories,
        first_page_p50_ms=_ms(statistics.median(pages.wall)),
        first_page_p95_ms=_ms(_at(pages.wall, 0.95)),
        first_page_cpu_p95_ms=_ms(_at(pages.cpu, 0.95)),
        search_p50_ms=_ms(statistics.median(searches.wall)),
        search_p95_ms=_ms(_at(searches.wall, 0.95)),
        search_cpu_p95_ms=_ms(_at(searches.cpu, 0.95)),
        health_first_ms=_ms(health_first),
        health_p95_ms=_ms(_at(health.wall, 0.95)),
        page_bytes=weight,
        poll_answers=len(polled.wall),
        poll_errors=polled.errors,
        poll_p95_ms=_ms(_at(polled.wall, 0.95)),
        poll_grown_bytes=polled.grown,
    )


class _Times:
    """What requests took, in seconds; how many went wrong, and how much the process grew."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []
        self.errors = 0
        self.grown = 0


def _fill(db: Path, count: int, progress: Progress) -> Sequence[str]:
    """Made-up memories under the name of the bundled model, so that its own questions can be asked."""
    corpus = Corpus()
    model = GivenEmbedder(model_id=BundledEmbedder.model_id, with_words=False)
    settings = load_settings(flags={"embedding.tier": "bundled"})
    with (
        Recollect(db, folder=None, settings=settings, embedder=model) as memory,
        progress(f"Remembering {count:,}") as step,
    ):
        for start in range(0, count, _BATCH):
            made = corpus.memories(min(_BATCH, count - start))
            model.give(made)
            memory.remember_many(
                [memory.draft(one.text, about=one.about, session=one.session) for one in made]
            )
            step(start + len(made), count)
    return [word for one in made[:40] for word in one.text.split()[3:5]]


@contextmanager
def _serve(db: Path) -> Iterator[str]:
    settings = load_settings(flags={"db": str(db), "embedding.tier": "bundled"})
    with take_port(0) as listening:
        server = make_server(lambda for_agent: Recollect(settings=settings, folder=None), listening)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield server.make_link()
        finally:
            server.stop()
            thread.join(timeout=30)


def _type_questions(words: Sequence[str]) -> list[str]:
    """Two words, letter by letter from the third on, as a person types them."""
    return [
        f"/memories?q={one}%20{other[:length]}"
        for one, other in zip(words[::2], words[1::2], strict=False)
        for length in range(2, len(other) + 1, 2)
    ]


def _get(client: httpx.Client, path: str, *, part: bool = False) -> httpx.Response:
    headers = {"HX-Request": "true", "HX-Target": "part"} if part else {}
    answer = client.get(path, headers={"Accept": "text/html", **headers})
    answer.raise_for_status()
    return answer


def _measure(act: Callable[[int], object], progress: Progress, label: str) -> _Times:
    times = _Times()
    with progress(label) as step:
        for number in range(_WARM_UP + _LOOKS):
            cpu, wall = time.process_time(), time.perf_counter()
            act(number)
            if number >= _WARM_UP:
                times.wall.append(time.perf_counter() - wall)
                times.cpu.append(time.process_time() - cpu)
            step(number + 1, _WARM_UP + _LOOKS)
    return times


def _weigh(client: httpx.Client, path: str) -> int:
    """The bytes of a page and of every file it names, as they come over the line."""
    page = _get(client, path)
    names = set(_LINKS.findall(page.text)) | {"/static/charts.js", "/static/graphs.js", "/static/lists.js"}
    return sum(_count_bytes(client, name) for name in (path, *sorted(names)))


def _count_bytes(client: httpx.Client, path: str) -> int:
    with client.stream("GET", path, headers={"Accept": "text/html", "Accept-Encoding": "gzip"}) as answer:
        return sum(len(piece) for piece in answer.iter_raw())


async def _poll(base: str, cookies: dict[str, str], count: int, progress: Progress) -> _Times:
    """So many browsers that look again every five seconds, each with its stream of changes open."""
    times = _Times()
    process = psutil.Process()
    limits = httpx.Limits(max_connections=4 * count, max_keepalive_connections=4 * count)
    async with httpx.AsyncClient(base_url=base, cookies=cookies, timeout=120, limits=limits) as client:
        streams = [asyncio.create_task(_listen(client)) for _ in range(count)]
        with progress(f"{count} browsers") as step:
            before = 0
            for number in range(_ROUNDS):
                began = time.perf_counter()
                await asyncio.gather(*(_look(client, times, place / count) for place in range(count)))
                await asyncio.sleep(max(0.0, _EVERY_SECONDS - (time.perf_counter() - began)))
                gc.collect()
                # The first rounds fill caches and pools; what comes after them must be flat.
                if number == _ROUNDS // 2 - 1:
                    before = process.memory_info().rss
                step(number + 1, _ROUNDS)
        times.grown = process.memory_info().rss - before
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
    return times


async def _look(client: httpx.AsyncClient, times: _Times, wait: float) -> None:
    await asyncio.sleep(wait * (_EVERY_SECONDS - 1))
    began = time.perf_counter()
    try:
        answer = await client.get(
            "/memories?view=operators",
            headers={"Accept": "text/html", "HX-Request": "true", "HX-Target": "part"},
        )
        times.errors += answer.status_code != 200
    except httpx.HTTPError:
        times.errors += 1
    times.wall.append(time.perf_counter() - began)


async def _listen(client: httpx.AsyncClient) -> None:
    async with client.stream("GET", "/live") as answer:
        async for _ in answer.aiter_raw():
            pass


def _time(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _at(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


@click.command("ui")
@click.option("--memories", type=click.IntRange(10), default=MEMORIES, show_default=True, help="How many.")
@click.option(
    "--pollers", type=click.IntRange(1, 150), default=POLLERS, show_default=True, help="Browsers that poll."
)
@json_option
def ui_(memories: int, pollers: int) -> None:
    """How quick the dashboard is over a large memory, how heavy its pages are, and how it bears many browsers.

    \b
    python -m benchmarks ui
    python -m benchmarks ui --memories 5000 --json
    """
    figures = asdict(run(memories, pollers, progress=output.show_progress))
    if output.is_json():
        output.print_json({**figures, "goals": GOALS})
        return
    rows = [
        (
            label,
            f"{figures[name]:,}",
            f"≤ {GOALS[name]:,g}" if name in GOALS else "",
            _judge(name, figures[name]),
        )
        for name, label in _LABELS.items()
    ]
    output.print_table((f"{memories:,} memories", "", "goal", ""), rows)


def _judge(name: str, value: float) -> str:
    return "" if name not in GOALS else "met" if value <= GOALS[name] else "missed"
