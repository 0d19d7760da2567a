"""Habits declared in settings files at the top of a project: tools, packages, language version, commands."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.codegraph.habits.source import HabitProject
from recollect.model.survey import Habit

# A tool is known by a file of its own, or by a place inside a settings file that others share.
_TOOL_FILES: Mapping[str, str] = {
    "ruff.toml": "ruff",
    ".ruff.toml": "ruff",
    ".flake8": "flake8",
    ".pylintrc": "pylint",
    "mypy.ini": "mypy",
    "pyrightconfig.json": "pyright",
    "biome.json": "Biome",
    "biome.jsonc": "Biome",
    "tslint.json": "TSLint",
    ".golangci.yml": "golangci-lint",
    ".golangci.yaml": "golangci-lint",
    "rustfmt.toml": "rustfmt",
    ".rustfmt.toml": "rustfmt",
    "clippy.toml": "clippy",
    ".clang-format": "clang-format",
    ".clang-tidy": "clang-tidy",
    ".rubocop.yml": "RuboCop",
    "phpstan.neon": "PHPStan",
    ".php-cs-fixer.php": "PHP CS Fixer",
    ".editorconfig": "EditorConfig",
    ".pre-commit-config.yaml": "pre-commit",
    "tsconfig.json": "tsc",
}
_TOOL_PATTERNS = (
    (re.compile(r"\A(?:\.eslintrc.*|eslint\.config\.\w+)\Z"), "ESLint"),
    (re.compile(r"\A(?:\.prettierrc.*|prettier\.config\.\w+)\Z"), "Prettier"),
)
# What builds or installs a package is told as such, not as a tool.
_BUILDERS = frozenset(
    "setuptools setuptools_scm setuptools-scm flit poetry hatch pdm uv maturin meson-python".split()
)
_TOOL_NAME = re.compile(r"[a-z][\w-]{1,30}")
_INI = re.compile(
    r"^\[(?:tool:)?(flake8|mypy|isort|pylint|pycodestyle|pytest|tox|coverage(?=:run|:report))(?::\w+)?\]",
    re.MULTILINE,
)
_LOCKS: Mapping[str, str] = {
    "uv.lock": "uv",
    "poetry.lock": "Poetry",
    "Pipfile.lock": "Pipenv",
    "pdm.lock": "PDM",
    "package-lock.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "Yarn",
    "bun.lockb": "Bun",
    "bun.lock": "Bun",
    "Cargo.lock": "Cargo",
    "go.sum": "Go modules",
    "composer.lock": "Composer",
    "Gemfile.lock": "Bundler",
}
_TARGET = re.compile(r"^([a-z][\w-]*)\s*:(?!=)", re.MULTILINE)
_GO_VERSION = re.compile(r"^go (\d[\d.]*)", re.MULTILINE)
_MAX_COMMANDS = 8
_SHOWN_FIRST = frozenset(
    "test tests check lint format fmt build typecheck types docs dev start bench ci coverage e2e release".split()
)


def read_declared(project: HabitProject) -> list[Habit]:
    """What the settings say, one habit for each thing that is said there at all."""
    rows: tuple[tuple[str, str, Callable[[HabitProject], dict[str, str]]], ...] = (
        ("tools", "These tools have settings here: {found}.", _tools),
        ("packages", "Packages are built and locked by: {found}.", _packages),
        ("language version", "The settings ask for {found}.", _versions),
        ("commands", "Commands this project offers: {found}.", _commands),
    )
    habits = []
    for topic, says, find in rows:
        if stated := find(project):
            text = says.format(found=_by_file(stated))
            habits.append(
                Habit(topic=topic, value=", ".join(stated), counted=len(stated), of=len(stated), text=text)
            )
    return habits


def _by_file(stated: Mapping[str, str]) -> str:
    files: dict[str, list[str]] = {}
    for what, where in stated.items():
        files.setdefault(where, []).append(what)
    return "; ".join(f"{', '.join(those)} ({where})" for where, those in files.items())


def _tools(project: HabitProject) -> dict[str, str]:
    tools: dict[str, str] = {}
    for name in sorted(project.present):
        tool = _TOOL_FILES.get(name) or next((tool for p, tool in _TOOL_PATTERNS if p.match(name)), "")
        if tool:
            tools.setdefault(tool, name)
    inside = _toml(project, "pyproject.toml").get("tool", {})
    for tool in inside if isinstance(inside, dict) else ():
        if tool not in _BUILDERS and _TOOL_NAME.fullmatch(tool):
            tools.setdefault(tool, "pyproject.toml")
    for name in ("setup.cfg", "tox.ini"):
        for tool in _INI.findall(project.settings.get(name, "")):
            tools.setdefault(tool, name)
    package = _json(project, "package.json")
    for key, tool in (("eslintConfig", "ESLint"), ("prettier", "Prettier")):
        if key in package:
            tools.setdefault(tool, "package.json")
    return dict(sorted(tools.items()))


def _packages(project: HabitProject) -> dict[str, str]:
    packages: dict[str, str] = {}
    backend = _at(_toml(project, "pyproject.toml"), "build-system", "build-backend")
    if isinstance(backend, str):
        packages[backend.partition(".")[0].replace("_", "-")] = "pyproject.toml"
    packages |= {manager: name for name, manager in _LOCKS.items() if name in project.present}
    manager = _json(project, "package.json").get("packageManager")
    if isinstance(manager, str):
        packages.setdefault(manager.partition("@")[0], "package.json")
    return packages


def _versions(project: HabitProject) -> dict[str, str]:
    versions: dict[str, str] = {}
    python = _at(_toml(project, "pyproject.toml"), "project", "requires-python")
    node = _at(_json(project, "package.json"), "engines", "node")
    edition = _at(_toml(project, "Cargo.toml"), "package", "edition")
    rust = _at(_toml(project, "Cargo.toml"), "package", "rust-version")
    go = _GO_VERSION.search(project.settings.get("go.mod", ""))
    for label, value, where in (
        ("Python", python, "pyproject.toml"),
        ("Node", node, "package.json"),
        ("Rust edition", edition, "Cargo.toml"),
        ("Rust", rust, "Cargo.toml"),
        ("Go", go[1] if go else None, "go.mod"),
    ):
        if isinstance(value, str):
            versions[f"{label} {value}"] = where
    return versions


def _commands(project: HabitProject) -> dict[str, str]:
    scripts = _json(project, "package.json").get("scripts")
    commands = {
        f"npm run {name}": "package.json"
        for name in _list_shown(scripts if isinstance(scripts, dict) else ())
    }
    for file, runner in (("Makefile", "make"), ("justfile", "just")):
        names = _TARGET.findall(project.settings.get(file, ""))
        commands |= {f"{runner} {name}": file for name in _list_shown(names)}
    return dict(list(commands.items())[:_MAX_COMMANDS])


def _list_shown(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if re.split(r"[:-]", name)[0] in _SHOWN_FIRST]


def _toml(project: HabitProject, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(project.settings.get(name, ""))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(project: HabitProject, name: str) -> dict[str, Any]:
    try:
        settings = json.loads(project.settings.get(name, "{}"))
    except (ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
