"""What somebody says a memory was worth, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect, Remembered
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder


def told(memory: Recollect, text: str, about: str = "service:web") -> str:
    answer = memory.remember(text, about=[about])
    assert isinstance(answer, Remembered)
    return answer.memory.id


def test_judgements_are_counted_told_and_taken_back(memory: Recollect) -> None:
    name = told(memory, "Retries are capped at three")
    memory.upkeep.judge(name, useful=True)
    memory.upkeep.judge(name, useful=True, why="it saved an hour")
    memory.upkeep.judge(name, useful=False)
    found = memory.show(name)
    assert (found.useful, found.noise, found.confidence) == (2, 1, 0.8)
    assert [change.action for change in memory.history(name)] == ["remember", "useful", "useful", "noise"]
    memory.undo()
    assert (memory.show(name).useful, memory.show(name).noise) == (2, 0)


def test_what_was_judged_useful_ranks_before_its_equal_and_noise_after(memory: Recollect) -> None:
    names = [
        told(memory, f"The {n} cache is cleared at night", f"service:{n}") for n in ("red", "green", "blue")
    ]
    memory.upkeep.judge(names[1], useful=True)
    memory.upkeep.judge(names[2], useful=False)
    hits = list(memory.recall("when is the cache cleared?"))
    assert next(hit.memory.id for hit in hits) == names[1]
    assert [hit.memory.id for hit in hits][-1] == names[2]
    parts = {hit.memory.id: {part.name: part.added for part in hit.why} for hit in hits}
    assert parts[names[1]]["judged"] == -parts[names[2]]["judged"] == pytest.approx(0.01)
    assert "judged" not in parts[names[0]]


def test_no_number_of_judgements_outweighs_the_text(memory: Recollect) -> None:
    name = told(memory, "The cache is cleared at night")
    for _ in range(50):
        memory.upkeep.judge(name, useful=True)
    (hit,) = memory.recall("when is the cache cleared?")
    assert {part.name: part.added for part in hit.why}["judged"] < 0.03


@pytest.mark.parametrize("reason", ["wrong", "outdated"])
def test_a_persons_objection_takes_it_out_of_use(memory: Recollect, reason: str) -> None:
    name = told(memory, "Retries are capped at three")
    found = memory.upkeep.flag(name, reason, why="five since March")
    assert (found.state, found.confidence) == (MemoryState.INACTIVE, pytest.approx(0.6))
    assert (memory.history(name)[-1].action, memory.history(name)[-1].why) == (reason, "five since March")
    memory.undo()
    assert memory.show(name).state is MemoryState.ACTIVE


@pytest.mark.parametrize(
    ("reason", "state"), [("wrong", MemoryState.INACTIVE), ("outdated", MemoryState.ACTIVE)]
)
def test_an_agents_objection_silences_what_is_wrong_and_asks_a_person_to_look(
    tmp_path: Path, clock: Clock, reason: str, state: MemoryState
) -> None:
    with Recollect(
        tmp_path / "m.db",
        folder=None,
        embedder=HashEmbedder(),
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    ) as memory:
        found = memory.upkeep.flag(told(memory, "Retries are capped at three"), reason)
        assert (found.state, found.trust.needs_review, found.confidence) == (state, True, 0.8)
        assert [one.memory.id for one in memory.reviews.pending()] == [found.id]
