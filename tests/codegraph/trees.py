"""
Small projects written as text: `=== path` begins a file. A comment at the end of a line says what is expected of
it: `#> paths` are the files it depends on, `#= targets` are the definitions its calls mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
_FILE = re.compile(r"^=== (.+)\n", re.MULTILINE)
_IMPORTS = re.compile(r"(?:#|//)> (.*?)\s*(?:\*/)?$")
_CALLS = re.compile(r"(?:#|//)= (.*?)\s*$")


def files_in(text: str) -> dict[str, str]:
    parts = _FILE.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def load(kind: str, name: str) -> dict[str, str]:
    return files_in((HERE / kind / f"{name}.txt").read_text(encoding="utf-8"))


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def expected_imports(files: dict[str, str]) -> set[tuple[str, str]]:
    return {
        (path, target)
        for path, _, said in _marked(files, _IMPORTS)
        for target in said.split()
        if target != path
    }


def expected_calls(files: dict[str, str]) -> set[tuple[str, int, str]]:
    """Path and line of each call with what it means: `path::name`, or `::name` in the same file."""
    return {
        (path, line, target if not target.startswith("::") else path + target)
        for path, line, said in _marked(files, _CALLS)
        for target in said.split()
    }


def _marked(files: dict[str, str], mark: re.Pattern[str]) -> Iterator[tuple[str, int, str]]:
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), start=1):
            if found := mark.search(line):
                yield path, number, found[1]
