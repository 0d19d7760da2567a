"""
What is said when, as data: a layout for each moment, slots in it, a budget and a bar for each.

The order of the slots is their priority: when the budget is spent, those further down are left out. To change what an
agent is told is to change a row here; how slots are filled is in `assemble.py`, where candidates come from in
`moments.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from recollect.model.trust import Moment

BRIEF = "brief"
FIRST_PROMPT = "first prompt"
OPENING = "opening"
PROMPT = "prompt"
SUBAGENT = "subagent"
COMPACTION = "compaction"
# Not a moment of a session: somebody asked what there is to know about the project.
PROJECT = "project"

# Where candidates come from: the newest of some kinds, the state of this branch's work, a search, what was told before.
KINDS = "kinds"
WORK = "work"
QUESTION = "question"
LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place for memories of one sort. `source` names where its candidates come from."""

    name: str
    source: str
    # Only these kinds; empty: all that `besides` does not name.
    kinds: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    most: int
    tokens: int
    # How well a memory must fit. Where it stands by itself (a preference), a person's word needs no bar.
    bar: float
    stands_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All that may be said at one moment."""

    name: str
    heading: str
    # As the table of trust knows it.
    moment: Moment
    tokens: int
    slots: tuple[Slot, ...]


# How well a text must fit what was asked, as a share of the best that can be reached. Set by hand on a few dozen
# prompts: most that fit lie above the first, most that do not below it, and few of those reach the second.
FITS = 0.38
FITS_WELL = 0.45

# What a session's brief says, and what only counts or measures: a prompt is not answered with it.
_NOT_FOR_PROMPTS = (
    "preference",
    "work_state",
    "work_unit_outcome",
    "context_cost",
    "task_calibration",
    "workflow_recipe",
    "prefetch_pattern",
    "causal_dependency",
)
_PREFERENCES = Slot(
    name="preferences",
    source=KINDS,
    kinds=("preference",),
    most=8,
    tokens=220,
    bar=0.6,
    stands_alone=True,
)
_WORK = Slot(name="work", source=WORK, kinds=("work_state",), most=1, tokens=200, bar=0.5, stands_alone=True)
_OUTCOMES = Slot(name="outcomes", source=KINDS, kinds=("work_unit_outcome",), most=3, tokens=180, bar=0.5)
_RELEVANT = Slot(name="relevant", source=QUESTION, besides=_NOT_FOR_PROMPTS, most=5, tokens=500, bar=FITS)
_RECIPES = Slot(name="recipes", source=QUESTION, kinds=("workflow_recipe",), most=2, tokens=300, bar=FITS)
# Files are named with a reason, not pasted: the agent opens what it needs.
_FILES = Slot(
    name="files",
    source=QUESTION,
    kinds=("prefetch_pattern", "causal_dependency"),
    most=2,
    tokens=120,
    bar=FITS,
)

_KNOWLEDGE = Slot(
    name="knowledge",
    source=KINDS,
    kinds=("decision", "requirement", "gotcha", "pattern", "module_insight", "error_pattern", "lesson"),
    most=12,
    tokens=700,
    bar=0.5,
)

CODING: Mapping[str, Layout] = MappingProxyType(
    {
        layout.name: layout
        for layout in (
            Layout(
                name=BRIEF,
                heading="for this session",
                moment=Moment.BRIEF,
                tokens=600,
                slots=(_PREFERENCES, _WORK, _OUTCOMES),
            ),
            Layout(
                name=FIRST_PROMPT,
                heading="on what was asked",
                moment=Moment.PROMPT,
                tokens=900,
                slots=(_RELEVANT, _RECIPES, _FILES),
            ),
            # Where a client has no ear at a session's start, its first prompt brings the brief too.
            Layout(
                name=OPENING,
                heading="for this session and on what was asked",
                moment=Moment.PROMPT,
                tokens=1_300,
                slots=(_PREFERENCES, _WORK, _OUTCOMES, _RELEVANT, _RECIPES, _FILES),
            ),
            Layout(
                name=PROMPT,
                heading="on what was asked",
                moment=Moment.PROMPT,
                tokens=400,
                slots=(
                    Slot(
                        name="relevant",
                        source=QUESTION,
                        besides=_NOT_FOR_PROMPTS,
                        most=3,
                        tokens=300,
                        bar=FITS_WELL,
                    ),
                ),
            ),
            Layout(
                name=SUBAGENT,
                heading="for this subagent, on what its session was asked",
                moment=Moment.PROMPT,
                tokens=500,
                slots=(
                    _PREFERENCES,
                    Slot(
                        name="relevant",
                        source=QUESTION,
                        besides=_NOT_FOR_PROMPTS,
                        most=3,
                        tokens=300,
                        bar=FITS,
                    ),
                ),
            ),
            Layout(
                name=PROJECT,
                heading="about this project",
                moment=Moment.BRIEF,
                tokens=1_200,
                slots=(_PREFERENCES, _KNOWLEDGE, _OUTCOMES),
            ),
            Layout(
                name=COMPACTION,
                heading="told before the conversation was summarised",
                moment=Moment.PROMPT,
                tokens=900,
                slots=(
                    Slot(name="lost", source=LOST, most=8, tokens=600, bar=0.0, stands_alone=True),
                    _PREFERENCES,
                    _WORK,
                ),
            ),
        )
    }
)
