"""
Layouts as data: what is injected at each moment, with the slots, their budgets and their minimum scores.

The order of the slots is their priority: when the budget is spent, those further down are left out. To change what an
agent is told, change a row here, or in `named_layouts.py` for layouts asked for by name. `assemble.py` fills the
slots, `slot_candidates.py` finds their candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from recollect.model.phase import Phase
from recollect.model.policy import PERSON_TOOL_RESULT_KINDS, TOOL_RESULT_KINDS
from recollect.model.trust import Moment
from recollect.model.value import dataclass

BRIEF = "brief"
FIRST_PROMPT = "first prompt"
OPENING = "opening"
PROMPT = "prompt"
SUBAGENT = "subagent"
COMPACTION = "compaction"
# Not a moment of a session: somebody asked what there is to know about the project.
PROJECT = "project"

# Where candidates come from: the newest of some kinds, the surest of some kinds, the state of this branch's work, a
# search, recipes for the task, what is about an application or service that the task names, what is about files that
# are predicted, what was told before; what a person said that holds for every task, and of what the task names.
KINDS = "kinds"
SURE = "sure"
WORK = "work"
QUESTION = "question"
RECIPES = "recipes"
NAMED = "named"
ABOUT = "about"
STANDING = "standing"
SAID = "said"
LOST = "lost"
# Not memories: files that are predicted.
FORESEEN = "foreseen"

# How what was chosen is written: in one block, or in a block for each slot.
BLOCK = "block"
SECTIONS = "sections"


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
    # What answers a question and what is predicted: how probable it must be that it is wanted (`calibrate.py`).
    # Elsewhere: how sure a memory must be. Where it stands by itself (a preference), a person's word needs no bar.
    bar: float
    stands_alone: bool = False
    # Only what is at least so sure.
    sure: float = 0.0
    # Only in these phases of the work; empty: in all.
    phases: tuple[Phase, ...] = ()
    # The column of the gates of complexity (`model/complexity.py`) that must be open for the task.
    gate: str = ""
    # In sections: the heading and the tag of its block, and what its memories are grouped by, a block each.
    heading: str = ""
    tag: str = ""
    groups: str = ""
    # Each line says how sure it is.
    tells_confidence: bool = False
    # The files a memory names are put there too, where whoever asks can take them.
    pastes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All that may be injected at one moment."""

    name: str
    heading: str
    # As the table of trust knows it.
    moment: Moment
    # All of the text, its borders and headings too.
    tokens: int
    slots: tuple[Slot, ...]
    form: str = BLOCK
    # In sections: a tag around all, and a line that counts what is told.
    tag: str = ""
    counted: bool = False
    # The phase of the work it is for, where it is for one.
    phase: Phase | None = None


# How probable it must be that a memory answers what was asked: at the start of a session, and in its middle.
MIN_ANSWER_PROBABILITY = 0.5
MIN_ANSWER_PROBABILITY_LATER = 0.55
# How probable it must be that a session opens a file; and one of those a memory is about, which takes longer to read.
MIN_OPEN_PROBABILITY = 0.35
MIN_NEED_PROBABILITY = 0.5
# A prompt of fewer words tells what is wanted only by what it names.
MIN_PROMPT_WORDS = 5

# What a person may have said of a thing, told wherever it is named.
PERSON_KINDS = (*TOOL_RESULT_KINDS, *PERSON_TOOL_RESULT_KINDS)
# What a session's brief says, and what only counts or measures: a prompt is not answered with it.
NOT_FOR_PROMPTS = (
    "preference",
    "work_state",
    "work_unit_outcome",
    "context_cost",
    "task_calibration",
    "workflow_recipe",
    "prefetch_pattern",
    "causal_dependency",
)
# What is said of a failure when it comes. Told at a prompt, whatever the prompt is about, next to none of it was met.
AT_FAILURES = ("error_pattern", "dead_end")
# What warns of a file, and what goes with it.
FILE_KINDS = ("gotcha", "lesson", "correction", "causal_dependency", "prefetch_pattern")
# A person's preferences and rules; counted ones fill what they leave.
PREFERENCES_SLOT = Slot(
    name="preferences",
    source=STANDING,
    kinds=("preference",),
    most=6,
    tokens=260,
    bar=0.6,
    stands_alone=True,
)
# What a person said of a thing that is named needs no bar.
SAID_SLOT = Slot(
    name="said",
    source=SAID,
    kinds=PERSON_KINDS,
    most=4,
    tokens=280,
    bar=0.6,
    stands_alone=True,
)
WORK_SLOT = Slot(
    name="work", source=WORK, kinds=("work_state",), most=1, tokens=200, bar=0.5, stands_alone=True
)
OUTCOMES_SLOT = Slot(name="outcomes", source=KINDS, kinds=("work_unit_outcome",), most=3, tokens=180, bar=0.5)
RELEVANT_SLOT = Slot(
    name="relevant",
    source=QUESTION,
    besides=(*NOT_FOR_PROMPTS, *AT_FAILURES),
    most=5,
    tokens=500,
    bar=MIN_ANSWER_PROBABILITY,
)
# The bar is the share of a recipe's pattern that must be in the task.
RECIPES_SLOT = Slot(
    name="recipes",
    source=RECIPES,
    kinds=("workflow_recipe",),
    most=2,
    tokens=300,
    bar=0.5,
    gate="recipes",
)
FILES_SLOT = Slot(
    name="files",
    source=QUESTION,
    kinds=("prefetch_pattern", "causal_dependency"),
    most=2,
    tokens=120,
    bar=MIN_ANSWER_PROBABILITY,
)

