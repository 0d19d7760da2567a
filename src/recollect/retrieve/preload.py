"""Preloading: the beginnings of files an agent will read anyway. Few, short, inside the project, without secrets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect.events.bounded_read import read_bounded
from recollect.events.excluded import find_excluded
from recollect.events.redact import redact
from recollect.model.value import dataclass

MAX_FILES = 5
MAX_CHARACTERS = 3_000
# More than this is not read to take secrets out of the beginning.
_MAX_BYTES = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PreloadedFile:
    """The beginning of a file, and how many characters the whole has."""

    path: str
    text: str
    characters: int


def preload_files(root: str, paths: Sequence[str], excluded: Sequence[str]) -> list[PreloadedFile]:
    """As many of these files as may be shown; what is gone, lies outside, is binary or is excluded is passed over."""
    top = Path(root).resolve()
    files = (
        _read_beginning(top, path) for path in paths[:MAX_FILES] if find_excluded([path], excluded) is None
    )
    return [file for file in files if file is not None]


def _read_beginning(top: Path, path: str) -> PreloadedFile | None:
    try:
        file = (top / path).resolve()
        if not file.is_relative_to(top):
            return None
        text = read_bounded(file, _MAX_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return None
    # Cleaned before it is cut: half a secret is not known for one.
    return PreloadedFile(path=path, text=_cut_at_line(redact(text).text), characters=len(text))


def _cut_at_line(text: str) -> str:
    """So much of a text as may be shown, in whole lines if it has any."""
    if len(text) <= MAX_CHARACTERS:
        return text
    return text[: text.rfind("\n", 0, MAX_CHARACTERS) + 1 or MAX_CHARACTERS]
