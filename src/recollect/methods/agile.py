"""
Agile: stories in sprints, by their ids in branch names (`sprint-12/US47-login`, `feature/SHOP-123`) and in files.

A sprint file is `sprints/sprint-12.md` or `docs/sprints/12.md`: boxes with a story's id, ticked when it is done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from recollect.methods import wording
from recollect.methods.wording import join_sentences, list_decisions, list_sentence, read_text, read_texts
from recollect.model.method import Methodology, ReadableFiles, Relay, Surroundings
from recollect.model.phase import Phase
from recollect.model.scope import WorkRef
from recollect.model.value import dataclass

_SPRINT_FILES = ("sprints/*.md", "docs/sprints/*.md", "docs/agile/*.md", "docs/scrum/*.md", "sprint*.md")
_SPRINT_NUMBER = re.compile(r"(?:^|/)(?:sprint[-_ ]?)?(?P<number>\d{1,4})[^/]*\.md$", re.IGNORECASE)
_IN_BRANCH = re.compile(r"(?:^|[/_-])sprint[-_/]?(?P<number>\d{1,4})(?=[/_-]|$)", re.IGNORECASE)
# `US47`, `us-47`, `story-47`, and the keys of trackers: `SHOP-123`. Releases and encodings look like keys and are none.
_STORY = re.compile(
    r"(?<![A-Za-z0-9])(?P<prefix>us|story|st)[-_ /]?(?P<number>\d{1,6})(?![A-Za-z0-9]|[.-]\d)", re.IGNORECASE
)
_KEY = re.compile(r"(?<![A-Za-z0-9])(?P<prefix>[A-Z][A-Z0-9]{1,9})-(?P<number>\d{1,6})(?![A-Za-z0-9.])")
_NO_KEYS = frozenset({"UTF", "ISO", "RFC", "SHA", "V", "RC", "CVE", "HTTP", "PY", "WIP", "SPRINT"})
_STAGES = {
    "spike": "spike",
    "research": "spike",
    "fix": "bugfix",
    "bugfix": "bugfix",
    "hotfix": "bugfix",
    "refactor": "tech_debt",
    "chore": "tech_debt",
    "techdebt": "tech_debt",
    "tech-debt": "tech_debt",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sprint:
    number: int
    path: str
    done: tuple[str, ...]
    open: tuple[str, ...]
    titles: Mapping[str, str]


def detect(around: Surroundings) -> str:
    """A file of a sprint, or a branch that is named after a story."""
    sprint = _find_newest(around.files)
    if sprint:
        return f"it has {sprint.path}"
    story = _find_story(around.branch)
    return f"the branch {around.branch} names {story}" if story else ""


def unit(around: Surroundings) -> WorkRef | None:
    """The story the branch names, inside its sprint."""
    story, sprint = _find_story(around.branch), _read_sprint_number(around)
    if not story:
        return None
    outer = (f"sprint_{sprint}",) if sprint else ()
    shown = f"Sprint {sprint} / " if sprint else ""
    return WorkRef(methodology="agile", hierarchy=(*outer, f"story_{story}"), label=f"{shown}Story {story}")


def stage(around: Surroundings) -> str:
    """What kind of work the branch says it is; a plain feature is told by its deeds."""
    return _STAGES.get(around.branch.lower().partition("/")[0], "")


def work_state(around: Surroundings) -> Mapping[str, object]:
    """The story at hand, and what its sprint has done and still holds; nothing once the story is ticked."""
    story, sprint = _find_story(around.branch) or _find_story(around.work), _find_sprint(around)
    if not story or (sprint and story in sprint.done):
        return {}
    state: dict[str, object] = {"story": story, "key_decisions": list_decisions(around.deeds)}
    if sprint is None:
        return state
    return state | {
        "sprint": str(sprint.number),
        "title": sprint.titles.get(story, "")[:200],
        "stories_done": list(sprint.done),
        "stories_open": list(sprint.open),
    }


def tell_state(state: Mapping[str, object]) -> str:
    """Where the sprint stands, in a few sentences."""
    story, title, sprint = read_text(state, "story"), read_text(state, "title"), read_text(state, "sprint")
    about = f" {wording.quote_line(title)}" if title else ""
    return join_sentences(
        f"Story {story}{about}{f' of sprint {sprint}' if sprint else ''}." if story else "",
        list_sentence("Stories done", read_texts(state, "stories_done")),
        list_sentence("Stories open", (one for one in read_texts(state, "stories_open") if one != story)),
        list_sentence("Decided", read_texts(state, "key_decisions")),
    )


def _find_story(words: str) -> str:
    if match := _STORY.search(words):
        prefix = "US" if match["prefix"].lower() == "us" else ""
        return f"{prefix}{match['number']}"
    key = next((one for one in _KEY.finditer(words) if one["prefix"] not in _NO_KEYS), None)
    return f"{key['prefix']}-{key['number']}" if key else ""


def _read_sprint_number(around: Surroundings) -> int | None:
    if match := _IN_BRANCH.search(around.branch):
        return int(match["number"])
    sprint = _find_sprint(around)
    return sprint.number if sprint else None


def _find_sprint(around: Surroundings) -> _Sprint | None:
    """The sprint the branch names, else the one that lists its story, else the newest."""
    sprints = _list_sprints(around.files)
    match = _IN_BRANCH.search(around.branch)
    story = _find_story(around.branch)
    if match:
        return next((one for one in sprints if one.number == int(match["number"])), None)
    listing = [one for one in sprints if story and story in (*one.done, *one.open)]
    likely = listing or sprints
    return likely[-1] if likely else None


def _find_newest(files: ReadableFiles) -> _Sprint | None:
    sprints = _list_sprints(files)
    return sprints[-1] if sprints else None


def _list_sprints(files: ReadableFiles) -> list[_Sprint]:
    paths = dict.fromkeys(path for pattern in _SPRINT_FILES for path in files.names(pattern))
    numbered = [(int(match["number"]), path) for path in paths if (match := _SPRINT_NUMBER.search(path))]
    return [_read_sprint(files, number, path) for number, path in sorted(numbered)]


def _read_sprint(files: ReadableFiles, number: int, path: str) -> _Sprint:
    done: list[str] = []
    still_open: list[str] = []
    titles: dict[str, str] = {}
    for box in wording.read_checkboxes(files.text(path).splitlines()):
        if story := _find_story(box.text):
            (done if box.done else still_open).append(story)
            titles[story] = _KEY.sub("", _STORY.sub("", box.text, count=1), count=1).strip(" :–-*[]()")
    return _Sprint(number=number, path=path, done=tuple(done), open=tuple(still_open), titles=titles)


AGILE = Methodology(
    id="agile",
    name="Agile (sprints and stories)",
    phases={
        "backlog_refinement": Phase.DEFINE,
        "sprint_planning": Phase.DEFINE,
        "story_writing": Phase.DEFINE,
        "development": Phase.IMPLEMENT,
        "in_progress": Phase.IMPLEMENT,
        "testing": Phase.VALIDATE,
        "code_review": Phase.VALIDATE,
        "sprint_review": Phase.VALIDATE,
        "tech_debt": Phase.REFINE,
        "bugfix": Phase.REFINE,
        "spike": Phase.EXPLORE,
        "retrospective": Phase.REFLECT,
        # The stages, by who is at work in them.
        "product_owner": Phase.DEFINE,
        "developer": Phase.IMPLEMENT,
        "tester": Phase.VALIDATE,
        "scrum_master": Phase.REFLECT,
    },
    relays=(
        Relay(source="product_owner", target="developer"),
        Relay(source="developer", target="tester"),
        Relay(source="tester", target="developer", kinds=("error_pattern", "requirement", "issue")),
        Relay(source="tester", target="scrum_master", kinds=("decision", "work_unit_outcome", "dead_end")),
    ),
    detect=detect,
    unit=unit,
    stage=stage,
    work_state=work_state,
    tell_state=tell_state,
)
