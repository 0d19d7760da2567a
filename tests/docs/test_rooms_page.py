"""ARCHITECTURE.md and the glossary name files that are there, and the picture is the one the contracts draw."""

from __future__ import annotations

import re
import sys

import pytest

from tests.docs.pages import ROOT, text_of

_FILE = re.compile(r"`((?:[\w*]+/)*[\w*]+\.py|(?:\w+/)+)`")
PACKAGE = ROOT / "src" / "recollect"


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/glossary.md"])
def test_every_file_that_is_named_is_there(page: str) -> None:
    # The files in the story of a memory are made up.
    names = set(_FILE.findall(text_of(page))) - {"src/retry.py", "retry.py", "backoff.py"}
    assert len(names) > 20
    missing = [name for name in names if not _is_there(name)]
    assert sorted(missing) == []


def _is_there(name: str) -> bool:
    """From the top of the package, of the repository, or a bare name that stands beside one named in full."""
    bases = (
        (PACKAGE, ROOT)
        if "/" in name
        else (PACKAGE, ROOT, *(path for path in PACKAGE.iterdir()), PACKAGE / "observe/recognise")
    )
    return any(any(base.glob(name)) for base in bases)


def test_the_picture_of_the_rooms_is_drawn_from_the_contracts() -> None:
    sys.path.insert(0, str(ROOT / "tools" / "docs"))
    try:
        import rooms
    finally:
        sys.path.pop(0)
    assert text_of("docs/rooms.svg") == rooms.picture(), "run: make docs"
    drawn = {room for layer in rooms.layers() for room in layer} - {"__main__"}
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert drawn == folders | modules
