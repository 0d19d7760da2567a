"""The table of habit detectors, a row each, and what they find in a project; and habits in commit subjects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from recollect.codegraph.habits import documenting, naming, testing, using, writing
from recollect.codegraph.habits.detector import Detector, state_habit
from recollect.codegraph.habits.settings import read_declared
from recollect.codegraph.habits.source import HabitProject, SourceFile
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


def find_commit_habits(subjects: Iterable[str]) -> list[Habit]:
    """What the subjects of commits have in common."""
    listed = list(subjects)
    counts = (
        (_FORM, Counter(_form(subject) for subject in listed)),
        (_ISSUE, Counter("an issue or a pull request" if _NUMBERED.search(one) else "" for one in listed)),
    )
    habits = (state_habit(detector, "", {"": cast}) for detector, cast in counts if cast)
    return [habit for habit in habits if habit is not None]


def _form(subject: str) -> str:
    if _CONVENTIONAL.match(subject):
        return "begin with a type, as in `feat: …` or `fix(scope): …`"
    if _SCOPED.match(subject):
        return "begin with a place and a colon, as in `parser: …`"
    return "are a sentence that begins with a capital letter" if subject[:1].isupper() else ""


DETECTORS: tuple[Detector, ...] = (
    Detector(topic="test framework", units="test files", says="use {value}", votes=testing.framework),
    Detector(
        topic="names of test files", units="test files", says="are named `{value}`", votes=testing.naming
    ),
    Detector(topic="place of tests", units="test files", says="{value}", votes=testing.place),
    Detector(topic="set-up of tests", units="test files", says="use {value}", votes=testing.setup),
    Detector(topic="assertions", units="test files", says="mostly use {value}", votes=testing.assertion),
    Detector(
        topic="names of functions",
        units="functions of several words",
        says="are named in {value}",
        votes=naming.functions,
        share=0.9,
    ),
    Detector(
        topic="names of classes",
        units="classes and other types",
        says="are named in {value}",
        votes=naming.classes,
        share=0.9,
    ),
    Detector(
        topic="names of files",
        units="files of several words",
        says="are named in {value}",
        votes=naming.files,
    ),
    Detector(
        topic="names of exceptions", units="exception classes", says="end in {value}", votes=naming.errors
    ),
    Detector(
        topic="root of exceptions",
        units="exception classes",
        says="come from `{value}`",
        votes=naming.error_roots,
    ),
    Detector(
        topic="return types",
        units="functions",
        says="say what they return",
        votes=documenting.types,
        fewest=10,
    ),
    Detector(
        topic="documentation",
        units="public functions and types",
        says="are {value}",
        votes=documenting.public,
        fewest=10,
    ),
    Detector(
        topic="module docstrings", units="files", says="begin with a {value}", votes=documenting.modules
    ),
    Detector(
        topic="documented parameters",
        units="doc comments that name parameters",
        says="use {value}",
        votes=documenting.parameters,
    ),
    Detector(
        topic="annotations",
        units="files with definitions",
        says="begin with `from __future__ import annotations`",
        votes=documenting.later_annotations,
    ),
    Detector(
        topic="licence headers",
        units="files",
        says="begin with a licence or copyright line",
        votes=documenting.licence,
    ),
    Detector(
        topic="imports of own code",
        units="imports of own code",
        says="are {value}",
        votes=writing.import_style,
        fewest=10,
    ),
    Detector(
        topic="endings in imports",
        units="relative imports",
        says="are written {value}",
        votes=writing.import_endings,
        fewest=10,
    ),
    Detector(
        topic="module system", units="files with imports", says="use {value}", votes=writing.module_system
    ),
    Detector(topic="exports", units="files with exports", says="export {value} only", votes=writing.exports),
    Detector(
        topic="public names",
        units="packages that pass names on",
        says="list them in `{value}`",
        votes=writing.public_names,
        fewest=4,
    ),
    Detector(
        topic="indentation", units="files", says="indent by {value}", votes=writing.indentation, share=0.9
    ),
    Detector(topic="quotes", units="files", says="write strings in {value}", votes=writing.quotes),
    Detector(topic="semicolons", units="files", says="end statements {value}", votes=writing.semicolons),
    Detector(
        topic="string formatting",
        units="files that format strings",
        says="use {value}",
        votes=writing.string_formatting,
    ),
    Detector(
        topic="messages",
        units="files that tell what they do",
        says="use {value}",
        votes=using.messages,
        fewest=4,
    ),
    Detector(
        topic="paths", units="files that handle paths", says="use {value} alone", votes=using.paths, fewest=4
    ),
    Detector(
        topic="asynchrony",
        units="functions",
        says="are {value}",
        votes=using.asynchrony,
        share=0.9,
        fewest=20,
    ),
    Detector(
        topic="value classes",
        units="classes that hold values",
        says="are {value}",
        votes=using.values,
        fewest=4,
    ),
    Detector(
        topic="command line",
        units="files that read a command line",
        says="use {value}",
        votes=using.command_lines,
        fewest=2,
    ),
    Detector(
        topic="except clauses",
        units="except clauses",
        says="name what they expect, and not just Exception",
        votes=using.handled,
        fewest=10,
    ),
    Detector(
        topic="wrapped errors",
        units="files that make errors",
        says="pass them on by {value}",
        votes=using.wrapped,
    ),
)


def find_habits(
    sources: Iterable[tuple[str, SourceFile]], project: HabitProject, subjects: Iterable[str] = ()
) -> list[Habit]:
    """How a project is written: files with the part each belongs to, what holds for all, subjects of commits."""
    cast: dict[tuple[int, str], dict[str, Counter[str]]] = {}
    for part, source in sources:
        for place, detector in enumerate(DETECTORS):
            votes = Counter(detector.votes(source, project))
            if votes:
                cast.setdefault((place, source.language), {}).setdefault(part, Counter()).update(votes)
    counted = (
        state_habit(DETECTORS[place], language, by_part)
        for (place, language), by_part in sorted(cast.items())
    )
    return [*(habit for habit in counted if habit), *read_declared(project), *find_commit_habits(subjects)]
