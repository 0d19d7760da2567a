"""BMAD: epics and stories, handed from analyst to architect to developer to QA to scrum master."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.methods import wording
from recollect.methods.bmad_files import (
    DONE,
    GOING_ON,
    MARKS,
    Story,
    read_criteria,
    read_epic_title,
    read_stories,
    read_tasks,
)
from recollect.methods.wording import join_sentences, list_decisions, list_sentence, read_text, read_texts
from recollect.model.kinds import Field, Kind
from recollect.model.memory import Memory
from recollect.model.method import Addition, FinishedWork, Methodology, Relay, RelaySection, Surroundings
from recollect.model.phase import Phase
from recollect.model.scope import Scope, WorkRef

_BRANCH = re.compile(r"(?:^|[/_-])(?:story|epic)?[/_-]?(?P<epic>\d{1,3})[._-](?P<story>\d{1,3})(?=[._/-]|$)")
_WORK = re.compile(r"bmad:epic_(?P<epic>\d{1,3})/story_\d{1,3}_(?P<story>\d{1,3})")
_STAGES = {
    "draft": "story_creation",
    "drafted": "story_creation",
    "review": "story_acceptance",
    "ready_for_review": "story_acceptance",
    "in_review": "story_acceptance",
}
MAX_CRITERIA = 12


def detect(around: Surroundings) -> str:
    """BMAD's own configuration, or a list of its stories."""
    path = next((path for mark in MARKS for path in around.files.names(mark)), "")
    return f"it has {path}" if path else ""


def unit(around: Surroundings) -> WorkRef | None:
    """The story the branch names; without one, the one that is in progress."""
    story = _find_current_story(around)
    if story is None:
        return None
    title = read_epic_title(around.files, story.epic)
    epic = f"Epic {story.epic}" + (f" {title}" if title else "")
    return WorkRef(
        methodology="bmad",
        hierarchy=(f"epic_{story.epic}", f"story_{story.epic}_{story.number}"),
        label=f"{epic} / Story {story.name}" + (f" {story.title}" if story.title else ""),
    )


def stage(around: Surroundings) -> str:
    """A draft is being written, a story under review accepted; else the deeds tell."""
    story = _find_current_story(around)
    return _STAGES.get(story.status, "") if story else ""


def work_state(around: Surroundings) -> Mapping[str, object]:
    """Which stories are done, which is current, what it still lacks; nothing once it is done."""
    stories, story = read_stories(around.files), _find_current_story(around)
    if story is None or story.status in DONE:
        return {}
    story_text = around.files.text(story.path) if story.path else ""
    criteria, work = read_criteria(story_text), read_tasks(story_text)
    return {
        "stories_completed": [one.name for one in stories if one.status in DONE],
        "current_story": story.name,
        "title": story.title[:200],
        "status": story.status,
        "tasks_done": [task.text[:120] for task in work if task.done],
        "tasks_open": [task.text[:120] for task in work if not task.done],
        "acceptance_criteria_status": {str(one.number): "met" if one.met else "open" for one in criteria},
        "key_decisions": list_decisions(around.deeds),
    }


def tell_state(state: Mapping[str, object]) -> str:
    """Where the story stands, in a few sentences."""
    current, title = read_text(state, "current_story"), read_text(state, "title")
    criteria_status = state.get("acceptance_criteria_status")
    by_number = criteria_status if isinstance(criteria_status, Mapping) else {}
    is_open = [f"#{number}" for number, how in by_number.items() if how != "met"]
    about = f" {wording.quote_line(title)}" if title else ""
    status = f", {read_text(state, 'status').replace('_', ' ')}" if read_text(state, "status") else ""
    met = f"{len(by_number) - len(is_open)} of {len(by_number)} acceptance criteria are met"
    return join_sentences(
        f"Story {current}{about}{status}." if current else "",
        list_sentence("Tasks done", map(wording.quote_line, read_texts(state, "tasks_done"))),
        list_sentence("Tasks open", map(wording.quote_line, read_texts(state, "tasks_open"))),
        (f"{met}; open: {', '.join(is_open)}." if is_open else f"{met}.") if by_number else "",
        list_sentence("Stories done", read_texts(state, "stories_completed")),
        list_sentence("Decided", read_texts(state, "key_decisions")),
    )


