"""Readers never wait for a writer, and a store that may only be read can be asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from recollect import Recollect
from recollect.events.inbox import append, inbox_path
from recollect.store.sqlite import errors
from tests.hash_embedder import HashEmbedder
from tests.store.processes import NOBODY, child, is_root
from tests.store.test_open import reachable

__all__ = ["reachable"]

TEXT = "Retries are capped at three"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with Recollect(tmp_path / "memories.db", folder=None, embedder=HashEmbedder()) as memory:
        memory.remember(TEXT)
    return tmp_path / "memories.db"


@pytest.fixture
def _held(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another process writes, and takes an hour; so long would a writer wait."""
    monkeypatch.setattr(errors, "BUSY_SECONDS", 3600)
    writer = apsw.Connection(str(file))
    writer.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        writer.execute("ROLLBACK")
        writer.close()


def ends(act: Callable[[], object]) -> bool:
    """Whether an act ends by itself; one that waits for the writer would not."""
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    thread.join(60)
    return not thread.is_alive()


READS: dict[str, Callable[[Recollect], object]] = {
    "recall": lambda memory: memory.recall("retries"),
    "list": lambda memory: memory.list(),
    "show": lambda memory: memory.show(memory.list()[0].id),
    "context": lambda memory: memory.context("retries"),
    "pending": lambda memory: memory.reviews.pending(),
    "stats": lambda memory: memory.admin.stats(),
    "sessions": lambda memory: memory.observer.sessions(),
}


@pytest.mark.usefixtures("_held")
@pytest.mark.parametrize("read", READS)
def test_who_only_asks_does_not_wait_for_a_writer(file: Path, read: str) -> None:
    line = '{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","type":"prompt","at":"2026-05-08T12:00:00+00:00","session_id":"s"}'
    append(inbox_path(str(file)), [line])
    answers: list[object] = []

    def ask() -> None:
        with Recollect(file, folder=None, embedder=HashEmbedder(), create=False) as memory:
            answers.append(READS[read](memory))

    assert ends(ask)
    assert len(answers) == 1


def test_what_waited_is_taken_in_once_the_writer_is_done(file: Path) -> None:
    line = '{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","type":"prompt","at":"2026-05-08T12:00:00+00:00","session_id":"s"}'
    append(inbox_path(str(file)), [line])
    writer = apsw.Connection(str(file))
    writer.execute("BEGIN IMMEDIATE")
    with Recollect(file, folder=None, embedder=HashEmbedder()) as memory:
        memory.recall("retries")
        assert memory.observer.events("s") == []
        writer.execute("ROLLBACK")
        memory.recall("retries")
        assert len(memory.observer.events("s")) == 1
    writer.close()


ASK = """
from recollect import Recollect
def ask():
    with Recollect(given['db'], folder=None, create=False, embedder=HashEmbedder()) as memory:
        return memory.recall('retries').hits[0].memory.text
answer(told(ask))
"""


def test_a_store_that_may_only_be_read_can_be_asked(reachable: Path) -> None:
    file = reachable / "memories.db"
    with Recollect(file, folder=None, embedder=HashEmbedder()) as memory:
        memory.remember(TEXT)
    file.chmod(0o444)
    reachable.chmod(0o555)
    before = file.read_bytes()
    try:
        answer = child(ASK, user=NOBODY if is_root() else None, db=file)
    finally:
        reachable.chmod(0o755)
    assert answer.get("sentence", "") == "", answer
    assert file.read_bytes() == before
