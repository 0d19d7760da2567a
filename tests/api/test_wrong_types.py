"""What is plainly of another type is refused by the name of the argument, before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.errors import BadInput, RecollectError
from tests.builders import an_engine

# The calls are wrong on purpose, so nobody checks their types.
WRONG: dict[str, Callable[[Any], object]] = {
    "text": lambda memory: memory.remember(b"x"),
    "text ": lambda memory: memory.remember(None),
    "confidence": lambda memory: memory.remember("x", confidence="high"),
    "about": lambda memory: memory.remember("x", about=3),
    "each of about": lambda memory: memory.remember("x", about=[3]),
    "session": lambda memory: memory.remember("x", session=3),
    "fields": lambda memory: memory.remember("x", fields="abc"),
    "tags": lambda memory: memory.remember("x", tags=7),
    "each of tags": lambda memory: memory.remember("x", tags=["a", None]),
    "question": lambda memory: memory.recall(None),
    "question ": lambda memory: memory.recall(["x"]),
    "limit": lambda memory: memory.recall("x", limit="3"),
    "memory_id": lambda memory: memory.show(5),
    "drafts": lambda memory: memory.remember_many(None),
    "path": lambda memory: memory.admin.backup(5),
    "task": lambda memory: memory.context(5),
}


@pytest.mark.parametrize("argument", WRONG)
def test_a_wrong_type_is_refused_by_the_name_of_its_argument(memory: Recollect, argument: str) -> None:
    with pytest.raises(BadInput) as refused:
        WRONG[argument](memory)
    assert "unexpectedly" not in str(refused.value)
    assert memory.count() == 0


@pytest.mark.parametrize("place", [5, b"memories.db", ["a"]])
def test_a_place_of_another_type_makes_no_file(
    tmp_path: Path, place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecollectError):
        Recollect(place)
    with pytest.raises(RecollectError):
        Recollect(tmp_path / "m.db", folder=place)
    assert [file.name for file in tmp_path.iterdir()] == []


def test_what_fits_in_another_form_is_taken(tmp_path: Path) -> None:
    with an_engine(tmp_path / "m.db") as memory:
        memory.remember(
            "Retries are capped", about=(name for name in ("src/a.py",)), tags={"x"}, confidence=1
        )
        assert memory.count() == 1