def tell_relay(memories: Sequence[Memory], relay: Relay) -> Sequence[RelaySection]:
    """What must hold before what was chosen, and both before what was merely learned."""
    groups = (
        ("Requirements and criteria", ("requirement", "acceptance_criterion")),
        ("Decisions", ("decision",)),
    )
    taken = {kind for _, kinds in groups for kind in kinds}
    parted = [
        (heading, tuple(memory for memory in memories if memory.kind in kinds)) for heading, kinds in groups
    ]
    parted.append(("Learned on the way", tuple(memory for memory in memories if memory.kind not in taken)))
    return [
        RelaySection(heading=f"{heading}, from {relay.source} to {relay.target}", memories=memories_here)
        for heading, memories_here in parted
        if memories_here
    ]


def collect_criteria(around: Surroundings, done: FinishedWork) -> Sequence[Addition]:
    """The criteria that a story met: a later change must not break them."""
    match = _WORK.match(str(done.work))
    if not match or not done.succeeded:
        return ()
    story = _find_story(around, int(match["epic"]), int(match["story"]))
    story_text = around.files.text(story.path) if story and story.path else ""
    return [
        Addition(
            kind="acceptance_criterion",
            text=(
                f"Story {match['epic']}.{match['story']} meets criterion {one.number}: "
                f"{wording.quote_line(one.text)}."
            ),
            fields={"story": f"{match['epic']}.{match['story']}", "number": one.number},
            files=done.files[:6],
        )
        for one in read_criteria(story_text)[:MAX_CRITERIA]
        if one.met
    ]


def _find_current_story(around: Surroundings) -> Story | None:
    match = _WORK.match(around.work) or _BRANCH.search(around.branch.lower())
    if match:
        named_story = _find_story(around, int(match["epic"]), int(match["story"]))
        # A branch may hold other numbers (a version, a date); only a story that is there counts.
        if named_story or "story" in around.branch.lower():
            return named_story or Story(epic=int(match["epic"]), number=int(match["story"]))
    going_on = [story for story in read_stories(around.files) if story.status in GOING_ON]
    going_on.sort(key=lambda story: GOING_ON.index(story.status))
    return going_on[0] if going_on else None


def _find_story(around: Surroundings, epic: int, number: int) -> Story | None:
    return next((one for one in read_stories(around.files) if (one.epic, one.number) == (epic, number)), None)


BMAD = Methodology(
    id="bmad",
    name="BMAD (epics and stories)",
    phases={
        "analyst": Phase.DEFINE,
        "pm": Phase.DEFINE,
        "architect": Phase.DEFINE,
        "story_creation": Phase.DEFINE,
        "dev": Phase.IMPLEMENT,
        "story_development": Phase.IMPLEMENT,
        "qa": Phase.VALIDATE,
        "story_acceptance": Phase.VALIDATE,
        "correct_course": Phase.REFINE,
        "sm": Phase.REFLECT,
        "retrospective": Phase.REFLECT,
        "research": Phase.EXPLORE,
    },
    relays=(
        Relay(source="analyst", target="architect"),
        Relay(source="architect", target="dev"),
        Relay(source="dev", target="qa"),
        Relay(source="qa", target="sm", kinds=("decision", "module_insight")),
    ),
    kinds=(
        Kind(
            name="acceptance_criterion",
            group="work",
            heading="Acceptance criteria that hold",
            scope=Scope.WORK_UNIT,
            needs_review=True,
            fields={"story": Field(type="text"), "number": Field(type="integer", low=0)},
        ),
    ),
    detect=detect,
    unit=unit,
    stage=stage,
    work_state=work_state,
    tell_state=tell_state,
    tell_relay=tell_relay,
    on_work_unit_complete=collect_criteria,
)
