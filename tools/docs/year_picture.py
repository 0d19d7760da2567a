"""Draws docs/year.svg: what a year does to a few memories, lived through by the real engine on a clock of its own.

    .venv/bin/python tools/docs/year_picture.py

The picture holds no address and asks for no font; its colours follow a light or dark reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from html import escape
from pathlib import Path

from benchmarks.year import BEGIN, DAYS, PLOTS, Day, Plot, live
from recollect.model.policy import INACTIVE_BELOW
from recollect.providers.embed import EmbedderSettings, choose_tier, open_embedder

PICTURE = Path(__file__).parents[2] / "docs" / "year.svg"
WIDTH, HEIGHT = 960, 560
LEFT, TOP, RIGHT, BOTTOM = 56, 56, 940, 360
# Two shades of each: for light readers and for dark ones.
COLOURS = (
    ("#c8641b", "#f0a36b"),
    ("#1f6fb0", "#7db8ea"),
    ("#2f855a", "#7fcf9f"),
    ("#6b7484", "#b4bccb"),
    ("#7655b3", "#b79bf0"),
    ("#b8326f", "#f08bb8"),
    ("#8a6d00", "#dcc05a"),
)
_STYLE = """\
text { font-family: system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; }
.card { fill: #fbfaf7; stroke: #d9d6cd; } .ink { fill: #1f2530; } .dim { fill: #5b6474; font-size: 12.5px; }
.title { font-size: 17px; font-weight: 600; } .key { font-size: 13.5px; }
.grid { stroke: #e3e1da; } .edge { stroke: #9aa3b2; stroke-dasharray: 5 4; }
.line { fill: none; stroke-width: 2.4; stroke-linejoin: round; } .asleep { stroke-dasharray: 2 4; }
"""
_DARK = (
    ".card { fill: #1b1f27; stroke: #39404d; } .ink { fill: #e8ebf1; } .dim { fill: #a6afbf; }"
    " .grid { stroke: #2c323d; }"
)


def main() -> None:
    """Live through the year and draw it."""
    embedder = open_embedder(choose_tier(EmbedderSettings(tier="bundled")))
    assert embedder is not None
    PICTURE.write_text(picture(live(embedder=embedder)), "utf-8")
    print(f"{PICTURE.name}: {PICTURE.stat().st_size // 1024} kB")


def picture(days: Mapping[str, Sequence[Day]]) -> str:
    """The days of every memory as an SVG."""
    return "\n".join(_lines(days)) + "\n"


def _lines(days: Mapping[str, Sequence[Day]]) -> Iterator[str]:
    yield (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" xmlns="http://www.w3.org/2000/svg" role="img"'
        ' aria-labelledby="year-title year-about">'
    )
    yield '<title id="year-title">A year in the life of seven memories</title>'
    yield (
        '<desc id="year-about">Confidence by day. What is said again grows, what is left alone fades,'
        " sleeps, is archived and goes; what is pinned stays.</desc>"
    )
    yield f"<style>\n{_STYLE}{_colours()}</style>"
    yield f'<rect class="card" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="14" stroke-width="1.5"/>'
    yield f'<text class="ink title" x="{LEFT}" y="32">Confidence over a year of sessions</text>'
    yield from _grid()
    for number, plot in enumerate(PLOTS):
        yield from _curve(number, plot, days[plot.name])
    yield from _legend()
    yield "</svg>"


def _colours() -> str:
    light = " ".join(
        f".c{n} {{ stroke: {one}; }} .f{n} {{ fill: {one}; }}" for n, (one, _) in enumerate(COLOURS)
    )
    dark = " ".join(
        f".c{n} {{ stroke: {one}; }} .f{n} {{ fill: {one}; }}" for n, (_, one) in enumerate(COLOURS)
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {_DARK} {dark} }}\n"


def _grid() -> Iterator[str]:
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        yield f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text class="dim" x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{tenth / 10:.1f}</text>'
    for day in range(DAYS):
        at = BEGIN + timedelta(days=day)
        if at.day == 1:
            yield f'<text class="dim" x="{_x(day)}" y="{BOTTOM + 20}">{at:%b}</text>'
            yield f'<line class="grid" x1="{_x(day)}" x2="{_x(day)}" y1="{BOTTOM}" y2="{BOTTOM + 6}"/>'
    y = _y(INACTIVE_BELOW)
    yield f'<line class="edge" x1="{LEFT}" x2="{RIGHT}" y1="{y}" y2="{y}"/>'
    yield f'<text class="dim" x="{RIGHT}" y="{y + 15}" text-anchor="end">below {INACTIVE_BELOW:g}: inactive</text>'


def _curve(number: int, plot: Plot, days: Sequence[Day]) -> Iterator[str]:
    """In use a full line, asleep or put away a dotted one, until it is gone."""
    for awake, stretch in _stretches(days):
        path = " ".join(f"{'M' if n == 0 else 'L'}{x} {y}" for n, (x, y) in enumerate(stretch))
        yield f'<path class="line c{number}{"" if awake else " asleep"}" d="{path}"/>'
    for day in plot.said_again:
        yield f'<circle class="f{number}" cx="{_x(day)}" cy="{_y(days[day].confidence)}" r="4"/>'
    if plot.contradicted:
        day = plot.contradicted[0]
        x, y = _x(day), _y(days[day].confidence)
        yield f'<path class="line c{number}" d="M{x - 5} {y - 5} L{x + 5} {y + 5} M{x - 5} {y + 5} L{x + 5} {y - 5}"/>'


def _stretches(days: Sequence[Day]) -> Iterator[tuple[bool, list[tuple[float, float]]]]:
    stretch: list[tuple[float, float]] = []
    awake = True
    for day, memory in enumerate(days):
        if not memory.state:
            break
        if (memory.state == "active") != awake and stretch:
            yield awake, stretch
            stretch = stretch[-1:]
        awake = memory.state == "active"
        here = (_x(day), _y(memory.confidence))
        if stretch and stretch[-1][1] != here[1]:
            stretch.append((here[0], stretch[-1][1]))  # a step, not a slope
        if len(stretch) > 1 and stretch[-2][1] == stretch[-1][1] == here[1]:
            stretch.pop()
        stretch.append(here)
    if len(stretch) > 1:
        yield awake, stretch


def _legend() -> Iterator[str]:
    for number, plot in enumerate(PLOTS):
        x, y = LEFT + (number % 2) * 440, BOTTOM + 56 + (number // 2) * 28
        yield f'<path class="line c{number}" d="M{x} {y - 5} L{x + 30} {y - 5}"/>'
        yield f'<text class="ink key" x="{x + 40}" y="{y}">{escape(plot.kind)}: {escape(plot.name)}</text>'
    y = BOTTOM + 56 + 4 * 28 + 14
    yield (
        f'<text class="dim" x="{LEFT}" y="{y}">full: in use · dotted: inactive or archived · dot: said again in another'
        " session · cross: contradicted, settled by a person</text>"
    )


def _x(day: int) -> float:
    return round(LEFT + (RIGHT - LEFT) * day / (DAYS - 1), 1)


def _y(confidence: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * confidence, 1)


if __name__ == "__main__":
    main()
