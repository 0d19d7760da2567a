"""
The files BMAD keeps: epics, stories, and how far each has come.

Version 4 has `docs/stories/3.2.title.md` with a heading `Status`; version 6 has `3-2-title.md` with `Status: …` and all
statuses once more in `sprint-status.yaml`, which wins where both speak.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.methods import wording
from recollect.model.method import ReadableFiles
from recollect.model.value import dataclass

_STATUS_FILES = (
    "sprint-status.yaml",
    "docs/sprint-status.yaml",
    "docs/*/sprint-status.yaml",
    "_bmad-output/sprint-status.yaml",
    "_bmad-output/*/sprint-status.yaml",
)
MARKS = (
    ".bmad-core/core-config.yaml",
    "_bmad/*/config.yaml",
    "bmad/*/config.yaml",
    ".bmad/*/config.yaml",
    *_STATUS_FILES,
)
_STORY_FILES = (
    "docs/stories/*.md",
    "stories/*.md",
    "docs/sprint-artifacts/*.md",
    "docs/*/stories/*.md",
    "_bmad-output/*/*.md",
    "_bmad-output/*/stories/*.md",
)
_STORY_NAME = re.compile(r"(?:^|/)(?:story-)?(?P<epic>\d{1,3})[.-](?P<story>\d{1,3})(?=[.-])[^/]*\.md$")
_STATUS_LINE = re.compile(
    r"^\s{1,8}(?P<epic>\d{1,3})-(?P<story>\d{1,3})-(?P<title>[\w.-]{1,120}):\s*(?P<status>[\w-]{1,40})"
)
_EPIC_HEADING = re.compile(
    r"^#{1,3}\s+Epic\s+(?P<number>\d{1,3})\s*[:.–-]?\s*(?P<title>.{0,120})$", re.IGNORECASE
)
_EPIC_FILES = (
    "docs/epics.md",
    "docs/epic*.md",
    "docs/prd/epic-*.md",
    "docs/prd.md",
    "_bmad-output/*/epics.md",
)
_CRITERION = re.compile(
    r"^\s{0,3}(?:(?:[-*]\s+)?(?:\*\*)?AC\s*#?)?(?P<number>\d{1,2})(?:\*\*)?[.):]\s+(?P<text>.{3,400})"
)
_NAMES_CRITERIA = re.compile(r"\(ACs?:?\s*(?P<numbers>[#\d,\s&and-]{1,40})\)", re.IGNORECASE)

DONE = frozenset({"done", "completed", "complete", "accepted"})
GOING_ON = ("in_progress", "inprogress", "review", "ready_for_review", "in_review")


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story and how far it has come."""

    epic: int
    number: int
    title: str = ""
    status: str = ""
    path: str = ""

    @property
    def name(self) -> str:
        """As people call it: 3.2."""
        return f"{self.epic}.{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """An acceptance criterion; it is met when every task that names it is done."""

    number: int
    text: str
    met: bool


def read_stories(files: ReadableFiles) -> list[Story]:
    """Every story, in order."""
    stories: dict[tuple[int, int], Story] = {}
    for path in _list_names(files, _STORY_FILES):
        if name := _STORY_NAME.search(path):
            text = files.text(path)
            key = int(name["epic"]), int(name["story"])
            stories[key] = Story(
                epic=key[0],
                number=key[1],
                title=_read_story_title(text),
                status=wording.read_status(text),
                path=path,
            )
    for key, title, status in _read_statuses(files):
        story = stories.get(key, Story(epic=key[0], number=key[1], title=title))
        stories[key] = Story(
            epic=key[0], number=key[1], title=story.title or title, status=status, path=story.path
        )
    return [stories[key] for key in sorted(stories)]


def read_epic_title(files: ReadableFiles, epic: int) -> str:
    """What an epic is called, if a file says so."""
    for path in _list_names(files, _EPIC_FILES):
        for line in files.text(path).splitlines():
            heading = _EPIC_HEADING.match(line)
            if heading and int(heading["number"]) == epic:
                return heading["title"].strip()
    return ""


def read_tasks(story_text: str) -> list[wording.Checkbox]:
    """The outermost tasks of a story."""
    return [
        box for box in wording.read_checkboxes(wording.read_section(story_text, "Tasks")) if box.depth == 0
    ]


def read_criteria(story_text: str) -> list[Criterion]:
    """The acceptance criteria of a story."""
    named_by: dict[int, list[bool]] = {}
    for task in read_tasks(story_text):
        for number in _criteria_in_task(task.text):
            named_by.setdefault(number, []).append(task.done)
    criteria: list[Criterion] = []
    for line in wording.read_section(story_text, "Acceptance Criteria"):
        if one := _CRITERION.match(line):
            number = int(one["number"])
            ticks = named_by.get(number, [])
            text = one["text"].strip().replace("**", "")
            criteria.append(Criterion(number=number, text=text, met=bool(ticks) and all(ticks)))
    return criteria


def _criteria_in_task(task: str) -> list[int]:
    match = _NAMES_CRITERIA.search(task)
    return [int(number) for number in re.findall(r"\d{1,2}", match["numbers"])] if match else []


def _read_statuses(files: ReadableFiles) -> Iterable[tuple[tuple[int, int], str, str]]:
    for path in _list_names(files, _STATUS_FILES):
        for line in files.text(path).splitlines():
            if match := _STATUS_LINE.match(line):
                key = int(match["epic"]), int(match["story"])
                yield key, match["title"].replace("-", " "), wording.normalize_status(match["status"])


def _read_story_title(text: str) -> str:
    # "Story 3.2: Token refresh" says its number twice.
    return re.sub(r"^Story\s+[\d.-]{1,9}\s*[:–-]?\s*", "", wording.read_title(text))


def _list_names(files: ReadableFiles, patterns: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(path for pattern in patterns for path in files.names(pattern)))
