"""The beginnings of files that an agent is going to read anyway: few, short, inside the project, without secrets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect.events.excluded import first_excluded
from recollect.events.redact import redact
from recollect.model.value import dataclass

MOST_FILES = 5
MOST_CHARACTERS = 3_000
# More than this is not read to take secrets out of the beginning.
_MOST_READ = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Preloaded:
    """The beginning of a file, and how many characters the whole has."""

    path: str
    text: str
    characters: int


def preloaded(root: str, paths: Sequence[str], excluded: Sequence[str]) -> list[Preloaded]:
    """As many of these files as may be shown; what is gone, lies outside, is binary or is excluded is passed over."""
    top = Path(root).resolve()
    found = (_read(top, path) for path in paths[:MOST_FILES] if first_excluded([path], excluded) is None)
    return [one for one in found if one is not None]


def _read(top: Path, path: str) -> Preloaded | None:
    try:
        file = (top / path).resolve()
        if not file.is_relative_to(top) or not file.is_file() or file.stat().st_size > _MOST_READ:
            return None
        text = file.read_text("utf-8")
    except (OSError, ValueError):
        return None
    # Cleaned before it is cut: half a secret is not known for one.
    return Preloaded(path=path, text=_beginning(redact(text).text), characters=len(text))


def _beginning(text: str) -> str:
    """So much of a text as may be shown, in whole lines if it has any."""
    if len(text) <= MOST_CHARACTERS:
        return text
    return text[: text.rfind("\n", 0, MOST_CHARACTERS) + 1 or MOST_CHARACTERS]