ABOUT_SLOT = Slot(
    name="about files", source=ABOUT, kinds=FILE_KINDS, most=3, tokens=250, bar=MIN_NEED_PROBABILITY
)

# Files are named with a reason, not pasted: the agent opens what it needs.
AT_HAND_SLOT = Slot(name="at hand", source=FORESEEN, most=5, tokens=250, bar=MIN_OPEN_PROBABILITY)

KNOWLEDGE_SLOT = Slot(
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
                slots=(PREFERENCES_SLOT, WORK_SLOT, OUTCOMES_SLOT),
            ),
            Layout(
                name=FIRST_PROMPT,
                heading="on what was asked",
                moment=Moment.PROMPT,
                tokens=900,
                slots=(SAID_SLOT, RELEVANT_SLOT, RECIPES_SLOT, FILES_SLOT, ABOUT_SLOT, AT_HAND_SLOT),
            ),
            # Where a client has no ear at a session's start, its first prompt brings the brief too.
            Layout(
                name=OPENING,
                heading="for this session and on what was asked",
                moment=Moment.PROMPT,
                tokens=1_300,
                slots=(
                    SAID_SLOT,
                    PREFERENCES_SLOT,
                    WORK_SLOT,
                    OUTCOMES_SLOT,
                    RELEVANT_SLOT,
                    RECIPES_SLOT,
                    FILES_SLOT,
                    ABOUT_SLOT,
                    AT_HAND_SLOT,
                ),
            ),
            Layout(
                name=PROMPT,
                heading="on what was asked",
                moment=Moment.PROMPT,
                tokens=400,
                slots=(
                    SAID_SLOT,
                    Slot(
                        name="relevant",
                        source=QUESTION,
                        besides=(*NOT_FOR_PROMPTS, *AT_FAILURES),
                        most=3,
                        tokens=300,
                        bar=MIN_ANSWER_PROBABILITY_LATER,
                    ),
                ),
            ),
            Layout(
                name=SUBAGENT,
                heading="for this subagent, on what its session was asked",
                moment=Moment.PROMPT,
                tokens=500,
                slots=(
                    SAID_SLOT,
                    PREFERENCES_SLOT,
                    Slot(
                        name="relevant",
                        source=QUESTION,
                        besides=(*NOT_FOR_PROMPTS, *AT_FAILURES),
                        most=3,
                        tokens=300,
                        bar=MIN_ANSWER_PROBABILITY,
                    ),
                ),
            ),
            Layout(
                name=PROJECT,
                heading="about this project",
                moment=Moment.BRIEF,
                tokens=1_200,
                slots=(PREFERENCES_SLOT, KNOWLEDGE_SLOT, OUTCOMES_SLOT),
            ),
            Layout(
                name=COMPACTION,
                heading="told before the conversation was summarised",
                moment=Moment.PROMPT,
                tokens=900,
                slots=(
                    Slot(name="lost", source=LOST, most=8, tokens=600, bar=0.0, stands_alone=True),
                    PREFERENCES_SLOT,
                    WORK_SLOT,
                ),
            ),
        )
    }
)


# What hooks say, and a user's own layout of the same name may say instead.
MOMENTS: Mapping[str, Layout] = MappingProxyType(
    {name: layout for name, layout in CODING.items() if name != PROJECT}
)


def needs_predicted_files(layout: Layout) -> bool:
    """Whether a layout has a place for files that are predicted, or for what is about them."""
    return any(slot.source in (FORESEEN, ABOUT) for slot in layout.slots)
