"""Detectors of naming habits: functions, classes, files, exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.codegraph.habits.source import HabitProject, SourceFile, own_definitions

_CASES = (
    ("snake_case", re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+\Z")),
    ("kebab-case", re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+\Z")),
    ("PascalCase", re.compile(r"(?:[A-Z][a-z0-9]*)+\Z")),
    ("camelCase", re.compile(r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+\Z")),
)
_TEST_MARK = re.compile(r"\Atest[_-]|[._-](?:test|tests|spec)\Z")
_ONE_WORD = re.compile(r"[a-z0-9]+\Z")
# There the first letter says who may see it, and nobody chooses.
_NO_CHOICE = frozenset({"Go"})
_ERROR = re.compile(r"(?:Error|Exception|Failure|Fault|Warning)\Z")


def functions(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """The case of each function and method; a single lower-case word tells nothing."""
    if source.language in _NO_CHOICE:
        return
    for one in own_definitions(source, "function", "method"):
        name = one.name.strip("_$#")
        if not _ONE_WORD.match(name) and not (one.name.startswith("__") and one.name.endswith("__")):
            yield case_of(name)


def classes(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """The case of each class and interface."""
    for one in own_definitions(source, "class", "interface"):
        name = one.name.strip("_$#")
        yield "lower case" if _ONE_WORD.match(name) else case_of(name)


def files(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """The case of each file's name, where it has several words."""
    stem = _TEST_MARK.sub("", source.name.partition(".")[0]).strip("_")
    if stem and not _ONE_WORD.match(stem):
        yield case_of(stem)


def errors(source: SourceFile, project: HabitProject) -> Iterator[str]:
    """How each exception class ends."""
    for one in own_definitions(source, "class"):
        if _is_error(one.bases, project):
            ending = _ERROR.search(one.name)
            yield ending[0] if ending else ""


def error_roots(source: SourceFile, project: HabitProject) -> Iterator[str]:
    """Which class of the project each exception class comes from in the end; those at the root are not counted."""
    for one in own_definitions(source, "class"):
        if _is_error(one.bases, project):
            root = _root(one.name, project)
            if root != one.name:
                yield root
            elif not _has_heirs(one.name, project):
                yield ""


def case_of(name: str) -> str:
    """The case a name of several words is written in; empty for a mixture."""
    return next((case for case, pattern in _CASES if pattern.match(name)), "")


def _is_error(bases: tuple[str, ...], project: HabitProject) -> bool:
    waiting, seen = list(bases), set(bases)
    while waiting:
        base = waiting.pop().lstrip("+").rpartition(".")[2]
        if base in ("Exception", "BaseException", "Error", "Throwable") or base.endswith(
            ("Error", "Exception")
        ):
            return True
        fresh = [above for above in project.bases.get(base, ()) if above not in seen]
        seen.update(fresh)
        waiting += fresh
    return False


def _root(name: str, project: HabitProject) -> str:
    seen = {name}
    while True:
        above = next(
            (
                base
                for written in project.bases.get(name, ())
                if (base := written.lstrip("+").rpartition(".")[2]) in project.bases and base not in seen
            ),
            None,
        )
        if above is None:
            return name
        seen.add(above)
        name = above


def _has_heirs(name: str, project: HabitProject) -> bool:
    return any(
        written.lstrip("+").rpartition(".")[2] == name
        for bases in project.bases.values()
        for written in bases
    )
