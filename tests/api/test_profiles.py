"""The ranking formulas, worked out by hand on small cases; what every score is made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Hit, Recollect, Remembered
from recollect.model.profile import PROFILES
from recollect.model.provenance import Channel
from tests.api.scripted_embedder import ScriptedEmbedder
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder


@pytest.fixture
def model() -> ScriptedEmbedder:
    return ScriptedEmbedder()


@pytest.fixture
def store(tmp_path: Path, clock: Clock, model: ScriptedEmbedder) -> Iterator[Recollect]:
    with Recollect(tmp_path / "m.db", folder=None, embedder=model, clock=clock) as opened:
        yield opened


def kept(memory: Recollect, text: str, **details: object) -> str:
    answer = memory.remember(text, **details)  # type: ignore[arg-type]
    assert isinstance(answer, Remembered)
    return answer.memory.id


def values(hit: Hit) -> dict[str, float]:
    return {part.name: part.value for part in hit.why}


def added(hit: Hit) -> dict[str, float]:
    return {part.name: part.added for part in hit.why}


def test_v3_is_six_tenths_meaning_a_quarter_recency_and_the_rest_frequency(
    store: Recollect, model: ScriptedEmbedder, clock: Clock
) -> None:
    model.cosines = {"asked": 1.0, "near one": 0.8, "far one": 0.4}
    near, far = kept(store, "near one"), kept(store, "far one")
    clock.pass_(days=15)
    hits = {hit.memory.id: hit for hit in store.recall("asked", profile="v3")}
    recency = math.exp(-15 / 30)
    assert hits[near].score == pytest.approx(0.6 * 0.8 + 0.25 * recency, abs=1e-4)
    # Metadata never outweighs text: 0.25 × recency stays under 0.6 × 0.4 here, so nothing is cut.
    assert hits[far].score == pytest.approx(0.6 * 0.4 + 0.25 * recency, abs=1e-4)
    assert values(hits[near])["recency"] == pytest.approx(recency)


def test_v3_counts_use_on_a_logarithmic_scale(
    store: Recollect, model: ScriptedEmbedder, clock: Clock
) -> None:
    model.cosines = {"asked": 1.0, "apples are red": 0.999, "pears are green": 0.99}
    model.duplicate_threshold = 1.0
    often, seldom = kept(store, "apples are red"), kept(store, "pears are green")
    for question, times in (("apples are red", 6), ("pears are green", 2)):
        for _ in range(times):
            store.recall(question, limit=1, profile="v3", filters=store.filters(since=clock()))
    store.remember("anything that writes")
    counts = {item.id: item.access_count for item in store.list()}
    assert (counts[often], counts[seldom]) == (6, 2)
    hits = {hit.memory.id: hit for hit in store.recall("asked", profile="v3")}
    expected = math.log1p(counts[seldom]) / math.log1p(counts[often])
    assert values(hits[often])["frequency"] == pytest.approx(1.0)
    assert values(hits[seldom])["frequency"] == pytest.approx(expected)
    said = 0.6 * 0.99 + 0.25 * 1.0 + 0.15 * expected
    assert hits[seldom].score == pytest.approx(said, abs=1e-3)


@pytest.mark.parametrize(
    ("age", "step"),
    [
        ({"minutes": 30}, 1.0),
        ({"hours": 1}, 1.0),
        ({"hours": 2}, 0.7),
        ({"hours": 24}, 0.7),
        ({"days": 2}, 0.4),
        ({"days": 7}, 0.4),
        ({"days": 8}, 0.2),
        ({"days": 400}, 0.2),
    ],
)
def test_keywords_lets_recency_fall_in_steps(
    store: Recollect, clock: Clock, age: dict[str, float], step: float
) -> None:
    kept(store, "the gizmo is blue")
    for number in range(8):  # company, so that the words of the first tell something
        kept(store, f"unrelated matter {number}")
    clock.pass_(**age)
    (hit,) = store.recall("gizmo", profile="keywords")
    # Both may have been cut to what the text says, by the same share.
    parts = added(hit)
    assert parts["recency"] / parts["success"] == pytest.approx((0.3 * step) / (0.1 * 0.8))


def test_keywords_is_four_parts_words_three_recency_two_use_one_success(
    store: Recollect, clock: Clock
) -> None:
    made = kept(store, "the gizmo is blue", confidence=0.5)
    for number in range(8):
        kept(store, f"unrelated matter {number}")
    store.recall("gizmo", profile="keywords")
    store.remember("something that writes")
    clock.pass_(hours=3)
    (hit,) = store.recall("gizmo", profile="keywords")
    assert hit.memory.id == made
    parts = added(hit)
    facts = {"recency": 0.3 * 0.7, "frequency": 0.2 * 1.0, "success": 0.1 * 0.5}
    assert 0 < parts["words"] <= 0.4
    share = min(1.0, parts["words"] / sum(facts.values()))
    assert parts == pytest.approx(
        {"words": parts["words"]} | {name: fact * share for name, fact in facts.items()}
    )
    assert hit.score == pytest.approx(parts["words"] + sum(facts.values()) * share)


def test_keywords_takes_the_success_of_a_recipe_from_its_record(store: Recollect) -> None:
    fields = {"success_rate": 0.25, "success_count": 1}
    kept(store, "the gizmo recipe", kind="workflow_recipe", fields=fields)
    for number in range(8):
        kept(store, f"unrelated matter {number}")
    (hit,) = store.recall("gizmo", profile="keywords")
    assert added(hit)["success"] / added(hit)["recency"] == pytest.approx((0.1 * 0.25) / (0.3 * 1.0))


def test_keywords_asks_no_model(store: Recollect, model: ScriptedEmbedder) -> None:
    kept(store, "the gizmo is blue")
    model.is_down = True
    found = store.recall("gizmo", profile="keywords")
    assert len(found) == 1
    assert found.notes == ()


@pytest.mark.parametrize("profile", list(PROFILES))
def test_age_use_and_success_never_add_more_than_the_text(
    memory: Recollect, clock: Clock, profile: str
) -> None:
    memory.remember("apples pears and plums grow in the long garden behind the old mill house")
    for number in range(30):
        memory.remember(f"remark {number} on quite another matter")
    for _ in range(50):
        memory.recall("apples")
    memory.remember("a write")
    for hit in memory.recall("apples weather forecast bicycle repair remark", profile=profile, limit=50):
        text = sum(p.added for p in hit.why if p.name not in FACTS)
        facts = sum(p.added for p in hit.why if p.name in FACTS)
        assert facts <= max(0.0, text) + 1e-9


FACTS = ("recency", "frequency", "success")


def test_a_popular_memory_does_not_beat_the_one_that_answers(memory: Recollect) -> None:
    for number in range(20):
        memory.remember(f"filler {number} on the weather of day {number}")
    popular = kept(memory, "the office plants are watered on fridays")
    for _ in range(200):
        memory.recall("office plants", limit=1)
    answer = kept(memory, "the backup job writes to the vault bucket")
    for profile in PROFILES:
        best = memory.recall("where does the backup job write", profile=profile)[0]
        assert best.memory.id == answer, profile
    assert memory.show(popular).access_count >= 200


@pytest.mark.parametrize("profile", list(PROFILES))
@pytest.mark.parametrize("phase", [None, "implement", "validate"])
def test_the_parts_of_every_hit_add_up_to_its_score(
    tmp_path: Path, clock: Clock, profile: str, phase: str | None
) -> None:
    with Recollect(tmp_path / "m.db", folder=None, embedder=HashEmbedder(), clock=clock) as memory:
        kinds = ("gotcha", "decision", "context_cost", "error_pattern", "fact")
        for number in range(40):
            clock.pass_(hours=7)
            memory.remember(
                f"note {number} on the token cache of service {number % 5}",
                kind=kinds[number % 5],
                about=[f"service:svc{number % 5}"],
                session=f"s{number // 4}",
            )
        found = memory.recall("token cache of svc3 last week", profile=profile, phase=phase, limit=40)
        assert len(found) > 10
        for hit in found:
            assert math.fsum(part.added for part in hit.why) == pytest.approx(hit.score, abs=1e-9)
            assert all(part.name and part.added for part in hit.why)
        scores = [hit.score for hit in found]
        assert scores == sorted(scores, reverse=True)


def test_a_phase_brings_fitting_kinds_first(store: Recollect) -> None:
    kept(store, "token cache decision", kind="decision")
    kept(store, "token cache gotcha", kind="gotcha")
    assert store.recall("token cache", phase="implement")[0].memory.kind == "gotcha"
    assert store.recall("token cache", phase="explore")[0].memory.kind == "decision"
    parts = added(store.recall("token cache", phase="explore")[0])
    parts.pop("answers")  # it puts in order what the search has weighed
    assert parts.pop("phase") == pytest.approx(0.4 * sum(parts.values()))


def test_only_what_an_agent_said_and_nobody_confirmed_is_taken_off(store: Recollect) -> None:
    mine = kept(store, "Deploys of the shop go out at night")
    theirs = kept(store, "Deploys of the blog go out at noon", channel=Channel.AGENT)
    yes = kept(store, "Deploys of the wiki go out at dawn", channel=Channel.AGENT)
    store.reviews.confirm(yes)
    hits = {hit.memory.id: added(hit) for hit in store.recall("when do deploys go out", profile="default")}
    assert hits[theirs]["unconfirmed"] == -PROFILES["default"].unconfirmed
    assert "unconfirmed" not in hits[mine] | hits[yes]
