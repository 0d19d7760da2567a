"""
Layouts that can be asked for by name, as data: for a desktop agent, a loop, operations, and the phases of coding.

What hooks say at the moments of a session is in `layout.py`, and can be asked for by name too. A setting
`[layouts.NAME]` adds one of the user's own (`user_layouts.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from recollect.errors import NotFound
from recollect.inject import layout as moments
from recollect.inject.layout import (
    CODING,
    KINDS,
    MIN_ANSWER_PROBABILITY,
    NAMED,
    NOT_FOR_PROMPTS,
    OUTCOMES_SLOT,
    PREFERENCES_SLOT,
    QUESTION,
    RECIPES,
    RECIPES_SLOT,
    RELEVANT_SLOT,
    SAID_SLOT,
    SECTIONS,
    SURE,
    WORK,
    WORK_SLOT,
    Layout,
    Slot,
)
from recollect.model.phase import Phase
from recollect.model.trust import Moment

# The name that stands for whichever layout of coding fits the phase.
BY_PHASE = "coding"
# So many memories of one operation are looked at; a budget of 2,000 tokens holds about sixty.
_MOST_OPERATIONS = 120
_FAILURES = ("lesson", "dead_end", "correction", "error_pattern")

DESKTOP = Layout(
    name="desktop",
    heading="memory",
    moment=Moment.PROMPT,
    tokens=4_000,
    form=SECTIONS,
    tag="memory",
    slots=(
        Slot(
            name="profile",
            heading="about the person",
            tag="user_profile",
            source=KINDS,
            kinds=("preference", "contact"),
            most=8,
            tokens=300,
            bar=0.6,
            stands_alone=True,
        ),
        Slot(
            name="recent",
            heading="what was done last",
            tag="recent_context",
            source=KINDS,
            kinds=("work_unit_outcome", "work_state"),
            most=5,
            tokens=500,
            bar=0.5,
        ),
        Slot(
            name="relevant",
            heading="on this task",
            tag="relevant_knowledge",
            source=QUESTION,
            besides=(*NOT_FOR_PROMPTS, *_FAILURES),
            most=12,
            tokens=1_500,
            bar=MIN_ANSWER_PROBABILITY,
        ),
        Slot(
            name="apps",
            heading="about what the task names",
            tag="app_knowledge",
            source=NAMED,
            besides=(*NOT_FOR_PROMPTS, *_FAILURES),
            most=8,
            tokens=800,
            bar=0.5,
        ),
        Slot(
            name="template",
            heading="how it was done before",
            tag="task_template",
            source=RECIPES,
            kinds=("workflow_recipe",),
            most=1,
            tokens=500,
            bar=0.5,
            gate="recipes",
        ),
        Slot(
            name="failures",
            heading="what to avoid",
            tag="avoid_mistakes",
            source=QUESTION,
            kinds=_FAILURES,
            most=5,
            tokens=400,
            bar=MIN_ANSWER_PROBABILITY,
        ),
    ),
)

LOOP = Layout(
    name="loop",
    heading="memory",
    moment=Moment.PROMPT,
    tokens=1_200,
    form=SECTIONS,
    slots=(
        Slot(
            name="core",
            heading="the person and open work",
            source=KINDS,
            kinds=("preference", "contact", "project", "work_state", "issue"),
            most=8,
            tokens=500,
            bar=0.6,
            stands_alone=True,
        ),
        Slot(
            name="relevant",
            heading="on this task",
            source=QUESTION,
            besides=(*NOT_FOR_PROMPTS, "contact", "project", "issue"),
            most=5,
            tokens=500,
            bar=MIN_ANSWER_PROBABILITY,
        ),
        Slot(
            name="history",
            heading="how the last runs went",
            source=KINDS,
            kinds=("work_unit_outcome",),
            most=5,
            tokens=200,
            bar=0.5,
        ),
    ),
)

OPERATIONS = Layout(
    name="operations",
    heading="operational memory",
    moment=Moment.OPERATIONS,
    tokens=2_000,
    form=SECTIONS,
    counted=True,
    slots=(
        Slot(
            name="operations",
            source=SURE,
            kinds=("timing", "dependency", "behavior", "remediation", "maintenance"),
            most=_MOST_OPERATIONS,
            tokens=2_000,
            bar=0.3,
            sure=0.3,
            groups="service",
            tells_confidence=True,
        ),
    ),
)

PLANNING = Layout(
    name="planning",
    heading="for planning this work",
    moment=Moment.PROMPT,
    tokens=1_500,
    phase=Phase.DEFINE,
    slots=(SAID_SLOT, PREFERENCES_SLOT, WORK_SLOT, RECIPES_SLOT, RELEVANT_SLOT, OUTCOMES_SLOT),
)

IMPLEMENT = Layout(
    name="implement",
    heading="for doing this work",
    moment=Moment.PROMPT,
    tokens=5_400,
    phase=Phase.IMPLEMENT,
    slots=(
        SAID_SLOT,
        PREFERENCES_SLOT,
        WORK_SLOT,
        RELEVANT_SLOT,
        RECIPES_SLOT,
        Slot(
            name="files",
            source=QUESTION,
            kinds=("prefetch_pattern",),
            most=1,
            tokens=3_900,
            bar=MIN_ANSWER_PROBABILITY,
            sure=0.7,
            phases=(Phase.IMPLEMENT,),
            pastes=True,
        ),
    ),
)

QA = Layout(
    name="qa",
    heading="for checking this work",
    moment=Moment.PROMPT,
    tokens=1_800,
    phase=Phase.VALIDATE,
    form=SECTIONS,
    slots=(
        Slot(
            name="seen running",
            source=QUESTION,
            kinds=("e2e_observation",),
            most=8,
            tokens=1_000,
            bar=0.0,
            sure=0.7,
            phases=(Phase.VALIDATE,),
            gate="e2e",
            groups="observation_type",
        ),
        Slot(
            name="relevant",
            heading="on this task",
            source=QUESTION,
            besides=(*NOT_FOR_PROMPTS, "e2e_observation"),
            most=5,
            tokens=500,
            bar=MIN_ANSWER_PROBABILITY,
        ),
        Slot(
            name="work",
            heading="where the work stands",
            source=WORK,
            kinds=("work_state",),
            most=1,
            tokens=250,
            bar=0.5,
            stands_alone=True,
        ),
    ),
)

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {one.name: one for one in (DESKTOP, LOOP, OPERATIONS, PLANNING, IMPLEMENT, QA)} | dict(CODING)
)
_OF_PHASE = MappingProxyType({one.phase: one for one in (PLANNING, IMPLEMENT, QA)})


def find_layout(name: str, phase: Phase | None, user_layouts: Iterable[Layout] = ()) -> Layout:
    """The layout with this name, ours or the user's own; `coding` is the one for the phase."""
    layouts = dict(LAYOUTS) | {layout.name: layout for layout in user_layouts}
    if name == BY_PHASE:
        return _OF_PHASE.get(phase, layouts[moments.OPENING])
    if name not in layouts:
        names = ", ".join((BY_PHASE, *layouts))
        raise NotFound(f"There is no layout {name!r}. The layouts are: {names}.")
    return layouts[name]
