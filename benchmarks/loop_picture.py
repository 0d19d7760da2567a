"""The picture of the rounds of `python -m benchmarks loop`: a small chart for each figure, with memory and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from recollect.model.value import dataclass

WIDTH, HEIGHT = 960, 400
_TOP, _BOTTOM, _PANEL = 100, 320, 300
_STYLE = """\
text { font-family: system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; }
.card { fill: #fbfaf7; stroke: #d9d6cd; } .ink { fill: #1f2530; } .dim { fill: #5b6474; font-size: 12.5px; }
.title { font-size: 17px; font-weight: 600; } .name { font-size: 13.5px; font-weight: 600; }
.grid { stroke: #e3e1da; } .line { fill: none; stroke-width: 2.4; stroke-linejoin: round; }
.on { stroke: #1f6fb0; } .off { stroke: #6b7484; stroke-dasharray: 5 4; } .dot { fill: #1f6fb0; stroke: none; }
.grey { fill: #6b7484; stroke: none; } .half { stroke: #a8741a; stroke-dasharray: 2 3; }
.pale { fill: #a8741a; stroke: none; }
@media (prefers-color-scheme: dark) { .card { fill: #1b1f27; stroke: #39404d; } .ink { fill: #e8ebf1; }
.dim { fill: #a6afbf; } .grid { stroke: #2c323d; } .on { stroke: #7db8ea; } .off { stroke: #b4bccb; }
.dot { fill: #7db8ea; } .grey { fill: #b4bccb; } .half { stroke: #e0b060; } .pale { fill: #e0b060; } }
"""


class Arm(StrEnum):
    """With which memory the rounds were run."""

    LEARNING = "with memory"
    MEMORY = "with one that does not learn"
    NONE = "without"


ARMS = tuple(Arm)
# How each is drawn: its line and its dots.
_DRAWN = {Arm.NONE: ("off", "grey"), Arm.MEMORY: ("half", "pale"), Arm.LEARNING: ("on", "dot")}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFigures:
    """What one round of all tasks came to."""

    round: int
    arm: Arm
    runs: int
    completed: int
    # Runs that were rejected at least once, and those whose family had been rejected for it in an earlier round.
    rejected: int
    repeated_failures: int
    iterations: float
    # The share of runs that did as the person prefers.
    adherence: float
    # Runs with a recipe before them, and how many of those passed at the first claim.
    templates: int
    templates_passed: int
    # All that was put before the agent, and what of it bears on the task.
    injected: int
    relevant: int
    # The same without the person's profile and the list of the last runs, which are told whatever the task.
    on_task: int
    on_task_relevant: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundChart:
    """One chart: its name, the figure it shows, and how the figure is written."""

    name: str
    value_of: Callable[[RoundFigures], float]
    text_of: Callable[[float], str]


CHARTS = (
    RoundChart(
        name="Rejected runs", value_of=lambda figures: figures.rejected, text_of=lambda value: f"{value:.0f}"
    ),
    RoundChart(
        name="Iterations a run",
        value_of=lambda figures: figures.iterations,
        text_of=lambda value: f"{value:.1f}",
    ),
    RoundChart(
        name="Did as the person prefers",
        value_of=lambda figures: 100 * figures.adherence,
        text_of=lambda value: f"{value:.0f} %",
    ),
)


def draw_rounds(figures: Sequence[RoundFigures]) -> str:
    """The rounds as an SVG that follows a light or dark reader and asks for no font."""
    return "\n".join(_lines(figures)) + "\n"


def _lines(figures: Sequence[RoundFigures]) -> Iterator[str]:
    runs = figures[0].runs
    rounds = max(one_round.round for one_round in figures)
    yield (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" xmlns="http://www.w3.org/2000/svg" role="img"'
        ' aria-labelledby="loop-title loop-about">'
    )
    yield '<title id="loop-title">A loop with a memory and one without</title>'
    yield (
        f'<desc id="loop-about">{runs} tasks in each of {rounds} rounds: with memory fewer runs are rejected,'
        " runs are shorter, and preferences are followed.</desc>"
    )
    yield f"<style>\n{_STYLE}</style>"
    yield f'<rect class="card" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="14" stroke-width="1.5"/>'
    yield f'<text class="ink title" x="40" y="38">{runs} tasks over {rounds} rounds, with memory and without</text>'
    for number, chart in enumerate(CHARTS):
        yield from _draw_chart(chart, figures, 60 + number * _PANEL, rounds)
    for arm, x in zip(ARMS, (40, 200, 450), strict=True):
        yield f'<path class="line {_DRAWN[arm][0]}" d="M{x} {HEIGHT - 27} L{x + 30} {HEIGHT - 27}"/>'
        yield f'<text class="dim" x="{x + 38}" y="{HEIGHT - 23}">{arm}</text>'
    yield "</svg>"


def _draw_chart(chart: RoundChart, figures: Sequence[RoundFigures], left: int, rounds: int) -> Iterator[str]:
    top_value = max(chart.value_of(one_round) for one_round in figures) or 1.0
    width = _PANEL - 90
    yield f'<text class="ink name" x="{left - 20}" y="{_TOP - 24}">{chart.name}</text>'
    for share in (0.0, 0.5, 1.0):
        y = round(_BOTTOM - (_BOTTOM - _TOP) * share, 1)
        yield f'<line class="grid" x1="{left}" x2="{left + width}" y1="{y}" y2="{y}"/>'
    for number in range(1, rounds + 1):
        x = _place(left, width, number, rounds)
        yield f'<text class="dim" x="{x}" y="{_BOTTOM + 20}" text-anchor="middle">{number}</text>'
    for arm, (line, dot) in _DRAWN.items():
        points = [
            (_place(left, width, one_round.round, rounds), chart.value_of(one_round))
            for one_round in figures
            if one_round.arm is arm
        ]
        places = [(x, round(_BOTTOM - (_BOTTOM - _TOP) * value / top_value, 1), value) for x, value in points]
        path = " ".join(f"{'L' if number else 'M'}{x} {y}" for number, (x, y, _) in enumerate(places))
        yield f'<path class="line {line}" d="{path}"/>'
        for x, y, value in places:
            yield f'<circle class="{dot}" cx="{x}" cy="{y}" r="3.5"/>'
            if arm is Arm.LEARNING or x == places[-1][0]:
                yield f'<text class="dim" x="{x}" y="{y - 9}" text-anchor="middle">{chart.text_of(value)}</text>'


def _place(left: int, width: int, number: int, rounds: int) -> float:
    return round(left + width * (number - 1) / max(1, rounds - 1), 1)
