"""
A year of sessions on a clock of its own, lived through by the real engine: what becomes of a few memories.

The test compares every day with the rules; the picture in the docs is drawn from the same days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from recollect.api import Recollect
from recollect.errors import NotFound
from recollect.model.memory import AlreadyKnown, Remembered
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder

BEGIN = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
DAYS = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What happens to one memory: on which days it is said again, and when it is contradicted."""

    name: str
    text: str
    kind: str = "timing"
    about: str = ""
    said_again: tuple[int, ...] = ()
    pinned: bool = False
    contradicted: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """How a memory stands on one evening; gone for good when it has no state."""

    confidence: float
    state: str


PLOTS = (
    Plot(name="never said again", text="Jellyfin takes 60s to start", about="service:jellyfin"),
    Plot(
        name="said again now and then",
        text="Caddy must be started after WireGuard",
        kind="dependency",
        about="service:caddy",
        said_again=(20, 60, 95, 150, 190, 230, 280, 330),
    ),
    Plot(
        name="proved three times, then left alone",
        text="The first restart of the media server fails, the second succeeds",
        kind="behavior",
        about="service:media",
        said_again=(7, 14, 21),
    ),
    Plot(
        name="pinned",
        text="Postgres needs a VACUUM every week",
        kind="maintenance",
        about="service:postgres",
        pinned=True,
    ),
    Plot(
        name="dead end, half-life 90 days",
        text="Patching the vendored parser did not work out",
        kind="dead_end",
    ),
    Plot(
        name="work state, half-life 7 days",
        text="Step two of the move to the new queue is done",
        kind="work_state",
    ),
    Plot(
        name="contradicted and settled",
        text="The API listens on port 80",
        kind="fact",
        about="service:api",
        contradicted=(200, "The API listens on port 8080"),
    ),
)


class _Clock:
    def __init__(self) -> None:
        self.day = 0

    def __call__(self) -> datetime:
        return BEGIN + timedelta(days=self.day)


def live(
    plots: Sequence[Plot] = PLOTS, *, embedder: Embedder, runs_a_day: int = 2
) -> Mapping[str, list[Day]]:
    """Live through the year, upkeep at the start of each session; every memory's days by the name of its plot."""
    clock = _Clock()
    days: dict[str, list[Day]] = {plot.name: [] for plot in plots}
    with Recollect(":memory:", folder=None, embedder=embedder, clock=clock) as memory:
        ids = {plot.name: _said(memory, plot, 0) for plot in plots}
        for clock.day in range(DAYS):
            for _ in range(runs_a_day):
                memory.upkeep.run()
            for plot in plots:
                if clock.day in plot.said_again:
                    _said(memory, plot, clock.day)
                if plot.contradicted and clock.day == plot.contradicted[0]:
                    _settled(memory, plot, ids[plot.name])
            for plot in plots:
                days[plot.name].append(_evening(memory, ids[plot.name]))
    return days


def _said(memory: Recollect, plot: Plot, day: int) -> str:
    about = [plot.about] if plot.about else []
    answer = memory.remember(
        plot.text, kind=plot.kind, about=about, session=f"day-{day}", pinned=plot.pinned and not day
    )
    assert isinstance(answer, Remembered | AlreadyKnown)
    return answer.memory.id


def _settled(memory: Recollect, plot: Plot, older: str) -> None:
    assert plot.contradicted is not None
    answer = memory.remember(plot.contradicted[1], kind=plot.kind, about=[plot.about])
    assert isinstance(answer, Remembered)
    memory.upkeep.settle(answer.memory.id, older)


def _evening(memory: Recollect, memory_id: str) -> Day:
    try:
        shown_memory = memory.show(memory_id)
    except NotFound:
        return Day(0.0, "")
    return Day(shown_memory.confidence, str(shown_memory.state))
