"""BMAD: epics and stories, handed from analyst to architect to developer to QA to scrum master."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.methods import markdown
from recollect.methods.bmad_files import DONE, GOING_ON, MARKS, Story, criteria, epic_title, stories, tasks
from recollect.methods.sentences import decisions, joined, said, text, texts
from recollect.model.kinds import Field, Kind
from recollect.model.memory import Memory
from recollect.model.method import Addition, Finished, Methodology, Relay, Section, Surroundings
from recollect.model.phase import Phase
from recollect.model.scope import Scope
from recollect.model.workref import WorkRef

_BRANCH = re.compile(r"(?:^|[/_-])(?:story|epic)?[/_-]?(?P<epic>\d{1,3})[._-](?P<story>\d{1,3})(?=[._/-]|$)")
_WORK = re.compile(r"bmad:epic_(?P<epic>\d{1,3})/story_\d{1,3}_(?P<story>\d{1,3})")
_STAGES = {
    "draft": "story_creation",
    "drafted": "story_creation",
    "review": "story_acceptance",
    "ready_for_review": "story_acceptance",
    "in_review": "story_acceptance",
}
MOST_CRITERIA = 12


def detect(around: Surroundings) -> str:
    """BMAD's own configuration, or a list of its stories."""
    path = next((path for mark in MARKS for path in around.files.names(mark)), "")
    return f"it has {path}" if path else ""


def unit(around: Surroundings) -> WorkRef | None:
    """The story the branch names; without one, the one that is in progress."""
    story = _current(around)
    if story is None:
        return None
    title = epic_title(around.files, story.epic)
    epic = f"Epic {story.epic}" + (f" {title}" if title else "")
    return WorkRef(
        methodology="bmad",
        hierarchy=(f"epic_{story.epic}", f"story_{story.epic}_{story.number}"),
        label=f"{epic} / Story {story.name}" + (f" {story.title}" if story.title else ""),
    )


def stage(around: Surroundings) -> str:
    """A draft is being written, a story under review accepted; else the deeds tell."""
    story = _current(around)
    return _STAGES.get(story.status, "") if story else ""


def work_state(around: Surroundings) -> Mapping[str, object]:
    """Which stories are done, which is current, what it still lacks; nothing once it is done."""
    known, story = stories(around.files), _current(around)
    if story is None or story.status in DONE:
        return {}
    told = around.files.text(story.path) if story.path else ""
    found, work = criteria(told), tasks(told)
    return {
        "stories_completed": [one.name for one in known if one.status in DONE],
        "current_story": story.name,
        "title": story.title[:200],
        "status": story.status,
        "tasks_done": [task.text[:120] for task in work if task.done],
        "tasks_open": [task.text[:120] for task in work if not task.done],
        "acceptance_criteria_status": {str(one.number): "met" if one.met else "open" for one in found},
        "key_decisions": decisions(around.deeds),
    }


def tell_state(state: Mapping[str, object]) -> str:
    """Where the story stands, in a few sentences."""
    current, title = text(state, "current_story"), text(state, "title")
    criteria_status = state.get("acceptance_criteria_status")
    by_number = criteria_status if isinstance(criteria_status, Mapping) else {}
    is_open = [f"#{number}" for number, how in by_number.items() if how != "met"]
    about = f" {markdown.quoted(title)}" if title else ""
    status = f", {text(state, 'status').replace('_', ' ')}" if text(state, "status") else ""
    met = f"{len(by_number) - len(is_open)} of {len(by_number)} acceptance criteria are met"
    return joined(
        f"Story {current}{about}{status}." if current else "",
        said("Tasks done", map(markdown.quoted, texts(state, "tasks_done"))),
        said("Tasks open", map(markdown.quoted, texts(state, "tasks_open"))),
        (f"{met}; open: {', '.join(is_open)}." if is_open else f"{met}.") if by_number else "",
        said("Stories done", texts(state, "stories_completed")),
        said("Decided", texts(state, "key_decisions")),
    )


def tell_relay(memories: Sequence[Memory], relay: Relay) -> Sequence[Section]:
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
        Section(heading=f"{heading}, from {relay.source} to {relay.target}", memories=found)
        for heading, found in parted
        if found
    ]


def completed(around: Surroundings, done: Finished) -> Sequence[Addition]:
    """The criteria that a story met: a later change must not break them."""
    named = _WORK.match(str(done.work))
    if not named or not done.succeeded:
        return ()
    story = _called(around, int(named["epic"]), int(named["story"]))
    told = around.files.text(story.path) if story and story.path else ""
    return [
        Addition(
            kind="acceptance_criterion",
            text=f"Story {named['epic']}.{named['story']} meets criterion {one.number}: {markdown.quoted(one.text)}.",
            fields={"story": f"{named['epic']}.{named['story']}", "number": one.number},
            files=done.files[:6],
        )
        for one in criteria(told)[:MOST_CRITERIA]
        if one.met
    ]


def _current(around: Surroundings) -> Story | None:
    named = _WORK.match(around.work) or _BRANCH.search(around.branch.lower())
    if named:
        known = _called(around, int(named["epic"]), int(named["story"]))
        # A branch may hold other numbers (a version, a date); only a story that is there counts.
        if known or "story" in around.branch.lower():
            return known or Story(epic=int(named["epic"]), number=int(named["story"]))
    going_on = [story for story in stories(around.files) if story.status in GOING_ON]
    going_on.sort(key=lambda story: GOING_ON.index(story.status))
    return going_on[0] if going_on else None


def _called(around: Surroundings, epic: int, number: int) -> Story | None:
    return next((one for one in stories(around.files) if (one.epic, one.number) == (epic, number)), None)


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
    on_work_unit_complete=completed,
)
