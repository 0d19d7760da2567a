"""What detectors read: one source file with its outline, and facts about the whole project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache

from recollect.codegraph.outline import Definition, Outline
from recollect.model.path_kinds import is_test_file
from recollect.model.value import dataclass, field

# Under which name a language is counted; dialects of one language are counted together.
_LANGUAGES = {
    "python": "Python",
    "javascript": "JavaScript",
    "jsx": "JavaScript",
    "typescript": "TypeScript",
    "tsx": "TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "c": "C",
    "cpp": "C++",
    "csharp": "C#",
    "ruby": "Ruby",
    "php": "PHP",
}
SCRIPT = frozenset({"JavaScript", "TypeScript"})

# What a file has that holds tests, beside what tests share.
_TESTS = {
    "Python": re.compile(r"^\s*(?:async )?def test|^class \w*Test", re.MULTILINE),
    "JavaScript": re.compile(r"^\s*(?:it|test|describe)(?:\.\w+)*\(", re.MULTILINE),
    "TypeScript": re.compile(r"^\s*(?:it|test|describe)(?:\.\w+)*\(", re.MULTILINE),
    "Go": re.compile(r"^func (?:Test|Benchmark|Example|Fuzz)", re.MULTILINE),
    "Rust": re.compile(r"^\s*#\[(?:\w+::)?test\b", re.MULTILINE),
    "Java": re.compile(r"^\s*@(?:Parameterized)?Test\b", re.MULTILINE),
    "C#": re.compile(r"^\s*\[(?:Test|Fact|Theory|TestMethod)\b", re.MULTILINE),
    "Ruby": re.compile(r"^\s*(?:describe|it|RSpec\.describe)\b|def test_", re.MULTILINE),
    "PHP": re.compile(r"function test|#\[Test\]|@test\b|^\s*(?:it|test)\("),
    "C++": re.compile(r"^\s*(?:TEST(?:_[FP])?|TEST_CASE|SCENARIO)\(", re.MULTILINE),
}
# Rust keeps unit tests in the file they test, so that no path tells of them.
_TESTS_ANYWHERE = frozenset({"Rust"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file. `is_test`: it holds tests, or what tests share; `holds_tests`: it holds some."""

    path: str
    language: str
    outline: Outline
    text: str
    is_test: bool
    holds_tests: bool

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines."""
        return split_lines(self.text)

    def line(self, number: int) -> str:
        """One line, counted from 1; empty past its end."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def imports(self, *modules: str) -> bool:
        """Whether it imports one of these modules, or something inside them."""
        return any(
            statement.module == module
            or statement.module.startswith((f"{module}.", f"{module}/", f"{module}::"))
            for statement in self.outline.imports
            for module in modules
        )

    def calls(self, *names: str) -> bool:
        """Whether it calls one of these, as they are written."""
        return any(call.callee in names for call in self.outline.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class HabitProject:
    """
    What holds for all files. `settings` are the texts of the settings files at the top, by name; `present` are
    names that lie there; `bases` tells for each class its bases, `tops` how absolute imports of our own begin.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    present: Set[str] = frozenset()
    bases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tops: Set[str] = frozenset()

    def names(self, tool: str) -> bool:
        """Whether the settings that list dependencies name a tool."""
        word = re.compile(rf"(?<![\w/-]){re.escape(tool)}(?![\w-])")
        return any(word.search(self.settings.get(name, "")) for name in _DEPENDENCIES)


_DEPENDENCIES = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "composer.json",
    "Gemfile",
    "pom.xml",
    "build.gradle",
)


def make_source(path: str, language: str, outline: Outline, text: str) -> SourceFile:
    """A file as detectors see it."""
    shown = _LANGUAGES.get(language, language)
    in_tests = is_test_file(path)
    marks = _TESTS.get(shown)
    may_hold = in_tests or shown in _TESTS_ANYWHERE
    return SourceFile(
        path=path,
        language=shown,
        outline=outline,
        text=text,
        is_test=in_tests,
        holds_tests=bool(may_hold and marks and marks.search(text)),
    )


def make_project(
    outlines: Iterable[tuple[str, Outline]], settings: Mapping[str, str], present: Iterable[str]
) -> HabitProject:
    """What holds for all files: their paths with their outlines, and what lies at the top."""
    bases: dict[str, tuple[str, ...]] = {}
    tops: set[str] = set()
    for path, outline in outlines:
        for definition in outline.definitions:
            if definition.kind == "class" and definition.bases:
                bases.setdefault(definition.name, definition.bases)
        if path.endswith(".py"):
            tops.add(_top(path))
    return HabitProject(settings=settings, present=frozenset(present), bases=bases, tops=frozenset(tops))


def own_definitions(source: SourceFile, *kinds: str) -> list[Definition]:
    """The definitions of these kinds in a file that holds no tests."""
    return [] if source.is_test else [one for one in source.outline.definitions if one.kind in kinds]


@lru_cache(maxsize=8)
def split_lines(text: str) -> tuple[str, ...]:
    """The lines of a text; detectors ask one file after the other for them."""
    return tuple(text.split("\n"))


def _top(path: str) -> str:
    folders = path.split("/")
    begin = folders[1:] if len(folders) > 1 and folders[0] in ("src", "lib") else folders
    return begin[0].removesuffix(".py")
