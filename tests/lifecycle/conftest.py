"""A repository with one file worth remembering something about, and a memory opened in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Remembered
from tests.conftest import Clock
from tests.git.repos import a_repository, commit, isolate
from tests.hash_embedder import HashEmbedder

LINES = [f"line {number} of the module, long enough to weigh\n" for number in range(50)]
CODE = "".join(LINES)

At = Callable[[Path | None], Recollect]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "git-home")
    made = a_repository(tmp_path / "shop")
    commit(made, "src/auth.py", CODE)
    return made


@pytest.fixture
def at(tmp_path: Path, clock: Clock) -> At:
    def open_at(folder: Path | None) -> Recollect:
        return Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock)

    return open_at


@pytest.fixture
def shop(repository: Path, at: At) -> Iterator[Recollect]:
    """Memory, seen from the repository."""
    with at(repository) as memory:
        yield memory


def learn(
    memory: Recollect, about: str = "src/auth.py", text: str = "Tokens are renewed here", **details: object
) -> str:
    """Remember something about a file; its id."""
    answer = memory.remember(text, about=[about], **({"kind": "gotcha"} | details))  # type: ignore[arg-type]
    assert isinstance(answer, Remembered)
    return answer.memory.id
