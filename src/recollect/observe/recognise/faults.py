"""Error text → the line to know the error by, the project's files it names, and whether it is of this project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from recollect.model.observation import Fault
from recollect.model.value import dataclass
from recollect.observe.recognise.error_lines import (
    ASSERTED_LINE,
    CUES,
    FAILED_TEST,
    LINE_PATTERNS,
    PLACE,
    RULES,
    SAYS_LITTLE,
)
from recollect.observe.recognise.excerpt import excerpt
from recollect.observe.recognise.harness import is_everyday, is_harness_error, is_slip
from recollect.observe.recognise.normal_line import MAX_LINE, normalize_line

_MAX_LINES = 12
_MAX_FILES = 8
_MAX_SEARCHED = 3_000
_STATUS = re.compile(r"(?:Error: )?Exit code:? \d{1,3}\n?")


def read_fault(text: str, *, tool: str = "", root: str = "") -> Fault | None:
    """The error in a tool's output; None if there is none to be seen.

    `root` is the project's folder: what lies outside of it is none of its files.
    """
    text = excerpt(text)
    if status := _STATUS.match(text):
        text = text[status.end() :]
    if is_harness_error(text, tool=tool):
        return _plain(text, is_harness=True)
    all_errors = sorted(_found(text), key=lambda error: error.rank)
    if not all_errors:
        return _plain(text, is_harness=False)
    own = [error for error in all_errors if not is_everyday(error.line)]
    errors = own or all_errors
    # A slip beside a real error does not stand for it.
    best = next((error for error in errors if not is_slip(error.message)), errors[0])
    errors = [best, *(error for error in errors if error is not best)]
    lines = tuple(dict.fromkeys(error.normal for error in errors if error.normal))[:_MAX_LINES]
    if not lines:
        return None
    files = _project_files((*(error.file for error in errors), *_named(text)), root)
    return Fault(
        signature=best.normal or lines[0],
        shown=best.message[:MAX_LINE],
        lines=lines,
        rule=_rule(best.message),
        files=files,
        **_read_assertion(text, best),
        is_generic=not own,
        is_slip=is_slip(best.message),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Error:
    line: str
    message: str
    normal: str
    file: str
    rank: int


def _found(text: str) -> Iterator[_Error]:
    """Every line of a known shape, with what it says and where."""
    lines = text.splitlines()
    if len(lines) > _MAX_SEARCHED:
        lines = lines[: _MAX_SEARCHED // 2] + lines[-_MAX_SEARCHED // 2 :]
    for at, printed in enumerate(lines):
        line = _FRAME.sub("", printed)
        if len(line) > 4 * MAX_LINE or not CUES.search(line):
            continue
        for shape in LINE_PATTERNS:
            if match := shape.pattern.match(line):
                named = match.groupdict()
                message = _read_message(named["message"].strip(), lines[at + 1 : at + 2]) or line.strip()
                file = named.get("file") or _file_below(lines, at)
                normal = normalize_line(message)
                rank = shape.rank + (_LITTLE if SAYS_LITTLE.match(normal) else 0)
                yield _Error(line=line.strip(), message=message, normal=normal, file=file, rank=rank)
                break


# What Terraform draws around its errors.
_FRAME = re.compile(r"^[│┃╷╵] {0,2}")
_NESTED_MAKE = re.compile(r"^(g?make)\[\d+\]")


def _read_message(message: str, following: list[str]) -> str:
    """What a line says: where it ends with a colon or says nothing, the next one goes on (Rust's panic, RSpec)."""
    if not message or message.endswith(":"):
        message = " ".join((message, *(line.strip() for line in following))).strip()
    return _NESTED_MAKE.sub(r"\1", message)


# Behind every other line, the name of the failed test too.
_LITTLE = 10
_BELOW = re.compile(
    r"^\s*(?:-->|╭▸|╭─\[|at|┌─)\s[^\n]{0,200}?(?P<file>[\w@./\\+-]{1,200}\.[A-Za-z]\w{0,7}):\d"
)


def _file_below(lines: list[str], at: int) -> str:
    """rustc, ruff and JavaScript name the place on a line under the message."""
    for line in lines[at + 1 : at + 4]:
        if below := _BELOW.match(line[:MAX_LINE]):
            return below["file"]
    return ""


def _named(text: str) -> Iterator[str]:
    """Places named anywhere in the text, the last first: a traceback ends nearest to the error."""
    places = [match["file"] for match in PLACE.finditer(text)]
    yield from reversed(places[-40:]) if "Traceback" in text else places[:40]


_ASSERTION = re.compile(r"(?:\S{1,200} - )?(?:AssertionError|assert|expect|Expected)\b")


def _read_assertion(text: str, error: _Error) -> dict[str, str]:
    """Which test failed, and of a plain assertion what it asserts; nothing where an error speaks for itself."""
    failed = FAILED_TEST.search(text)
    if failed is None:
        return {}
    test = next(filter(None, failed.groups())).strip()
    source = ASSERTED_LINE.search(text) if _ASSERTION.match(error.message) else None
    asserted = " ".join(source["source"].split()) if source else ""
    return {"test": test, "asserted": asserted}


def _rule(message: str) -> str:
    for pattern in RULES:
        if named := pattern.search(message):
            return named[1]
    return ""


_FOREIGN = re.compile(
    r"(?:^|/)(?:node_modules|site-packages|dist-packages|vendor|\.venv|venv|\.cargo|\.rustup|go/pkg/mod|\.m2|\.gradle"
    r"|lib/python[\d.]+|usr/(?:lib|local|include)|internal/modules)/|^<|^node:|^internal/|^\.\./"
)


def _project_files(paths: Iterable[str], root: str) -> tuple[str, ...]:
    names: dict[str, None] = {}
    base = root.rstrip("/") + "/" if root else ""
    for path in paths:
        name = path.replace("\\", "/")
        if base and name.startswith(base):
            name = name[len(base) :]
        name = name.removeprefix("./")
        if not name or name.startswith(("/", "~")) or _FOREIGN.search(name) or ":" in name:
            continue
        if PurePosixPath(name).suffix:
            names[name] = None
    return tuple(names)[:_MAX_FILES]


# Runners repeat the command before they run it.
_ECHO = re.compile(r"(?:\[[\w:.-]{1,60}\] )?\$ |> |==> |\+ |# |\{|\[ ?\{")
_LOGGED = re.compile(r"(?:\S{1,30} ){0,2}\[?(?:INFO|DEBUG|NOTICE|info|debug)\b")
_COMPLAINS = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|fail(?:ed|s)?|failure|invalid|not|no|unable|denied|missing"
    r"|unexpected|refused|ignored"
    r"|conflict|illegal|must|required|unsupported|undefined)\b",
    re.IGNORECASE,
)


def _plain(text: str, *, is_harness: bool) -> Fault | None:
    """An error without any known shape: its first line is all there is to know it by, what was logged before apart."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _ECHO.match(line)]
    line = next((line for line in lines if not _LOGGED.match(line)), lines[0] if lines else "")
    normal = normalize_line(line)
    if not normal:
        return None
    says_nothing = "\t" in line or not _COMPLAINS.search(normal) or len(normal.split()) < _FEWEST_WORDS
    generic = is_harness or is_everyday(line) or says_nothing
    return Fault(signature=normal, shown=line[:MAX_LINE], lines=(normal,), is_generic=generic)


_FEWEST_WORDS = 3
