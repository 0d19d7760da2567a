"""Changing the model: said, shown as it goes, resumable, and the old vectors serve until it is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.doctor import repair
from recollect.errors import ProviderUnreachable
from recollect.providers.embed import EmbedderChoice
from recollect.store.tables import meta
from tests.api.scripted_embedder import ScriptedEmbedder
from tests.conftest import Clock


def opened(tmp_path: Path, clock: Clock, model: ScriptedEmbedder) -> Recollect:
    return Recollect(tmp_path / "m.db", folder=None, embedder=model, clock=clock)


@pytest.fixture
def old(tmp_path: Path, clock: Clock) -> ScriptedEmbedder:
    """A store with 200 memories of the model "old"."""
    model = ScriptedEmbedder({"Fact 7 is known": 1.0, "asked": 1.0}, model_id="old")
    with opened(tmp_path, clock, model) as memory:
        memory.remember_many([memory.draft(f"Fact {n} is known") for n in range(200)])
        memory.remember("costs 400 tokens", kind="context_cost")
    return model


def test_every_embedded_kind_gets_the_new_vectors_and_the_old_ones_go(
    tmp_path: Path, clock: Clock, old: ScriptedEmbedder
) -> None:
    steps: list[tuple[int, int]] = []
    with opened(tmp_path, clock, ScriptedEmbedder(model_id="new")) as memory:
        assert memory.admin.unembedded() == 200
        done = memory.admin.reindex(lambda now, total: steps.append((now, total)))
        assert (done.model_id, done.embedded, done.dropped) == ("new", 200, ("old",))
        assert memory.admin.stats().vectors == {"new": 200}
        assert memory.admin.unembedded() == 0
    assert steps == sorted(steps)
    assert steps[-1] == (200, 200)
    assert len(steps) > 2


def test_stopped_in_the_middle_it_goes_on_from_there_and_the_old_vectors_serve_meanwhile(
    tmp_path: Path, clock: Clock, old: ScriptedEmbedder
) -> None:
    dying = ScriptedEmbedder(model_id="new")
    dying.fails_after = 150
    with opened(tmp_path, clock, dying) as memory, pytest.raises(ProviderUnreachable, match="in the middle"):
        memory.admin.reindex()
    with opened(tmp_path, clock, old) as memory:
        vectors = memory.admin.stats().vectors
        assert vectors["old"] == 200
        assert 0 < vectors["new"] < 200
        assert memory.recall("asked", profile="v3", limit=1)[0].memory.text == "Fact 7 is known"
    healthy = ScriptedEmbedder(model_id="new")
    with opened(tmp_path, clock, healthy) as memory:
        done = memory.admin.reindex()
        assert done.embedded == 200 - vectors["new"]
        assert len(healthy.seen) == done.embedded
        assert memory.admin.stats().vectors == {"new": 200}


def test_an_interruption_by_hand_keeps_what_was_done(
    tmp_path: Path, clock: Clock, old: ScriptedEmbedder
) -> None:
    def stop(done: int, total: int) -> None:
        if done >= 64:
            raise KeyboardInterrupt

    with opened(tmp_path, clock, ScriptedEmbedder(model_id="new")) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.admin.reindex(stop)
        assert memory.admin.stats().vectors == {"old": 200, "new": 64}
        assert memory.admin.reindex().embedded == 136


def test_a_second_time_there_is_nothing_to_do(tmp_path: Path, clock: Clock, old: ScriptedEmbedder) -> None:
    with opened(tmp_path, clock, old) as memory:
        assert memory.admin.reindex().embedded == 0
        assert memory.admin.stats().vectors == {"old": 200}


def test_without_vectors_at_all_they_go_and_words_still_find(tmp_path: Path, clock: Clock) -> None:
    settings = config.load_settings(flags={"embedding.tier": "none"})
    with opened(tmp_path, clock, ScriptedEmbedder()) as memory:
        memory.remember("The printer is upstairs")
    with Recollect(tmp_path / "m.db", folder=None, settings=settings, clock=clock) as memory:
        assert memory.admin.reindex().model_id == "none"
        assert memory.admin.stats().vectors == {}
        assert len(memory.recall("printer")) == 1


def test_settings_that_leave_the_model_open_keep_the_one_the_store_lives_with(
    tmp_path: Path, clock: Clock
) -> None:
    """A server that is down just now must not cost the store its vectors, by command or by mending."""
    with Recollect(tmp_path / "m.db", folder=None, clock=clock) as memory:
        choice = EmbedderChoice(
            tier="ollama", model="m", url="http://127.0.0.1:9", dimensions=64, duplicate_threshold=0.9
        )
        meta.save_meta(memory._db, "embedder", choice.to_text())
    settings = config.load_settings(flags={"db": str(tmp_path / "m.db")})
    with Recollect(settings=settings, folder=None, clock=clock) as memory:
        answer = memory.remember("Kept without a vector")
        assert "127.0.0.1:9" in answer.unembedded  # type: ignore[union-attr]
        with pytest.raises(ProviderUnreachable):
            memory.admin.reindex()
        assert memory.admin.embedding().tier == "ollama"
    with pytest.raises(ProviderUnreachable):
        repair(settings, lambda done, total: None)
    with Recollect(settings=settings, folder=None, clock=clock) as memory:
        assert memory.admin.embedding().tier == "ollama"
