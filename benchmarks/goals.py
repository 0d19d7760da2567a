"""What was measured, what it is held against, and whether it is good enough. Pure values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A bound for one figure: on ours alone, or on ours as a share of the floor's."""

    figure: str
    of_floor: bool = False
    at_most: float | None = None
    at_least: float | None = None

    def __str__(self) -> str:
        sign, bound = ("≤", self.at_most) if self.at_most is not None else ("≥", self.at_least)
        return (
            f"{sign} {bound:g} × floor"
            if self.of_floor
            else f"{sign} {bound:g} {describe_figure(self.figure)}"
        )

    def is_met_by(self, value: float) -> bool:
        """Whether a figure, or a ratio where the floor counts, is within the bound."""
        low = self.at_least is None or value >= self.at_least
        return low and (self.at_most is None or value <= self.at_most)


GOALS: Mapping[str, Goal] = {
    "search": Goal(figure="p50_ms", of_floor=True, at_most=2.0),
    "search_closer": Goal(figure="p50_ms", of_floor=True, at_most=2.0),
    "ingest": Goal(figure="per_s", of_floor=True, at_least=0.4),
    "cold": Goal(figure="cpu_s", at_most=0.3),
    "cold_embedding": Goal(figure="cpu_s", at_most=0.6),
    "hook_record": Goal(figure="cpu_ms", at_most=25.0),
    "hook_file_unknown": Goal(figure="cpu_ms", at_most=40.0),
    "hook_file": Goal(figure="cpu_ms", at_most=40.0),
    "hook_prompt": Goal(figure="cpu_ms", at_most=300.0),
    "call_silent": Goal(figure="of_python", at_most=1.0),
    "call_telling": Goal(figure="of_python", at_most=4.0),
    "context_brief": Goal(figure="p95_ms", at_most=30.0),
    "import": Goal(figure="cpu_ms", at_most=40.0),
    "ops_stream": Goal(figure="mb_per_s", of_floor=True, at_least=0.5),
    "ops_hostile": Goal(figure="cpu_ms", at_most=50.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One thing measured: its figures for us and, where there is one, the floor. The first figure leads."""

    key: str
    label: str
    ours: Mapping[str, float]
    floor: Mapping[str, float] | None = None
    # How many memories there were.
    size: int | None = None

    @property
    def lead(self) -> str:
        """The figure it is judged by."""
        return next(iter(self.ours))

    @property
    def ratio(self) -> float | None:
        """Ours over the floor's."""
        return self.ours[self.lead] / self.floor[self.lead] if self.floor and self.floor[self.lead] else None

    @property
    def cpu_ratio(self) -> float | None:
        """The same in CPU time, which others on the machine disturb less."""
        name = next((name for name in self.ours if name.startswith("cpu")), None)
        if name is None or name == self.lead or not self.floor or not self.floor[name]:
            return None
        return self.ours[name] / self.floor[name]

    @property
    def goal(self) -> Goal | None:
        """What it should reach."""
        return GOALS.get(self.key)

    @property
    def verdict(self) -> str:
        """PASS or MISS; nothing where there is no goal."""
        if self.goal is None:
            return ""
        value = self.ratio if self.goal.of_floor else self.ours[self.goal.figure]
        return "PASS" if value is not None and self.goal.is_met_by(value) else "MISS"


def systems(measures: Iterable[Measure]) -> dict[str, dict[str, float]]:
    """Every figure by system, as `search_p50_ms@10000`."""
    figures_by_system: dict[str, dict[str, float]] = {"recollect": {}, "floor": {}}
    for measure in measures:
        place = f"@{measure.size}" if measure.size is not None else ""
        for name, figures in (("recollect", measure.ours), ("floor", measure.floor or {})):
            figures_by_system[name] |= {
                f"{measure.key}_{what}{place}": round_figure(value) for what, value in figures.items()
            }
    return figures_by_system


def as_json(measures: Iterable[Measure]) -> list[dict[str, Any]]:
    """Every measure with its ratio and verdict."""
    return [
        {
            "measure": measure.key,
            "label": measure.label,
            "size": measure.size,
            "ours": {what: round_figure(value) for what, value in measure.ours.items()},
            "floor": {what: round_figure(value) for what, value in (measure.floor or {}).items()} or None,
            "ratio": round_figure(measure.ratio) if measure.ratio is not None else None,
            "cpu_ratio": round_figure(measure.cpu_ratio) if measure.cpu_ratio is not None else None,
            "goal": str(measure.goal) if measure.goal else None,
            "verdict": measure.verdict or None,
        }
        for measure in measures
    ]


def describe_figure(figure: str) -> str:
    """A figure's name as people read it: `cpu_p50_ms` is "ms CPU", `per_s` is "/s"."""
    if figure.endswith("per_s"):
        return "/s CPU" if figure.startswith("cpu") else "/s"
    what, _, unit = figure.rpartition("_")
    return " ".join((unit, "CPU" if what.startswith("cpu") else what)).strip()


def round_figure(value: float) -> float:
    """Three figures that mean something."""
    return float(f"{value:.4g}")


def format_figures(figures: Mapping[str, float]) -> str:
    """Figures with their names, in a line."""
    return ", ".join(f"{round_figure(value):g} {describe_figure(name)}" for name, value in figures.items())
