"""The N-th query of an act fails, for N = 1, 2, 3 … until it succeeds: before or after, never between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from recollect import Recollect
from recollect.errors import RecollectError, StoreFull
from recollect.model.json_form import memory_to_json
from recollect.store.safety import disk_ballast
from recollect.store.sqlite import driver
from tests.builders import an_engine
from tests.conftest import Clock
from tests.store.signature import assert_sound, signature

pytestmark = pytest.mark.sqlite


class Fault(RecollectError):
    """A query that failed on purpose."""


class Breaking:
    """Fails the N-th query from now on."""

    def __init__(self, number: int, error: BaseException) -> None:
        self.left = number
        self.error = error
        self.names: list[str] = []

    def __call__(self, name: str, parameters: dict[str, object]) -> None:
        self.names.append(name)
        self.left -= 1
        if self.left == 0:
            raise self.error


def filled(file: Path) -> tuple[Recollect, list[str]]:
    """Memories with everything that can hang on one, and vectors held in memory."""
    memory = an_engine(file, clock=Clock())
    ids = [
        memory.remember(
            text, about=["file:src/app.py", "service:api"], tags=["one", "two"], session="s1", kind="gotcha"
        ).memory.id
        for text in ("The cache must be warm", "Tokens expire at midnight", "Retries need a pause of 3 s")
    ]
    memory.edit(ids[1], text="Tokens expire at noon", tags=["three"])
    memory.pin(ids[2])
    # From the second search on the vectors are read into memory, where a rollback must reach them too.
    for question in ("cache", "tokens"):
        nearest(memory, question)
    return memory, ids


def nearest(memory: Recollect, text: str) -> dict[int, float]:
    door = memory._wiring.write_context()
    assert door.index is not None and door.embedder is not None
    return door.index.nearest(door.embedder.embed_query(text).vector, 10)


def exported_lines() -> list[str]:
    header = {"format": "recollect-memories", "version": 1}
    first = {
        "text": "Imported about the queue",
        "about": ["service:queue"],
        "tags": ["x"],
        "session_id": "s9",
    }
    second = {"text": "Imported about the parser", "project": {"key": "git:abc", "name": "parser"}}
    return [json.dumps(line) for line in (header, first, second)]


Do = Callable[[Recollect, list[str]], object]
ACTS: dict[str, Do] = {
    "remember": lambda memory, ids: memory.remember(
        "The build takes nine minutes", about=["service:ci"], tags=["build"], session="s1"
    ),
    "remember many": lambda memory, ids: memory.remember_many(
        [memory.draft(f"Worker {name} sleeps", session="s1") for name in ("amber", "bronze", "cobalt")]
    ),
    "edit": lambda memory, ids: memory.edit(
        ids[0], text="The cache may be cold", about=["file:src/cache.py"]
    ),
    "relate": lambda memory, ids: memory.edit(
        ids[0], relations=[{"type": "supersedes", "memory_id": ids[1]}, {"type": "validates", "path": "a.py"}]
    ),
    "pin": lambda memory, ids: memory.pin(ids[0]),
    "forget": lambda memory, ids: memory.forget(ids[0], ids[1]),
    "undo": lambda memory, ids: memory.undo(ids[1]),
    "purge": lambda memory, ids: memory.purge(ids[1]),
    "import": lambda memory, ids: memory.admin.import_memories(lambda: iter(exported_lines())),
    "write the index anew": lambda memory, ids: memory.admin.rebuild_search_index(),
}
FAULTS = {"a fault": Fault, "a full disk": lambda: apsw.FullError("database or disk is full")}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_done_whole_or_not_at_all(tmp_path: Path, name: str, fault: str) -> None:
    memory, ids = filled(tmp_path / "memories.db")
    with memory:
        before = signature(memory._db)
        # With room in reserve, forgetting would succeed on a full disk; that is told elsewhere.
        disk_ballast.release_ballast(memory._db.path)
        for number in range(1, 400):
            breaking = Breaking(number, FAULTS[fault]())
            memory._db.tracer = breaking
            try:
                ACTS[name](memory, ids)
            except (Fault, StoreFull):
                memory._db.tracer = None
                assert signature(memory._db) == before, (
                    f"query {number} ({breaking.names[-1]}) left something"
                )
                assert_sound(memory._db)
            else:
                memory._db.tracer = None
                break
        assert number > 3
        assert signature(memory._db) != before or name == "write the index anew"
        assert_sound(memory._db)
        print(f"{name}: {number - 1} places to fail")


def test_what_was_taken_back_is_not_left_among_the_vectors(tmp_path: Path) -> None:
    """A transaction taken back gives its numbers to the next one; the vectors in memory must not mix them."""
    memory, _ = filled(tmp_path / "memories.db")
    with memory:
        drafts = [memory.draft("Apples grow on trees"), memory.draft("Submarines dive below ice")]
        memory._db.tracer = lambda name, given: _fail_on_the_second(given)
        with pytest.raises(Fault):
            memory.remember_many(drafts)
        memory._db.tracer = None
        kept = memory.remember("Violins need new strings")
        num = _num(memory, kept.memory.id)
        assert nearest(memory, "Violins need new strings")[num] == pytest.approx(1.0, abs=1e-5)
        assert max(nearest(memory, "Apples grow on trees").values()) < 0.9
        assert max(nearest(memory, "Submarines dive below ice").values()) < 0.9


def _fail_on_the_second(given: dict[str, object]) -> None:
    if given.get("text") == "Submarines dive below ice":
        raise Fault


def _num(memory: Recollect, memory_id: str) -> int:
    row = memory._db.row("memory_num", id=memory_id)
    assert row
    return int(row["num"])


def test_the_commit_itself_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, _ = filled(tmp_path / "memories.db")
    with memory:
        before = signature(memory._db)
        with monkeypatch.context() as broken:
            broken.setattr(driver, "_WHOLE", ("BEGIN IMMEDIATE", "SELECT no_such_thing", "ROLLBACK"))
            with pytest.raises(RecollectError, match="no such column"):
                memory.remember("The build takes nine minutes")
        assert signature(memory._db) == before
        memory.remember("The build takes nine minutes")
        assert_sound(memory._db)


def test_an_interrupted_act_is_taken_back(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "memories.db")
    with memory:
        before = signature(memory._db)
        memory._db.tracer = Breaking(6, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            memory.remember("The build takes nine minutes", session="s1")
        memory._db.tracer = None
        assert signature(memory._db) == before
        memory.forget(ids[0])
        assert_sound(memory._db)


def test_an_act_that_was_broken_can_be_done_again_and_leaves_one_story(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "memories.db")
    with memory:
        stories = len(memory.history(ids[0]))
        memory._db.tracer = Breaking(5, Fault())
        with pytest.raises(Fault):
            memory.forget(ids[0])
        memory._db.tracer = None
        memory.forget(ids[0])
        assert len(memory.history(ids[0])) == stories + 1
        assert memory_to_json(memory.show(ids[0]))["state"] == "archived"
