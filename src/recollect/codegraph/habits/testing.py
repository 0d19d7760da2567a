"""Detectors of testing habits: framework, file names, folders, set-up, assertions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.codegraph.habits.source import SCRIPT, HabitProject, SourceFile

_SCRIPT_MODULES = {
    "vitest": "Vitest",
    "@jest/globals": "Jest",
    "node:test": "node:test",
    "bun:test": "bun:test",
    "@playwright/test": "Playwright",
    "mocha": "Mocha",
    "ava": "AVA",
    "tape": "tape",
}
# Runners that need no import are known by the project's settings.
_SCRIPT_RUNNERS = {"vitest": "Vitest", "jest": "Jest", "mocha": "Mocha", "jasmine": "Jasmine"}
_JAVA = {"org.junit.jupiter": "JUnit 5", "org.testng": "TestNG", "org.junit": "JUnit 4"}
_CSHARP = {"Xunit": "xUnit", "NUnit": "NUnit", "Microsoft.VisualStudio.TestTools": "MSTest"}
_CPP = {"gtest": "GoogleTest", "catch": "Catch2", "doctest": "doctest", "boost/test": "Boost.Test"}
_MARKS = (
    (re.compile(r"\Atest_."), "test_*"),
    (re.compile(r"\Atest-."), "test-*"),
    (re.compile(r".[_]test\Z"), "*_test"),
    (re.compile(r"._spec\Z"), "*_spec"),
    (re.compile(r".\.test\Z"), "*.test"),
    (re.compile(r".\.spec\Z"), "*.spec"),
    (re.compile(r".-spec\Z"), "*-spec"),
    (re.compile(r".-test\Z"), "*-test"),
    (re.compile(r"[a-z0-9]Tests\Z"), "*Tests"),
    (re.compile(r"[a-z0-9]Test\Z"), "*Test"),
    (re.compile(r"[a-z0-9]Spec\Z"), "*Spec"),
)
_TEST_FOLDERS = frozenset("test tests spec specs __tests__ e2e".split())
_TEST_HEADER = re.compile(r"^\s*(?:async )?def test\w*\(([^)]*)\)", re.MULTILINE)
_PARAMETRIZE = re.compile(r"parametrize\(\s*[\[(]?((?:\s*[\"'][\w ,]+[\"'],?)+)")
_BARE_ASSERT = re.compile(r"^\s*assert\b", re.MULTILINE)
_UNITTEST_ASSERT = re.compile(r"\bself\.assert[A-Z]\w*\(")
_EXPECT = re.compile(r"\bexpect\(")
_SCRIPT_ASSERT = re.compile(r"\bassert(?:\.\w+)?\(")
_GO_PLAIN = re.compile(r"\b[tb]\.(?:Error|Fatal)f?\(")
_GO_HELPED = re.compile(r"\b(?:assert|require)\.[A-Z]\w*\(")


def framework(source: SourceFile, project: HabitProject) -> Iterator[str]:
    """The framework each test file is written for."""
    if source.holds_tests:
        yield _framework(source, project)


def naming(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """How each test file is named."""
    if not source.holds_tests or source.language == "Rust":
        return
    stem, _dot, ending = source.name.rpartition(".")
    mark = next((shown for pattern, shown in _MARKS if pattern.search(stem)), "")
    yield f"{mark}.{ending.removesuffix('x') if source.language in SCRIPT else ending}" if mark else ""


def place(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Where each test file lies."""
    if not source.holds_tests:
        return
    *folders, _name = source.path.split("/")
    level = next((depth for depth, folder in enumerate(folders) if folder in _TEST_FOLDERS), None)
    if not source.is_test:
        yield "hold the code they test as well"
    elif level is None:
        yield "lie beside the code they test"
    elif level == 0:
        yield f"lie in `{folders[0]}/`, apart from the code"
    else:
        yield f"lie in a folder `{folders[level]}` inside the part they test"


def setup(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """How each test file gets ready what its tests need."""
    if not source.holds_tests:
        return
    if source.language == "Python":
        yield _python_setup(source)
    elif source.language in SCRIPT:
        yield "beforeEach" if source.calls("beforeEach") else ""
    elif source.language == "Java":
        yield "@BeforeEach" if "@BeforeEach" in source.text else ""


def assertion(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """How each test file says what it expects."""
    if not source.holds_tests:
        return
    if source.language == "Python":
        yield _more(source.text, {"plain assert": _BARE_ASSERT, "self.assert… methods": _UNITTEST_ASSERT})
    elif source.language in SCRIPT:
        yield _more(source.text, {"expect(…)": _EXPECT, "assert(…)": _SCRIPT_ASSERT})
    elif source.language == "Go":
        yield _more(
            source.text, {"t.Error and t.Fatal": _GO_PLAIN, "assert and require of testify": _GO_HELPED}
        )


def _framework(source: SourceFile, project: HabitProject) -> str:
    language = source.language
    if language == "Python":
        return _python_framework(source, project)
    if language in SCRIPT:
        framework_name = next((shown for name, shown in _SCRIPT_MODULES.items() if source.imports(name)), "")
        return framework_name or next(
            (shown for name, shown in _SCRIPT_RUNNERS.items() if project.names(name)), ""
        )
    if language == "Go":
        helped = source.imports("github.com/stretchr/testify")
        return "the testing package with testify" if helped else "the testing package alone"
    if language == "Rust":
        return "#[tokio::test]" if "#[tokio::test" in source.text else "#[test]"
    if language == "Ruby":
        return "RSpec" if source.name.endswith("_spec.rb") else "Minitest" if "initest" in source.text else ""
    if language == "PHP":
        return "PHPUnit" if source.imports("PHPUnit") or "extends TestCase" in source.text else "Pest"
    frameworks = {"Java": _JAVA, "C#": _CSHARP}.get(language)
    if frameworks is not None:
        return next((shown for name, shown in frameworks.items() if source.imports(name)), "")
    included = " ".join(statement.module for statement in source.outline.imports)
    return next((shown for name, shown in _CPP.items() if name in included), "")


def _python_framework(source: SourceFile, project: HabitProject) -> str:
    bases = {base for one in source.outline.definitions if one.kind == "class" for base in one.bases}
    if any(base.endswith("TestCase") for base in bases):
        return "Django's TestCase" if source.imports("django.test") else "unittest"
    if source.imports("pytest") or project.names("pytest"):
        return "pytest"
    return ""


def _python_setup(source: SourceFile) -> str:
    if re.search(r"^\s*def setUp(?:Class|TestData)?\(", source.text, re.MULTILINE):
        return "setUp methods"
    if "pytest.fixture" in source.text or "usefixtures" in source.text or _asks_for_fixtures(source.text):
        return "pytest fixtures"
    return ""


def _asks_for_fixtures(text: str) -> bool:
    """Whether a test has a parameter that no parametrize gives it."""
    parametrized = {name for listed in _PARAMETRIZE.findall(text) for name in re.findall(r"\w+", listed)}
    arguments = {
        name
        for parameters in _TEST_HEADER.findall(text)
        for part in parameters.split(",")
        if (name := part.partition(":")[0].partition("=")[0].strip().lstrip("*/"))
    }
    return bool(arguments - parametrized - {"self", "cls"})


def _more(text: str, patterns: dict[str, re.Pattern[str]]) -> str:
    counts = {style: len(pattern.findall(text)) for style, pattern in patterns.items()}
    best = max(counts, key=lambda style: counts[style])
    return best if counts[best] > sum(counts.values()) - counts[best] else ""
