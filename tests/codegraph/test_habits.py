"""How a project is written, by counting: every detector on three projects that are unlike each other."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from recollect.codegraph.habits import documenting, naming, testing, using, writing
from recollect.codegraph.habits.detector import Detector, Votes, state_habit
from recollect.codegraph.habits.settings import read_declared
from recollect.codegraph.habits.source import HabitProject, SourceFile, make_project, make_source
from recollect.codegraph.habits.table import DETECTORS, find_commit_habits, find_habits
from recollect.codegraph.languages import load_languages
from recollect.codegraph.outline import Outline
from recollect.codegraph.parse import load_parser
from tests.codegraph import trees

PROJECTS = ("python", "typescript", "go")


def outline_of(path: str, text: str) -> tuple[str, Outline]:
    languages = load_languages()
    language = languages.by_name[languages.language_of(path)]
    return language.name, load_parser(language)(text.encode())


def source_of(path: str, text: str) -> SourceFile:
    return make_source(path, *outline_of(path, text), text)


def votes(detector: Votes, path: str, text: str, project: HabitProject | None = None) -> list[str]:
    return list(detector(source_of(path, text), project or HabitProject()))


@cache
def said_of(name: str) -> dict[str, str]:
    """What is counted in one of the three projects, by topic."""
    files = trees.load("habits", name)
    code = {path: text for path, text in files.items() if load_languages().language_of(path)}
    top = {path: text for path, text in files.items() if "/" not in path}
    project = make_project(((path, outline_of(path, text)[1]) for path, text in code.items()), top, top)
    sources = [("", source_of(path, text)) for path, text in code.items()]
    return {habit.topic: habit.text for habit in find_habits(sources, project)}


PYTHON = {
    "test framework": "5 of 5 Python test files use pytest.",
    "names of test files": "5 of 5 Python test files are named `test_*.py`.",
    "place of tests": "5 of 5 Python test files lie in `tests/`, apart from the code.",
    "set-up of tests": "5 of 5 Python test files use pytest fixtures.",
    "assertions": "5 of 5 Python test files mostly use plain assert.",
    "names of functions": "15 of 15 Python functions of several words are named in snake_case.",
    "names of classes": "10 of 10 Python classes and other types are named in PascalCase.",
    "names of files": "7 of 7 Python files of several words are named in snake_case.",
    "names of exceptions": "6 of 6 Python exception classes end in Error.",
    "root of exceptions": "5 of 5 Python exception classes come from `ShopError`.",
    "return types": "15 of 15 Python functions say what they return.",
    "documentation": "19 of 19 Python public functions and types are documented.",
    "module docstrings": "10 of 10 Python files begin with a docstring.",
    "documented parameters": "6 of 6 Python doc comments that name parameters use the Google style (`Args:`).",
    "annotations": "12 of 12 Python files with definitions begin with `from __future__ import annotations`.",
    "licence headers": "16 of 16 Python files begin with a licence or copyright line.",
    "imports of own code": "13 of 13 Python imports of own code are relative.",
    "public names": "4 of 4 Python packages that pass names on list them in `__all__`.",
    "indentation": "5 of 5 Python files indent by 4 spaces.",
    "quotes": "9 of 9 Python files write strings in double quotes.",
    "string formatting": "5 of 5 Python files that format strings use f-strings.",
    "messages": "4 of 4 Python files that tell what they do use logging.",
    "paths": "4 of 4 Python files that handle paths use pathlib alone.",
    "value classes": "4 of 4 Python classes that hold values are frozen dataclasses.",
    "command line": "2 of 2 Python files that read a command line use click.",
    "except clauses": "10 of 10 Python except clauses name what they expect, and not just Exception.",
    "tools": "These tools have settings here: mypy, pytest, ruff (pyproject.toml).",
    "packages": "Packages are built and locked by: hatchling (pyproject.toml); uv (uv.lock).",
    "language version": "The settings ask for Python >=3.12 (pyproject.toml).",
    "commands": "Commands this project offers: make test, make check (Makefile).",
}
TYPESCRIPT = {
    "test framework": "5 of 5 TypeScript test files use Vitest.",
    "names of test files": "5 of 5 TypeScript test files are named `*.test.ts`.",
    "place of tests": "5 of 5 TypeScript test files lie beside the code they test.",
    "set-up of tests": "5 of 5 TypeScript test files use beforeEach.",
    "assertions": "5 of 5 TypeScript test files mostly use expect(…).",
    "names of functions": "20 of 20 TypeScript functions of several words are named in camelCase.",
    "names of classes": "5 of 5 TypeScript classes and other types are named in PascalCase.",
    "names of files": "10 of 10 TypeScript files of several words are named in kebab-case.",
    "documentation": "20 of 20 TypeScript public functions and types are documented.",
    "documented parameters": "10 of 10 TypeScript doc comments that name parameters use JSDoc tags without types.",
    "endings in imports": "15 of 15 TypeScript relative imports are written with the ending `.js`.",
    "module system": "10 of 10 TypeScript files with imports use import.",
    "exports": "5 of 5 TypeScript files with exports export names only.",
    "indentation": "10 of 10 TypeScript files indent by 2 spaces.",
    "quotes": "5 of 5 TypeScript files write strings in single quotes.",
    "semicolons": "5 of 5 TypeScript files end statements with a semicolon.",
    "messages": "5 of 5 TypeScript files that tell what they do use pino.",
    "asynchrony": "20 of 20 TypeScript functions are asynchronous.",
    "command line": "5 of 5 TypeScript files that read a command line use commander.",
    "tools": "These tools have settings here: ESLint (eslint.config.js); Prettier (.prettierrc); tsc (tsconfig.json).",
    "packages": "Packages are built and locked by: pnpm (package.json).",
    "language version": "The settings ask for Node >=20 (package.json).",
    "commands": "Commands this project offers: npm run test, npm run lint:all (package.json).",
}
GO = {
    "test framework": "5 of 5 Go test files use the testing package with testify.",
    "names of test files": "5 of 5 Go test files are named `*_test.go`.",
    "place of tests": "5 of 5 Go test files lie beside the code they test.",
    "assertions": "5 of 5 Go test files mostly use assert and require of testify.",
    "names of classes": "5 of 5 Go classes and other types are named in PascalCase.",
    "names of files": "10 of 10 Go files of several words are named in snake_case.",
    "documentation": "20 of 20 Go public functions and types are documented.",
    "licence headers": "10 of 10 Go files begin with a licence or copyright line.",
    "messages": "5 of 5 Go files that tell what they do use log/slog.",
    "command line": "5 of 5 Go files that read a command line use cobra.",
    "wrapped errors": "5 of 5 Go files that make errors pass them on by fmt.Errorf with %w.",
    "tools": "These tools have settings here: golangci-lint (.golangci.yml).",
    "packages": "Packages are built and locked by: Go modules (go.sum).",
    "language version": "The settings ask for Go 1.22 (go.mod).",
}


@pytest.mark.parametrize(("name", "said"), [("python", PYTHON), ("typescript", TYPESCRIPT), ("go", GO)])
def test_what_is_counted_in_three_projects_unlike_each_other(name: str, said: dict[str, str]) -> None:
    assert {topic.partition(",")[0]: text for topic, text in said_of(name).items()} == said


def test_every_detector_speaks_of_one_of_the_projects() -> None:
    heard = {topic.partition(",")[0] for name in PROJECTS for topic in said_of(name)}
    assert {detector.topic for detector in DETECTORS} - heard == set()


def a_detector(**how: float) -> Detector:
    return Detector(
        topic="colour", units="doors", says="are {value}", votes=lambda source, project: (), **how
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cast", "said"),
    [
        ({"red": 8, "blue": 2}, "8 of 10 Python doors are red."),
        ({"red": 7, "blue": 3}, None),  # a weak majority is no habit
        ({"red": 4}, None),  # too few to tell
        ({"red": 5}, "5 of 5 Python doors are red."),
        ({"": 9, "red": 1}, None),  # what has no name is counted and not said
        ({"red": 1_200, "": 34}, "1,200 of 1,234 Python doors are red."),
        ({}, None),
    ],
)
def test_a_habit_is_said_from_a_clear_majority_on(cast: dict[str, int], said: str | None) -> None:
    habit = state_habit(a_detector(), "Python", {"shop": Counter(cast)})
    assert (habit.text if habit else None) == said


def test_a_detector_may_ask_for_more() -> None:
    cast = {"shop": Counter({"red": 85, "blue": 15})}
    assert state_habit(a_detector(share=0.9), "Python", cast) is None
    assert state_habit(a_detector(fewest=86), "Python", cast) is None
    assert state_habit(a_detector(), "Python", cast) is not None


def test_a_part_that_does_otherwise_is_named_and_not_meant() -> None:
    by_part = {
        "shop": Counter({"red": 40}),
        "shed": Counter({"blue": 5, "red": 1}),
        "hut": Counter({"blue": 1}),  # too small to be an exception
        "yard": Counter({"red": 3}),
    }
    habit = state_habit(a_detector(), "Python", by_part)
    assert habit is not None
    assert habit.text == "44 of 50 Python doors are red. Not so in `shed` (1 of 6)."
    assert habit.parts == ("shop", "yard")


def test_a_docstring_is_found_behind_a_header_of_many_lines() -> None:
    text = """
