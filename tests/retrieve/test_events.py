"""Questions that date themselves by an event memory knows of."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import Hit, Query, Recollect
from tests.hash_embedder import HashEmbedder


def when(month: int) -> datetime:
    return datetime(2026, month, 10, tzinfo=UTC)


@pytest.fixture
def dated(memory: Recollect) -> Recollect:
    memory.remember("The great migration of the billing database happened", at=when(3))
    memory.remember("We changed the retry limit to three", at=when(1))
    memory.remember("We changed the retry limit to nine", at=when(5))
    return memory


def time_of(hit: Hit) -> float:
    return {part.name: part.value for part in hit.why}.get("time", 0.0)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("how did we change the retry limit before the billing migration", "three"),
        ("how did we change the retry limit after the billing migration", "nine"),
    ],
)
def test_an_event_dates_the_question(dated: Recollect, question: str, wanted: str) -> None:
    hits = [hit for hit in dated.recall(question) if "retry" in hit.memory.text]
    fitting = max(hits, key=time_of)
    assert wanted in fitting.memory.text
    assert time_of(fitting) == 1.0
    assert hits[0] is fitting


def test_an_event_nobody_noted_dates_nothing(dated: Recollect) -> None:
    assert all(time_of(hit) == 0 for hit in dated.recall("the retry limit before the zeppelin parade"))


def test_a_session_of_another_project_lends_no_words(memory: Recollect, tmp_path: Path) -> None:
    """Two projects may use one session id; what was noted in one must not answer in the other."""
    for name, text in (("one", "The walrus protocol is on"), ("two", "Lunch is at noon")):
        (tmp_path / name).mkdir()
        with Recollect(tmp_path / "memories.db", folder=tmp_path / name, embedder=HashEmbedder()) as there:
            there.remember(text, session="same")
    with Recollect(tmp_path / "memories.db", folder=tmp_path / "two", embedder=HashEmbedder()) as there:
        hits = there.recall(Query(text="walrus protocol", filters=there.filters(), profile="keywords"))
    assert all(part.name != "words" for hit in hits for part in hit.why)
