"""Proposal: one thing about a project that a newcomer would thank for. RepositoryTexts: what it is read from."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from recollect.errors import RepositoryError
from recollect.git.files import list_tracked
from recollect.model.path_kinds import VENDORED
from recollect.model.value import dataclass
from recollect.survey.checkout import read_plain_text

MAX_PATHS = 50_000
# What may be told of a name that somebody else chose.
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.][\w.:/@+-]{0,80}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """
    What could be remembered, with its place. `topic` tells proposals apart from one look to the next.

    What was parsed out of settings is observed. What a file says in its own words WAITS: it speaks after a yes only.
    """

    topic: str
    text: str
    kind: str
    path: str
    line: int
    # Between 0 and 1: how much a newcomer would miss it.
    usefulness: float
    waits: bool = False

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.path}:{self.line}"


class RepositoryTexts:
    """The files of a folder by path, and their texts, each read once and only as far as it is safe to."""

    def __init__(self, root: Path, excluded: Sequence[str] = ()) -> None:
        self._root, self._excluded = root, excluded
        self._texts: dict[str, str] = {}

    @cached_property
    def paths(self) -> list[str]:
        """What git tracks; outside of git, what lies there."""
        try:
            return list(islice(list_tracked(str(self._root)), MAX_PATHS))
        except RepositoryError:
            return list(islice(self._walk(), MAX_PATHS))

    @cached_property
    def top(self) -> frozenset[str]:
        """The names at the top."""
        return frozenset(path for path in self.paths if "/" not in path)

    def text(self, path: str) -> str:
        """The text of a file; empty where there is none."""
        if path not in self._texts:
            self._texts[path] = read_plain_text(self._root, path, self._excluded).replace("\r\n", "\n")
        return self._texts[path]

    def toml(self, path: str) -> dict[str, Any]:
        """A TOML file as a table; empty for what is none."""
        try:
            return tomllib.loads(self.text(path))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, path: str) -> dict[str, Any]:
        """A JSON file as a table; empty for what is none."""
        try:
            table = json.loads(self.text(path) or "{}")
        except (ValueError, RecursionError):
            return {}
        return table if isinstance(table, dict) else {}

    def line_of(self, path: str, words: str) -> int:
        """The first line that holds these words; the first of all where none does."""
        for number, line in enumerate(self.text(path).splitlines(), start=1):
            if words in line:
                return number
        return 1

    def _walk(self) -> Iterator[str]:
        for folder, names, files in os.walk(self._root):
            names[:] = sorted(name for name in names if name not in VENDORED and name != ".git")
            for file in sorted(files):
                yield Path(folder, file).relative_to(self._root).as_posix()


def get_inside(table: Mapping[str, Any], *keys: str) -> Any:
    """What stands at the end of these keys; None where one is missing."""
    value: Any = table
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def join_names(names: Sequence[str]) -> str:
    """Names as a person lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
