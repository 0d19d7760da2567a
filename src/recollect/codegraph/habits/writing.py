"""Detectors of layout habits: imports, exports, indentation, quotes, string formatting."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from recollect.codegraph.habits.source import SCRIPT, HabitProject, SourceFile

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DOUBLE = re.compile(r'(?<![\w"\\])[rbfu]?"(?!"")[^"\n]*"')
_SINGLE = re.compile(r"(?<![\w'\\])[rbfu]?'(?!'')[^'\n]*'")
_CODE_ENDING = re.compile(r"\.[cm]?[jt]sx?\Z")
_REQUIRE = re.compile(r"\brequire\(['\"]")
_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
# Statements that fit on their line, so that its end is theirs.
_STATEMENT = re.compile(
    r"^\s*(?:import .*['\"]|(?:const|let|var) [\w$]+ = [^({\[`]*[\w$'\")]|return [^({\[`]*[\w$'\")]|[\w$.]+\(\));?$",
    re.MULTILINE,
)
_F_STRING = re.compile(r"(?<![\w\"'])[rR]?[fF][rR]?[\"']")
_FORMAT_CALL = re.compile(r"[\"']\.format\(")
_PERCENT = re.compile(r"[\"'] % [\w(\[{]")
_HAS_NAMES = re.compile(r"^__all__\b", re.MULTILINE)
# So much of a file tells how it is written.
_ENOUGH = 20_000
_MIN_QUOTES = 5
_MIN_STATEMENTS = 5
# Quotes are a choice there; elsewhere the two mean different things.
_QUOTE_LANGUAGES = frozenset({"Python"}) | SCRIPT
_INDENTED_BY_TOOL = frozenset({"Go"})


def import_style(source: SourceFile, project: HabitProject) -> Iterator[str]:
    """Whether each import of the project's own code is relative or absolute."""
    if source.language != "Python" or source.is_test:
        return
    for statement in source.outline.imports:
        if statement.module.startswith("."):
            yield "relative"
        elif statement.module.partition(".")[0] in project.tops:
            yield "absolute"


def import_endings(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each relative import names the file's ending."""
    if source.language in SCRIPT:
        for statement in source.outline.imports:
            if statement.module.startswith("."):
                ending = _CODE_ENDING.search(statement.module)
                yield f"with the ending `{ending[0]}`" if ending else "without an ending"


def module_system(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each file imports or requires."""
    if source.language in SCRIPT and source.outline.imports:
        required = len(_REQUIRE.findall(source.text))
        imported = len(source.outline.imports) - required
        yield "import" if imported > required else "require"


def exports(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each file that exports something does so by name or as the default."""
    if source.language in SCRIPT and not source.is_test:
        has_default = re.search(r"^export default\b", source.text, re.MULTILINE) is not None
        has_names = re.search(r"^export (?!default\b)", source.text, re.MULTILINE) is not None
        if has_default or has_names:
            yield "names" if not has_default else "a default" if not has_names else ""


def public_names(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each Python package that passes names on lists them in `__all__`."""
    if source.name == "__init__.py" and not source.is_test and source.outline.imports:
        yield "__all__" if _HAS_NAMES.search(source.text) else ""


def indentation(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """By what each file indents."""
    if source.language in _INDENTED_BY_TOOL:
        return
    depths = _INDENT.findall(source.text[:_ENOUGH])
    tabs = sum(depth.startswith("\t") for depth in depths)
    if len(depths) < _MIN_STATEMENTS:
        return
    if tabs > len(depths) / 2:
        yield "tabs"
        return
    steps = Counter(
        after - before
        for before, after in _steps([len(depth) for depth in depths if not depth.startswith("\t")])
        if after - before in (2, 3, 4, 8)
    )
    if steps:
        yield f"{min(steps, key=lambda step: (-steps[step], step))} spaces"


def quotes(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Which quotes each file uses for strings that hold neither."""
    if source.language not in _QUOTE_LANGUAGES:
        return
    begun = source.text[:_ENOUGH]
    text = _COMMENT.sub("", begun) if source.language in SCRIPT else begun
    double = sum("'" not in literal for literal in _DOUBLE.findall(text))
    single = sum('"' not in literal for literal in _SINGLE.findall(text))
    if double + single >= _MIN_QUOTES:
        yield "double quotes" if double > 4 * single else "single quotes" if single > 4 * double else ""


def semicolons(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether statements of each file end in a semicolon."""
    if source.language in SCRIPT:
        endings = [line.endswith(";") for line in _STATEMENT.findall(_COMMENT.sub("", source.text[:_ENOUGH]))]
        if len(endings) >= _MIN_STATEMENTS:
            with_it = sum(endings) / len(endings)
            yield "with a semicolon" if with_it > 0.9 else "without a semicolon" if with_it < 0.1 else ""


def string_formatting(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """How each Python file puts values into strings."""
    if source.language == "Python":
        text = source.text[:_ENOUGH]
        counts = {
            "f-strings": len(_F_STRING.findall(text)),
            "str.format": len(_FORMAT_CALL.findall(text)),
            "the % operator": len(_PERCENT.findall(text)),
        }
        best = max(counts, key=lambda style: counts[style])
        if counts[best]:
            yield best if counts[best] > 2 * (sum(counts.values()) - counts[best]) else ""


def _steps(depths: list[int]) -> Iterator[tuple[int, int]]:
    before = 0
    for depth in depths:
        if depth > before:
            yield before, depth
        before = depth
