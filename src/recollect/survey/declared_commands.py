"""The commands a project declares for its tests and checks: make, just, npm and its like, nox, tox, the language's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.survey.proposal import Proposal, RepositoryTexts, get_inside, join_names

_TARGET = re.compile(r"^([A-Za-z][\w-]*)\s*:(?![=:])", re.MULTILINE)
_TEST_NAMES = ("test", "tests", "check", "unittest", "pytest", "test-all", "test-unit")
_LINT_NAMES = ("lint", "check", "format", "fmt", "style", "typecheck", "types", "mypy", "pre-commit")
_TEST_ENVIRONMENT = re.compile(r"tests?(?:[-_]?all)?|py(?:thon)?|unit")
_LINT_ENVIRONMENT = re.compile(r"lint|style|typing|mypy|types|format")
_TEST_SCRIPT = re.compile(r"(?:tests?/)?(?:runtests|run_tests|run-tests)\.(?:py|sh)")
_TEST_TOOLS = frozenset(
    "pytest tox nox unittest vitest jest mocha ava tap playwright cypress cargo rspec phpunit ctest bazel".split()
)
_RUNNERS = (
    "pytest tox nox unittest vitest jest mocha ava tap playwright cypress ruff black isort flake8 mypy pyright eslint"
    " prettier biome tsc cargo clippy rustfmt golangci-lint gofmt rspec rubocop phpunit ctest bazel gradle mvn"
).split()


class _TypedCommand(NamedTuple):
    """A command a person types, where it is declared, and the known tools it runs."""

    typed: str
    path: str
    line: int
    tools: tuple[str, ...] = ()


def read_command_proposals(files: RepositoryTexts) -> Iterator[Proposal]:
    """The commands for tests and for checks, of whichever runner has them."""
    tests, checks = _list_commands(files, _TEST_NAMES), _list_commands(files, _LINT_NAMES)
    tests = [one for one in tests if one.typed.split()[-1] != "check"] or tests
    if tests:
        first = tests[0]
        test_tools = [tool for tool in first.tools if tool in _TEST_TOOLS]
        yield Proposal(
            topic="tests",
            text=f"Tests are run with `{first.typed}`{_which_runs(first.typed, test_tools)} "
            f"({first.path}:{first.line}).",
            kind="fact",
            path=first.path,
            line=first.line,
            usefulness=0.95,
        )
    checks = [one for one in checks if not tests or one.typed != tests[0].typed][:3]
    if checks:
        first = checks[0]
        tools = tuple(dict.fromkeys(tool for one in checks for tool in one.tools))
        typed = ", ".join(f"`{one.typed}`" for one in checks)
        runs = _which_runs(" ".join(one.typed for one in checks), tools)
        yield Proposal(
            topic="checks",
            text=f"Code is checked and formatted with {typed}{runs} ({first.path}:{first.line}).",
            kind="fact",
            path=first.path,
            line=first.line,
            usefulness=0.8,
        )


def _which_runs(command: str, tools: Sequence[str]) -> str:
    """The tools behind a command, but for the one it begins with."""
    others = [tool for tool in tools if tool not in command.split()]
    return f", which runs {join_names(others)}" if others else ""


def _list_commands(files: RepositoryTexts, names: Sequence[str]) -> list[_TypedCommand]:
    """Commands by these names, in that order."""
    scripts = () if _is_mostly_python(files) else _list_scripts(files, names)
    commands = [*_list_targets(files, names), *scripts]
    commands.sort(key=lambda one: names.index(one.typed.split()[-1]))
    return commands or _list_environments(files, names)


def _is_mostly_python(files: RepositoryTexts) -> bool:
    """Whether a package.json is there for some scripts beside the real thing."""
    python = sum(path.endswith(".py") for path in files.paths)
    return python > sum(path.endswith((".js", ".ts", ".tsx", ".jsx", ".mjs")) for path in files.paths)


def _list_targets(files: RepositoryTexts, names: Sequence[str]) -> Iterator[_TypedCommand]:
    for path, runner in (("Makefile", "make"), ("GNUmakefile", "make"), ("justfile", "just")):
        text = files.text(path) if path in files.top else ""
        for target in _TARGET.finditer(text):
            if target[1] in names:
                tools = _find_tools(_read_recipe(text[target.end() :]))
                line = text.count("\n", 0, target.start()) + 1
                yield _TypedCommand(f"{runner} {target[1]}", path, line, tools)


def _list_scripts(files: RepositoryTexts, names: Sequence[str]) -> Iterator[_TypedCommand]:
    scripts = get_inside(files.json("package.json"), "scripts")
    manager = find_package_manager(files)
    for name, script in scripts.items() if isinstance(scripts, dict) else ():
        if name in names and isinstance(script, str) and "no test specified" not in script:
            typed = f"{manager} {name}" if name == "test" else f"{manager} run {name}"
            yield _TypedCommand(
                typed, "package.json", files.line_of("package.json", f'"{name}":'), _find_tools(script)
            )


def _list_environments(files: RepositoryTexts, names: Sequence[str]) -> list[_TypedCommand]:
    """Sessions of nox, environments of tox, and the runner of the language where nothing else is declared."""
    is_test = "test" in names
    wanted = _TEST_ENVIRONMENT if is_test else _LINT_ENVIRONMENT
    commands = [
        _TypedCommand(f"nox -s {one[1]}", "noxfile.py", files.line_of("noxfile.py", f"def {one[1]}("))
        for one in re.finditer(r"^def (\w+)\(session", files.text("noxfile.py"), re.MULTILINE)
        if wanted.fullmatch(one[1])
    ]
    for path in ("tox.ini", "tox.toml"):
        text = files.text(path)
        commands += [
            _TypedCommand(f"tox run -e {one[1]}", path, text.count("\n", 0, one.start()) + 1)
            for one in re.finditer(r"^\[(?:testenv:|env\.)([\w-]+)\]", text, re.MULTILINE)
            if wanted.fullmatch(one[1])
        ]
        if text and is_test and not any(path == one.path for one in commands):
            commands.append(_TypedCommand("tox", path, 1, _find_tools(text)))
    return commands or ([*_list_defaults(files)] if is_test else [])


def _list_defaults(files: RepositoryTexts) -> Iterator[_TypedCommand]:
    script = next((path for path in files.paths if _TEST_SCRIPT.fullmatch(path)), "")
    if script:
        yield _TypedCommand(f"{'python ' if script.endswith('.py') else ''}{script}", script, 1)
    elif get_inside(files.toml("pyproject.toml"), "tool", "pytest") is not None:
        yield _TypedCommand("pytest", "pyproject.toml", files.line_of("pyproject.toml", "[tool.pytest"))
    elif "Cargo.toml" in files.top:
        yield _TypedCommand("cargo test", "Cargo.toml", 1)
    elif "go.mod" in files.top:
        yield _TypedCommand("go test ./...", "go.mod", 1)


def _read_recipe(text: str) -> str:
    lines = text.split("\n")[1:]
    recipe = []
    for line in lines:
        if not line.startswith(("\t", "    ")):
            break
        recipe.append(line)
    return "\n".join(recipe)


def _find_tools(text: str) -> tuple[str, ...]:
    words = set(re.findall(r"(?<![\w./-])[a-z][\w-]*(?![\w-])", text))
    return tuple(tool for tool in _RUNNERS if tool in words)


def find_package_manager(files: RepositoryTexts) -> str:
    """The program that runs the scripts of a package.json."""
    named = files.json("package.json").get("packageManager")
    if isinstance(named, str) and (manager := named.partition("@")[0]) in ("pnpm", "yarn", "bun", "npm"):
        return manager
    locks = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun"), ("bun.lock", "bun"))
    return next((manager for lock, manager in locks if lock in files.top), "npm")
