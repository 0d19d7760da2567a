"""Detectors of which of several ways a project uses: logging, paths, values, command lines, errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from recollect.codegraph.habits.source import SCRIPT, HabitProject, SourceFile, own_definitions

_ASYNC = re.compile(r"\basync\b")
_ASYNC_ARROW = re.compile(r"\s*(?::[^=]*)?[=:]\s*async\b")
_ASYNC_LANGUAGES = frozenset({"Python", "Rust", "C#"}) | SCRIPT
_FROZEN = re.compile(r"dataclass\([^)]*frozen\s*=\s*True")
_OS_PATH = re.compile(r"\bos\.path\.\w+\(|^from os\.path import|^from os import path", re.MULTILINE)
_DECORATOR_LINES = 6

# For each language, libraries for one purpose: what is imported, and how it is called in a sentence.
_COMMAND_LINES: Mapping[str, Mapping[str, str]] = {
    "Python": {
        "click": "click",
        "typer": "typer",
        "argparse": "argparse",
        "fire": "fire",
        "docopt": "docopt",
    },
    "JavaScript": {
        "commander": "commander",
        "yargs": "yargs",
        "meow": "meow",
        "@oclif/core": "oclif",
        "cac": "cac",
    },
    "TypeScript": {
        "commander": "commander",
        "yargs": "yargs",
        "meow": "meow",
        "@oclif/core": "oclif",
        "cac": "cac",
    },
    "Go": {"github.com/spf13/cobra": "cobra", "github.com/urfave/cli": "urfave/cli", "flag": "flag"},
    "Rust": {"clap": "clap", "structopt": "structopt", "argh": "argh", "lexopt": "lexopt"},
}
_LOGGERS: Mapping[str, Mapping[str, str]] = {
    "Python": {"logging": "logging", "structlog": "structlog", "loguru": "loguru"},
    "JavaScript": {"winston": "winston", "pino": "pino", "debug": "debug", "loglevel": "loglevel"},
    "TypeScript": {"winston": "winston", "pino": "pino", "debug": "debug", "loglevel": "loglevel"},
    "Go": {
        "log/slog": "log/slog",
        "go.uber.org/zap": "zap",
        "github.com/sirupsen/logrus": "logrus",
        "log": "log",
    },
    "Rust": {"tracing": "tracing", "log": "log"},
    "Java": {"org.slf4j": "SLF4J", "java.util.logging": "java.util.logging", "org.apache.logging": "Log4j"},
}
_PRINTS: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "Python": ("print", lambda callee: callee == "print"),
    "JavaScript": ("console", lambda callee: callee.startswith("console.")),
    "TypeScript": ("console", lambda callee: callee.startswith("console.")),
    "Go": ("fmt.Print", lambda callee: callee.startswith("fmt.Print")),
    "Rust": ("println!", lambda callee: callee in ("println!", "eprintln!")),
    "Java": ("System.out", lambda callee: callee.startswith("System.out.")),
}
_VALUES = (
    ("frozen dataclasses", _FROZEN),
    ("dataclasses", re.compile(r"\bdataclass\b")),
    ("attrs", re.compile(r"@(?:attrs?\.)?(?:s|attrs|define|frozen|mutable)\b")),
)
_VALUE_BASES = {
    "BaseModel": "pydantic models",
    "NamedTuple": "named tuples",
    "TypedDict": "typed dictionaries",
    "Struct": "msgspec structs",
}
_GO_WRAPPED = re.compile(r"fmt\.Errorf\([^\n]*%w")
_GO_MADE = re.compile(r"\b(?:errors\.(?:New|Wrapf?)|fmt\.Errorf)\(")
_GO_PACKAGE = re.compile(r"errors\.Wrapf?\(")
_ANY_EXCEPT = re.compile(r"^\s*except\b", re.MULTILINE)
_BROAD_EXCEPT = re.compile(r"^\s*except\s*(?::|\(?\s*(?:Base)?Exception\b)", re.MULTILINE)


def messages(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """By what each file tells of what it does, where it does."""
    if source.is_test:
        return
    logger = next(
        (shown for name, shown in _LOGGERS.get(source.language, {}).items() if source.imports(name)), ""
    )
    shown, is_print = _PRINTS.get(source.language, ("", lambda _: False))
    prints = any(is_print(call.callee) for call in source.outline.calls)
    if logger or prints:
        yield "" if logger and prints else logger or shown


def paths(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """By what each Python file handles paths."""
    if source.language == "Python":
        by_value, by_text = source.imports("pathlib"), bool(_OS_PATH.search(source.text))
        if by_value or by_text:
            yield "" if by_value and by_text else "pathlib" if by_value else "os.path"


def asynchrony(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each function is asynchronous."""
    if source.language in _ASYNC_LANGUAGES:
        for one in own_definitions(source, "function", "method"):
            before, _name, after = source.line(one.line).partition(one.name)
            is_async = _ASYNC.search(before) or _ASYNC_ARROW.match(after)
            yield "asynchronous" if is_async else "synchronous"


def values(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """What each Python class that only holds values is made with."""
    if source.language != "Python":
        return
    for one in own_definitions(source, "class"):
        above = _decorators(source, one.line)
        by_mark = next((name for name, pattern in _VALUES if pattern.search(above)), "")
        bases = [base.rpartition(".")[2] for base in one.bases]
        made_with = by_mark or next((_VALUE_BASES[base] for base in bases if base in _VALUE_BASES), "")
        if made_with:
            yield made_with


def command_lines(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """By what each file that reads a command line does so."""
    if not source.is_test:
        yield from (
            shown for name, shown in _COMMAND_LINES.get(source.language, {}).items() if source.imports(name)
        )


def handled(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """Whether each except clause of a Python file names what it expects."""
    if source.language == "Python" and not source.is_test:
        broad = len(_BROAD_EXCEPT.findall(source.text))
        yield from [""] * broad
        yield from ["named"] * (len(_ANY_EXCEPT.findall(source.text)) - broad)


def wrapped(source: SourceFile, _: HabitProject) -> Iterator[str]:
    """How each Go file that makes errors passes on the ones it got."""
    if source.language == "Go" and not source.is_test and _GO_MADE.search(source.text):
        if _GO_PACKAGE.search(source.text):
            yield "errors.Wrap"
        else:
            yield "fmt.Errorf with %w" if _GO_WRAPPED.search(source.text) else ""


def _decorators(source: SourceFile, line: int) -> str:
    """The lines right above a definition that belong to its decorators."""
    lines: list[str] = []
    for number in range(line - 1, max(0, line - 1 - _DECORATOR_LINES), -1):
        text = source.line(number)
        if not text.strip():
            break
        lines.insert(0, text)
        if text.lstrip().startswith("@") and not source.line(number - 1).lstrip().startswith("@"):
            break
    joined = "\n".join(lines)
    return joined if "@" in joined else ""
