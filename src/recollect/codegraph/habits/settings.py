"""What the settings files at the top of a project say: tools, packages, language version, the commands it offers."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.codegraph.habits.source import Project
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
_TOML_TOOLS = ("ruff", "black", "isort", "mypy", "pyright", "pylint", "ty", "flake8", "yapf", "pyrefly")
_INI = re.compile(r"^\[(?:tool:)?(flake8|mypy|isort|pylint|pycodestyle)\]", re.MULTILINE)
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
_MOST_COMMANDS = 8
_TELLING = frozenset(
    "test tests check lint format fmt build typecheck types docs dev start bench ci coverage e2e release".split()
)


def declared(project: Project) -> list[Habit]:
    """What the settings say, one habit for each thing that is said there at all."""
    rows: tuple[tuple[str, str, Callable[[Project], dict[str, str]]], ...] = (
        ("tools", "These tools have settings here: {found}.", _tools),
        ("packages", "Packages are built and locked by: {found}.", _packages),
        ("language version", "The settings ask for {found}.", _versions),
        ("commands", "Commands this project offers: {found}.", _commands),
    )
    habits = []
    for topic, says, find in rows:
        if found := find(project):
            text = says.format(found=_by_file(found))
            habits.append(
                Habit(topic=topic, value=", ".join(found), counted=len(found), of=len(found), text=text)
            )
    return habits


def _by_file(found: Mapping[str, str]) -> str:
    files: dict[str, list[str]] = {}
    for what, where in found.items():
        files.setdefault(where, []).append(what)
    return "; ".join(f"{', '.join(those)} ({where})" for where, those in files.items())


def _tools(project: Project) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in sorted(project.present):
        tool = _TOOL_FILES.get(name) or next((tool for p, tool in _TOOL_PATTERNS if p.match(name)), "")
        if tool:
            found.setdefault(tool, name)
    inside = _toml(project, "pyproject.toml").get("tool", {})
    for tool in _TOML_TOOLS:
        if isinstance(inside, dict) and tool in inside:
            found.setdefault(tool, "pyproject.toml")
    for name in ("setup.cfg", "tox.ini"):
        for tool in _INI.findall(project.settings.get(name, "")):
            found.setdefault(tool, name)
    package = _json(project, "package.json")
    for key, tool in (("eslintConfig", "ESLint"), ("prettier", "Prettier")):
        if key in package:
            found.setdefault(tool, "package.json")
    return dict(sorted(found.items()))


def _packages(project: Project) -> dict[str, str]:
    found: dict[str, str] = {}
    backend = _at(_toml(project, "pyproject.toml"), "build-system", "build-backend")
    if isinstance(backend, str):
        found[backend.partition(".")[0].replace("_", "-")] = "pyproject.toml"
    found |= {manager: name for name, manager in _LOCKS.items() if name in project.present}
    manager = _json(project, "package.json").get("packageManager")
    if isinstance(manager, str):
        found.setdefault(manager.partition("@")[0], "package.json")
    return found


def _versions(project: Project) -> dict[str, str]:
    found: dict[str, str] = {}
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
            found[f"{label} {value}"] = where
    return found


def _commands(project: Project) -> dict[str, str]:
    scripts = _json(project, "package.json").get("scripts")
    found = {
        f"npm run {name}": "package.json" for name in _telling(scripts if isinstance(scripts, dict) else ())
    }
    for file, runner in (("Makefile", "make"), ("justfile", "just")):
        names = _TARGET.findall(project.settings.get(file, ""))
        found |= {f"{runner} {name}": file for name in _telling(names)}
    return dict(list(found.items())[:_MOST_COMMANDS])


def _telling(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if re.split(r"[:-]", name)[0] in _TELLING]


def _toml(project: Project, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(project.settings.get(name, ""))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(project: Project, name: str) -> dict[str, Any]:
    try:
        found = json.loads(project.settings.get(name, "{}"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
