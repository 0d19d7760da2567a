"""Which texts speak against each other, and what becomes of the newer one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import contradictions
from recollect import Memory, Recollect, Remembered
from recollect.capture.contradict import explain_contradiction
from recollect.capture.quantities import quantities
from recollect.errors import BadInput, OnlyAPerson
from recollect.model.memory import MemoryState, RelationType
from recollect.model.provenance import Channel
from recollect.model.subject import parse_subjects
from recollect.providers.embed import EmbedderSettings, choose_tier, open_embedder
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

PAIRS = Path(__file__).parents[1] / "data" / "contradictions.jsonl"


def against(one: str, other: str) -> str:
    return explain_contradiction(one, (), other, ())


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Run the tests in parallel.", "Never run the tests in parallel.", "denies"),
        ("Force pushes are allowed.", "Force pushes are forbidden.", "denies"),
        ("The linter runs before the tests.", "The linter runs after the tests.", "before against after"),
        ("She prefers tabs over spaces.", "She prefers spaces over tabs.", "tabs and spaces exchanged"),
        ("The API listens on port 80.", "The API listens on port 8080.", "80 against 8080"),
        ("Tokens expire after 15 minutes.", "Tokens expire after an hour.", "900 s against 3600 s"),
        ("Deploys happen on Tuesdays.", "Deploys happen on Thursdays.", "tuesdays against thursdays"),
        ("Flags are stored in Redis.", "Flags are stored in Postgres.", "redis against postgres"),
        ("Marta owns billing.", "Jonas owns billing.", "marta against jonas"),
    ],
)
def test_it_says_in_what_they_differ(one: str, other: str, why: str) -> None:
    assert why in against(one, other)
    assert against(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Caddy starts after WireGuard.", "WireGuard starts before Caddy."),
        ("Sessions time out after half an hour.", "Sessions time out after 30 minutes."),
        ("At most five connections are opened.", "No more than 5 connections are opened."),
        ("Step 3 is done by the worker.", "Step 4 is done by the worker."),
        ("The tests fail on Windows.", "The tests fail on Linux."),
        ("We use Redis for caching.", "We use Redis for queues."),
        ("The build takes 4 minutes on CI.", "The build takes 12 minutes on the laptop."),
        ("Debug logging is on in development.", "Debug logging is off in production."),
        ("Retries are capped at three.", "Retries are capped at five for refunds."),
        ("Imported note 1", "Imported note 2"),
        ("", ""),
    ],
)
def test_another_circumstance_or_the_same_in_other_words_is_no_contradiction(one: str, other: str) -> None:
    assert against(one, other) == against(other, one) == ""


def test_a_long_text_says_many_things_and_contradicts_none() -> None:
    about = "It was noted in a long talk about other things. " * 20
    assert against(f"{about}The API listens on port 80.", f"{about}The API listens on port 8080.") == ""


def test_it_must_be_about_the_same_thing() -> None:
    one, other = "Needs 60 seconds to start", "Needs 5 seconds to start"
    jellyfin, postgres = parse_subjects(["service:jellyfin"]), parse_subjects(["service:postgres"])
    assert explain_contradiction(one, jellyfin, other, jellyfin)
    assert not explain_contradiction(one, jellyfin, other, postgres)
    assert not explain_contradiction(one, jellyfin, other, ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("15 minutes", {"900 s"}),
        ("a quarter of an hour", {"3600 s"}),
        ("half an hour", {"1800 s"}),
        ("daily at 02:00", {"86400 s", "2:00"}),
        ("60s or a minute", {"60 s"}),
        ("1.5 gb of 20%", {"1.5e+09 bytes", "20%"}),
        ("python 3.11 needs a key", {"3.11"}),
        ("twenty times", {"20"}),
        ("issue 42 and step two", set()),
        ("one of them", set()),
    ],
)
def test_a_quantity_has_one_form(text: str, found: set[str]) -> None:
    assert set(quantities(text)) == found


def test_on_labelled_pairs_it_is_right_nine_times_in_ten_and_finds_three_in_five() -> None:
    embedder = open_embedder(choose_tier(EmbedderSettings(tier="bundled")))
    assert embedder is not None
    pairs = contradictions.load(PAIRS)
    assert len(pairs) >= 150
    told = contradictions.run(pairs, embedder)
    for part in ("all", "dev", "held_out", "fresh"):
        assert told["recollect"][part].precision >= 90, part
        assert told["recollect"][part].recall >= 60, part
        assert told["recollect"][part].precision > told["likeness"][part].precision, part


# -- what becomes of the newer one ------------------------------------------------------------------------

OLD, NEW = "The API listens on port 80", "The API listens on port 8080"


@pytest.fixture
def agent(store_address: str, clock: Clock) -> Iterator[Recollect]:
    """The same store as `memory`, with an agent speaking."""
    with Recollect(
        store_address,
        folder=None,
        embedder=HashEmbedder(),
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    ) as opened:
        yield opened


def told(memory: Recollect, text: str) -> Memory:
    answer = memory.remember(text, about=["service:api"])
    assert isinstance(answer, Remembered)
    return memory.show(answer.memory.id)


def test_an_agents_newer_word_waits_beside_the_older(memory: Recollect, agent: Recollect) -> None:
    older, newer = told(memory, OLD), told(agent, NEW)
    assert (newer.state, newer.trust.needs_review) == (MemoryState.QUARANTINED, True)
    assert [(r.type, r.memory_id) for r in newer.relations] == [(RelationType.CONFLICTS_WITH, older.id)]
    assert memory.show(older.id) == older  # nobody has decided yet
    assert [hit.memory.id for hit in memory.recall("which port?")] == [older.id]
    assert memory.upkeep.conflicts() == [(newer, older)]


def test_a_persons_newer_word_is_in_use_and_asks_for_a_look(memory: Recollect) -> None:
    told(memory, OLD)
    newer = told(memory, NEW)
    assert (newer.state, newer.trust.needs_review) == (MemoryState.ACTIVE, True)


def test_settling_for_the_newer_supersedes_the_older(memory: Recollect, agent: Recollect) -> None:
    older, newer = told(memory, OLD), told(agent, NEW)
    done = memory.upkeep.settle(newer.id, older.id, why="moved behind the proxy")
    (kept,) = done.kept
    assert done.dropped is not None
    assert (kept.state, kept.trust.verified, kept.trust.needs_review) == (MemoryState.ACTIVE, True, False)
    assert [(r.type, r.memory_id) for r in kept.relations] == [(RelationType.SUPERSEDES, older.id)]
    assert (done.dropped.state, done.dropped.confidence) == (MemoryState.INACTIVE, pytest.approx(0.6))
    assert memory.upkeep.conflicts() == []
    memory.undo()
    assert (memory.show(older.id), memory.show(newer.id).state) == (older, MemoryState.QUARANTINED)


def test_settling_for_the_older_puts_the_newer_away(memory: Recollect, agent: Recollect) -> None:
    older, newer = told(memory, OLD), told(agent, NEW)
    memory.upkeep.settle(older.id, newer.id)
    assert memory.show(older.id).confidence == 0.8
    assert memory.show(newer.id).state is MemoryState.INACTIVE


def test_both_may_hold(memory: Recollect, agent: Recollect) -> None:
    older, newer = told(memory, OLD), told(agent, NEW)
    memory.upkeep.keep_both(older.id, newer.id)
    assert [memory.show(i.id).state for i in (older, newer)] == [MemoryState.ACTIVE] * 2
    assert memory.show(newer.id).relations == ()
    assert memory.upkeep.conflicts() == []


def test_only_a_person_settles_and_only_what_is_in_conflict(memory: Recollect, agent: Recollect) -> None:
    older, newer = told(memory, OLD), told(agent, NEW)
    other = told(memory, "Invoices are rounded down")
    with pytest.raises(OnlyAPerson):
        agent.upkeep.settle(newer.id, older.id)
    for one, two in ((older, other), (older, older)):
        with pytest.raises(BadInput, match="do not contradict each other"):
            memory.upkeep.settle(one.id, two.id)
    assert memory.upkeep.conflicts() == [(newer, older)]


def test_what_comes_back_from_an_export_is_not_judged_again(memory: Recollect) -> None:
    told(memory, OLD)
    lines = ['{"format": "recollect-memories", "version": 1}']
    lines.append(
        '{"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "created_at": "2026-01-01", "about": ["service:api"],'
        f' "text": "{NEW}"}}'
    )
    memory.admin.import_memories(lambda: iter(lines))
    assert memory.show("01ARZ3NDEKTSV4RRFFQ69G5FAV").state is MemoryState.ACTIVE
