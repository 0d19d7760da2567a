"""Memories offered unasked because of the files they are about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.model.query import Hit
from recollect.retrieve import offers
from tests.conftest import Clock
from tests.git.repos import a_repository, commit, isolate
from tests.hash_embedder import HashEmbedder


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Iterator[Recollect]:
    isolate(monkeypatch, tmp_path / "git-home")
    folder = a_repository(tmp_path / "shop")
    for name in ("pay.py", "tax.py", "cart.py"):
        commit(folder, name, "def total(): ...\n")
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def offered(memory: Recollect, likely: dict[str, float], limit: int = 9) -> list[Hit]:
    project = memory._wiring.project_id()
    return offers.offer_about_files(
        memory._wiring.db, likely, project, kinds=("gotcha", "error_pattern"), limit=limit
    )


def gotcha(memory: Recollect, text: str, *about: str, **details: Any) -> None:
    memory.remember(text, about=list(about), **({"kind": "gotcha"} | details))


def test_a_memory_is_as_probable_as_one_of_its_files_is_opened(memory: Recollect) -> None:
    gotcha(memory, "Rounds down", "pay.py", "tax.py")
    gotcha(memory, "Never empty", "cart.py")
    gotcha(memory, "Is slow", "tax.py::total")
    found = offered(memory, {"pay.py": 0.5, "tax.py": 0.2})
    assert [(hit.memory.text, round(hit.score, 3)) for hit in found] == [
        ("Rounds down", 0.6),
        ("Is slow", 0.2),
    ]
    assert [part.name for part in found[0].why] == ["about pay.py", "about tax.py"]


def test_a_file_and_its_symbol_are_one_file(memory: Recollect) -> None:
    gotcha(memory, "Rounds down", "pay.py", "pay.py::total")
    (hit,) = offered(memory, {"pay.py": 0.5})
    assert hit.score == pytest.approx(0.5)


def test_only_what_may_be_offered_and_the_best_first(memory: Recollect) -> None:
    gotcha(memory, "Of another sort", "pay.py", kind="decision")
    gotcha(memory, "Hardly sure", "pay.py", confidence=0.4)
    gotcha(memory, "Quite sure", "pay.py", confidence=0.9)
    gotcha(memory, "Not any more", "pay.py")
    memory.forget(offered(memory, {"pay.py": 0.5})[1].memory.id)
    assert [hit.memory.text for hit in offered(memory, {"pay.py": 0.5})] == ["Quite sure", "Hardly sure"]
    assert [hit.memory.text for hit in offered(memory, {"pay.py": 0.5}, limit=1)] == ["Quite sure"]
    assert offered(memory, {}) == []
