"""How commits are named, by the subjects of the newest ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from recollect.codegraph.habits.detector import Detector, stated
from recollect.model.survey import Habit

_CONVENTIONAL = re.compile(
    r"(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(?:\([^)]*\))?!?: ", re.IGNORECASE
)
_SCOPED = re.compile(r"[\w./-]+: \S")
_NUMBERED = re.compile(r"(?:\(#\d+\)|\b(?:#\d+|[A-Z]{2,}-\d+))")

_FORM = Detector(
    topic="form of commit subjects",
    units="newest commits",
    says="{value}",
    votes=lambda source, project: (),
    fewest=20,
)
_ISSUE = Detector(
    topic="issues in commit subjects",
    units="newest commits",
    says="name {value} in their subject",
    votes=lambda source, project: (),
    fewest=20,
)


def commit_habits(subjects: Iterable[str]) -> list[Habit]:
    """What the subjects of commits have in common."""
    listed = list(subjects)
    counts = (
        (_FORM, Counter(_form(subject) for subject in listed)),
        (_ISSUE, Counter("an issue or a pull request" if _NUMBERED.search(one) else "" for one in listed)),
    )
    found = (stated(detector, "", {"": cast}) for detector, cast in counts if cast)
    return [habit for habit in found if habit is not None]


def _form(subject: str) -> str:
    if _CONVENTIONAL.match(subject):
        return "begin with a type, as in `feat: …` or `fix(scope): …`"
    if _SCOPED.match(subject):
        return "begin with a place and a colon, as in `parser: …`"
    return "are a sentence that begins with a capital letter" if subject[:1].isupper() else ""