def far(
    a: dict[str, int] = {1: 2},  # why: because
    b: int = 1,
) -> int:
    \'\'\'Says something.\'\'\'

def near(): "In one line."

def bare(a=":"):
    x = "not said"
""".replace("\\'", "'")
    source = source_of("a.py", text)
    told = [documenting.read_docstring(source, one) for one in source.outline.definitions]
    assert told == ["Says something.", "", ""]


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("a.go", "package a\n\n// F does.\nfunc F() {}\nfunc G() {}\nfunc h() {}\n", ["documented", ""]),
        ("a.rs", "/// Does.\n#[inline]\npub fn f() {}\n\npub fn g() {}\n", ["documented", ""]),
        ("a.ts", "/** Does. */\nexport function f() {}\nexport class G {}\n", ["documented", ""]),
        ("tests/a.ts", "export function f() {}\n", []),
    ],
)
def test_a_comment_right_above_documents_what_is_public(path: str, text: str, said: list[str]) -> None:
    assert votes(documenting.public, path, text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def test_a(client): assert 1\n", "pytest fixtures"),
        ("def test_a():\n    assert 1\n", ""),
        ('@pytest.mark.parametrize("a", [1])\ndef test_a(a): assert a\n', ""),
        (
            '@pytest.mark.parametrize(("a", "b"), [])\ndef test_a(a, b, tmp_path): assert a\n',
            "pytest fixtures",
        ),
        ("class TestA(TestCase):\n    def setUp(self): ...\n    def test_a(self): ...\n", "setUp methods"),
        ("class TestA:\n    def test_a(self): ...\n", ""),
    ],
)
def test_what_parametrize_gives_is_no_fixture(text: str, said: str) -> None:
    assert votes(testing.setup, "tests/test_a.py", text) == [said]


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (
            "tests/test_a.py",
            "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): ...\n",
            "unittest",
        ),
        (
            "tests/test_a.py",
            "from django.test import TestCase\nclass ATest(TestCase):\n    def test_a(self): ...\n",
            "Django's TestCase",
        ),
        ("tests/test_a.py", "import pytest\ndef test_a(): ...\n", "pytest"),
        ("tests/test_a.py", "def test_a(): ...\n", ""),  # nothing tells for whom
        ("a.test.js", "import test from 'node:test';\ntest('a', () => {});\n", "node:test"),
        ("src/lib.rs", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n", "#[test]"),
        (
            "src/test/ATest.java",
            "import org.junit.jupiter.api.Test;\nclass ATest {\n  @Test\n  void a() {}\n}\n",
            "JUnit 5",
        ),
    ],
)
def test_a_framework_is_known_by_what_a_file_imports(path: str, text: str, said: str) -> None:
    assert votes(testing.framework, path, text) == [said]


def test_a_runner_without_imports_is_known_by_the_settings() -> None:
    project = HabitProject(settings={"package.json": '{"devDependencies": {"jest-cli": "1", "mocha": "2"}}'})
    assert votes(testing.framework, "a.test.js", "it('a', () => {});\n", project) == ["Mocha"]


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("tests/test_a.py", "def test_a(): ...\n", "lie in `tests/`, apart from the code"),
        ("a/tests/test_a.py", "def test_a(): ...\n", "lie in a folder `tests` inside the part they test"),
        ("a/test_a.py", "def test_a(): ...\n", "lie beside the code they test"),
        ("src/a.rs", "    #[test]\n    fn a() {}\n", "hold the code they test as well"),
    ],
)
def test_where_tests_lie(path: str, text: str, said: str) -> None:
    assert votes(testing.place, path, text) == [said]


def test_what_tests_share_is_no_test() -> None:
    assert votes(testing.naming, "tests/helpers.py", "def make(): ...\n") == []


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("two_words", "snake_case"),
        ("twoWords", "camelCase"),
        ("TwoWords", "PascalCase"),
        ("HTTPError", "PascalCase"),
        ("two-words", "kebab-case"),
        ("Two_words", ""),
    ],
)
def test_the_case_of_a_name(name: str, case: str) -> None:
    assert naming.case_of(name) == case


def test_a_single_word_and_a_special_name_tell_nothing() -> None:
    assert votes(naming.functions, "a.py", "def run(): ...\ndef __init__(): ...\ndef _go_on(): ...\n") == [
        "snake_case"
    ]


def test_exceptions_are_known_over_several_steps() -> None:
    text = "class Trouble(Exception): ...\nclass Grave(Trouble): ...\nclass GraveError(Grave): ...\nclass Box: ...\n"
    project = make_project([("a.py", outline_of("a.py", text)[1])], {}, [])
    assert votes(naming.errors, "a.py", text, project) == ["", "", "Error"]
    assert votes(naming.error_roots, "a.py", text, project) == ["Trouble", "Trouble"]


@pytest.mark.timeout(10)
def test_classes_that_inherit_in_a_circle_end() -> None:
    text = "class A(B): ...\nclass B(A): ...\nclass CError(DError): ...\nclass DError(CError): ...\n"
    project = make_project([("a.py", outline_of("a.py", text)[1])], {}, [])
    assert votes(naming.errors, "a.py", text, project) == ["Error", "Error"]
    assert votes(naming.error_roots, "a.py", text, project) == ["DError", "CError"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import logging\n", ["logging"]),
        ("print(1)\n", ["print"]),
        ("import logging\nprint(1)\n", [""]),
        ("x = 1\n", []),
    ],
)
def test_messages_are_counted_where_there_are_any(text: str, said: list[str]) -> None:
    assert votes(using.messages, "a.py", text) == said
    assert votes(using.messages, "tests/test_a.py", text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@dataclass(frozen=True)\nclass A: ...\n", ["frozen dataclasses"]),
        ("@final\n@dataclass(\n    slots=True,\n    frozen=True,\n)\nclass A: ...\n", ["frozen dataclasses"]),
        ("@dataclass\nclass A: ...\n", ["dataclasses"]),
        ("@attrs.define\nclass A: ...\n", ["attrs"]),
        ("class A(pydantic.BaseModel): ...\n", ["pydantic models"]),
        ("x = dataclass\n\nclass A: ...\n", []),
    ],
)
def test_what_a_value_is_made_with(text: str, said: list[str]) -> None:
    assert votes(using.values, "a.py", text) == said


def test_broad_except_clauses_are_counted_and_not_praised() -> None:
    text = (
        "try: x()\nexcept: ...\ntry: x()\nexcept Exception: ...\ntry: x()\nexcept (OSError, KeyError): ...\n"
    )
    assert sorted(votes(using.handled, "a.py", text)) == ["", "", "named"]


@pytest.mark.parametrize(
    ("path", "line", "said"),
    [
        ("a.py", "async def f(): ...", "asynchronous"),
        ("a.py", "def async_one(): ...", "synchronous"),
        ("a.ts", "const f = async () => {};", "asynchronous"),
        ("a.ts", "export async function f() {}", "asynchronous"),
        ("a.ts", "function f(async: number) {}", "synchronous"),
    ],
)
def test_which_functions_are_asynchronous(path: str, line: str, said: str) -> None:
    assert votes(using.asynchrony, path, line + "\n") == [said]


def test_imports_of_others_are_not_of_own_code() -> None:
    project = make_project([("src/shop/cart.py", Outline())], {}, [])
    text = (
        "import os\nfrom shop import cart\nimport shop.cart\nfrom . import tax\nfrom shopping import list\n"
    )
    assert votes(writing.import_style, "src/shop/a.py", text, project) == ["absolute", "absolute", "relative"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import a from './a';\n" * 5, "with a semicolon"),
        ("import a from './a'\n" * 5, "without a semicolon"),
        ("import a from './a'\nimport b from './b';\n" * 4, ""),
    ],
)
def test_semicolons(text: str, said: str) -> None:
    assert votes(writing.semicolons, "a.ts", text) == [said]


def test_apostrophes_in_comments_are_no_quotes() -> None:
    text = "// it's theirs and it's ours\n/* don't, can't */\n" + 'const a = "b";\n' * 5
    assert votes(writing.quotes, "a.ts", text) == ["double quotes"]


@pytest.mark.parametrize(("indent", "said"), [("\t", "tabs"), ("  ", "2 spaces"), ("    ", "4 spaces")])
def test_indentation(indent: str, said: str) -> None:
    text = f"function a() {{\n{indent}if (b) {{\n{indent}{indent}c();\n{indent}}}\n}}\n" * 3
    assert votes(writing.indentation, "a.js", text) == [said]


def test_settings_that_cannot_be_read_say_nothing() -> None:
    broken = {"pyproject.toml": "[tool", "package.json": "{", "Cargo.toml": "= 1", "go.mod": "go"}
    assert read_declared(HabitProject(settings=broken, present=frozenset(broken))) == []
    odd = {
        "package.json": '{"scripts": ["test"], "engines": "20"}',
        "pyproject.toml": "tool = 1\nproject = 2\n",
    }
    assert read_declared(HabitProject(settings=odd, present=frozenset(odd))) == []


@pytest.mark.parametrize(
    ("subjects", "said"),
    [
        (
            ["feat: doors", "fix(gate)!: squeak"] * 12,
            ["24 of 24 newest commits begin with a type, as in `feat: …` or `fix(scope): …`."],
        ),
        (
            ["Doors open", "Gates close (#12)"] * 12,
            ["24 of 24 newest commits are a sentence that begins with a capital letter."],
        ),
        (
            ["doors: open (#1)"] * 20,
            [
                "20 of 20 newest commits begin with a place and a colon, as in `parser: …`.",
                "20 of 20 newest commits name an issue or a pull request in their subject.",
            ],
        ),
        (["feat: doors"] * 19, []),
        ([], []),
    ],
)
def test_how_commits_are_named(subjects: list[str], said: list[str]) -> None:
    assert [habit.text for habit in find_commit_habits(subjects)] == said
