"""Detectors of documentation habits: docstrings and comments, their style, types, licence headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.codegraph.habits.source import SCRIPT, HabitProject, SourceFile, own_definitions
from recollect.codegraph.outline import Definition

_HEADER_LINES = 15
_DECORATION = re.compile(r"\s*(?:@|#\[|\[)")
_COMMENT_END = re.compile(r"\*/\s*\Z|\A\s*(?:///|//|#(?!\[|!))")
_QUOTES = re.compile(r"\s*[rRuUbB]{0,2}(\"\"\"|'''|\"|')")
_PARAMETER_STYLES = (
    ("the reST style (`:param`)", re.compile(r"^\s*:(?:param|returns?|raises)\b", re.MULTILINE)),
    ("the NumPy style", re.compile(r"^\s*(?:Parameters|Returns|Raises)\n\s*-{3,}", re.MULTILINE)),
    (
        "the Google style (`Args:`)",
        re.compile(r"^\s*(?:Args|Arguments|Returns|Raises|Yields):\s*$", re.MULTILINE),
    ),
)
_DOC_TAGS = re.compile(r"^\s*\*\s*@(?:param|returns?|template|throws)\b", re.MULTILINE)
_DOC_BLOCK = re.compile(r"/\*\*.*?\*/", re.DOTALL)
_LICENCE = re.compile(r"copyright|spdx-license-identifier|licensed under", re.IGNORECASE)
# The grammar tells it apart from other imports, and the outline does not hold it.
_LATER = re.compile(r"^from __future__ import .*\bannotations\b", re.MULTILINE)
_COMMENTED = frozenset({"Go", "Rust", "Java", "C#", "PHP", "Ruby", "C", "C++"}) | SCRIPT
_MAX_HEADER_LINES = 30


def public(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each public function and class of a file says what it is for."""
    if source.language != "Python" and source.language not in _COMMENTED:
        return
    for one in own_definitions(source, "function", "class", "interface"):
        if one.exported and one.parent < 0:
            yield _read_described(source, one)


def modules(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each Python file begins with a docstring."""
    if source.language == "Python" and not source.is_test and source.text.strip():
        yield "docstring" if read_module_docstring(source) else ""


def parameters(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """How docstrings that name parameters do so."""
    if source.is_test:
        return
    if source.language == "Python":
        for one in own_definitions(source, "function", "method", "class"):
            docstring = read_docstring(source, one)
            style = next((name for name, pattern in _PARAMETER_STYLES if pattern.search(docstring)), "")
            if style:
                yield style
    elif source.language in SCRIPT:
        for block in _DOC_BLOCK.findall(source.text):
            if _DOC_TAGS.search(block):
                yield (
                    "JSDoc tags with types"
                    if re.search(r"@param\s+\{", block)
                    else "JSDoc tags without types"
                )


def types(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each function says what it returns, where that is a choice."""
    if source.language in ("Python", "PHP"):
        for one in own_definitions(source, "function", "method"):
            if one.name not in ("__init__", "__construct"):
                yield "typed" if one.returns else ""


def later_annotations(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each Python file with definitions asks for annotations that are not evaluated."""
    if source.language == "Python" and source.outline.definitions:
        yield "future" if _LATER.search(source.text) else ""


def licence(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each file begins with a licence or copyright line."""
    if source.text.strip():
        head = "\n".join(source.lines[:_HEADER_LINES])
        yield "licence" if _LICENCE.search(head) else ""


def read_module_docstring(source: SourceFile) -> str:
    """The docstring a Python file begins with."""
    for number, line in enumerate(source.lines[:_MAX_HEADER_LINES], start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            return _string_at(source, number)
    return ""


def read_docstring(source: SourceFile, one: Definition) -> str:
    """The docstring of a Python definition."""
    depth = 0
    for number in range(one.line, min(one.end_line, one.line + _MAX_HEADER_LINES) + 1):
        code = source.line(number).partition("#")[0].rstrip()
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        if depth <= 0 and code.endswith(":"):
            return _string_at(source, number + 1)
    return ""


def _read_described(source: SourceFile, one: Definition) -> str:
    if source.language == "Python":
        return "documented" if read_docstring(source, one) else ""
    number = one.line - 1
    while number > 0 and (
        _DECORATION.match(source.line(number)) and not _COMMENT_END.search(source.line(number))
    ):
        number -= 1
    return "documented" if _COMMENT_END.search(source.line(number)) else ""


def _string_at(source: SourceFile, number: int) -> str:
    while number <= len(source.lines) and not source.line(number).strip():
        number += 1
    opened = _QUOTES.match(source.line(number))
    if opened is None:
        return ""
    rest = "\n".join([source.line(number)[opened.end() :], *source.lines[number : number + 60]])
    return rest.partition(opened[1])[0]
