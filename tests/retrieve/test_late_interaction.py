"""The closer look: word against word, with the bundled model's own word vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recollect import Hit, Query, Recollect
from recollect.model.profile import PROFILES
from recollect.providers.embed_bundled import BundledEmbedder
from tests.conftest import Clock

MODEL = BundledEmbedder()
ONLY_CLOSER = replace(PROFILES["default"], lexical=0.0, semantic=0.25, recency=0.0)


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    with Recollect(tmp_path / "m.db", folder=None, embedder=MODEL, clock=clock) as opened:
        yield opened


def parts(hit: Hit) -> dict[str, float]:
    return {part.name: part.value for part in hit.why}


def test_it_stands_in_the_place_of_the_meaning(memory: Recollect) -> None:
    memory.remember("The nightly build takes nine minutes")
    (hit,) = memory.recall("how long does compiling last?").hits
    assert "meaning" not in parts(hit)
    assert 0.2 < parts(hit)["closer"] <= 1.0


def test_the_same_words_answer_best(memory: Recollect) -> None:
    memory.remember("The nightly build takes nine minutes")
    (hit,) = memory.recall("the nightly build takes nine minutes").hits
    assert parts(hit)["closer"] > 0.97


def test_a_long_memory_is_found_by_its_one_sentence(memory: Recollect) -> None:
    filler = "We talked about the weather, the garden and a walk along the river that afternoon. "
    memory.remember(filler * 12 + "My sister plays the cello in an orchestra. " + filler * 12)
    memory.remember("A violin hangs on the wall of the music shop next to the station")
    best = memory.recall(Query(text="which instrument does my sibling play?", profile=ONLY_CLOSER))[0]
    assert "cello" in best.memory.text


def test_a_short_memory_borrows_from_the_one_beside_it_in_its_session(memory: Recollect) -> None:
    for session, other in (("s1", "Which dog did you adopt?"), ("s2", "Which tram did you take?")):
        memory.remember(other, session=session)
        memory.remember(f"The brown one ({session})", session=session)
    question = Query(text="the adopted dog", profile=replace(ONLY_CLOSER, asks=0.0))
    found = {hit.memory.text: parts(hit)["closer"] for hit in memory.recall(question)}
    assert found["The brown one (s1)"] > found["The brown one (s2)"] + 0.1


def test_words_scattered_over_a_long_memory_do_not_add_up_to_an_answer(memory: Recollect) -> None:
    filler = "We talked about the weather, the garden and a walk along the river that afternoon. "
    said = ("My sister came by.", "He plays in the yard.", "A cello stood there.", "We saw an orchestra.")
    memory.remember((filler * 4).join((*said, "")))
    question = "my sister plays the cello in an orchestra"
    (scattered,) = memory.recall(Query(text=question, profile=ONLY_CLOSER)).hits
    memory.remember(filler * 20 + "My sister plays the cello in an orchestra.")
    best = memory.recall(Query(text=question, profile=ONLY_CLOSER))[0]
    assert parts(best)["closer"] > parts(scattered)["closer"] + 0.4
