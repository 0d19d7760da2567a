"""The same thing said twice is kept once; what only sounds the same is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from recollect import AlreadyKnown, Recollect, Remembered
from recollect.capture.duplicate import has_same_particulars
from recollect.model.embedding import Embedding
from recollect.providers.embed_bundled import BundledEmbedder
from tests.api.scripted_embedder import ScriptedEmbedder
from tests.conftest import Clock
from tests.git.repos import a_repository, isolate

PARAPHRASES = Path(__file__).parents[1] / "data" / "paraphrases.jsonl"


def test_the_same_text_twice_is_already_known_and_it_says_which(memory: Recollect) -> None:
    first = memory.remember("Retries are capped at 3")
    second = memory.remember("Retries are capped at 3")
    assert isinstance(first, Remembered)
    assert isinstance(second, AlreadyKnown)
    assert (second.memory.id, second.likeness) == (first.memory.id, 1.0)
    assert memory.count() == 1


@pytest.mark.parametrize(
    "again",
    [
        "retries are capped at 3",
        "  Retries   are\ncapped at 3.  ",
        "RETRIES ARE CAPPED AT 3!",
        '"Retries are capped at 3"',
        "Retries are capped at ３",
        "Retries\u200b are capped at 3",
        "Retries are capped at 3…",
    ],
)
def test_spelling_habits_do_not_make_another_memory(memory: Recollect, again: str) -> None:
    memory.remember("Retries are capped at 3")
    assert isinstance(memory.remember(again), AlreadyKnown)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retries are capped at 3", "Retries are capped at 5"),
        ("Retries are capped at three", "Retries are capped at five"),
        ("Tokens expire after fifteen minutes", "Tokens expire after sixty minutes"),
        ("The port is 8080", "The port is 8081"),
        ("Needs Python 3.11", "Needs Python 3.12"),
        ("Backups start at 02:00", "Backups start at 04:00"),
        ("Ask Alex about billing", "Ask Maria about billing"),
        ("Alex prefers tabs", "Maria prefers tabs"),
        ("The review is on Thursday", "The review is on Friday"),
        ("Sessions live in Redis", "Sessions live in Memcached"),
        ("Settings are in src/app.py", "Settings are in src/main.py"),
        ("Call refreshToken first", "Call revokeToken first"),
        ("The table is job_result", "The table is job_status"),
        ("Set DATABASE_URL before the tests", "Set STRIPE_KEY before the tests"),
        ("Run it with --fast", "Run it with --slow"),
        ("Run `make demo` once", "Run `make test` once"),
        ("Production runs in eu-central-1", "Production runs in eu-west-1"),
        ("Run the tests in parallel", "Do not run the tests in parallel"),
        ("The cache is used", "The cache is never used"),
        ("The user wants answers with emojis", "The user wants answers without emojis"),
        ("Use pnpm here, not npm", "Use npm here, not pnpm"),
        ("Sessions are kept in Redis, not in cookies", "Sessions are kept in cookies, not in Redis"),
        ("Commit before the deploy", "Commit after the deploy"),
        ("Type hints are required", "Type hints are optional"),
        ("Enable the cache in development", "Disable the cache in development"),
    ],
)
def test_a_changed_particular_is_another_memory_however_alike_the_vectors(
    tmp_path: Path, clock: Clock, one: str, other: str
) -> None:
    embedder = ScriptedEmbedder({one: 1.0, other: 0.95})
    with Recollect(tmp_path / "m.db", folder=None, embedder=embedder, clock=clock) as memory:
        assert isinstance(memory.remember(one), Remembered)
        assert isinstance(memory.remember(other), Remembered)
        assert memory.count() == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retries are capped at 3", "We cap retries at 3"),
        ("Retries are capped at three", "The number of retries is limited to 3"),
        ("Never run migrations in parallel", "Migrations must not run in parallel"),
        ("Use pnpm, not npm", "This repository uses pnpm rather than npm"),
        ("The report needs joins, so PostgreSQL", "Postgres, because the report needs joins"),
    ],
)
def test_the_same_thing_in_other_words_is_already_known(
    tmp_path: Path, clock: Clock, one: str, other: str
) -> None:
    embedder = ScriptedEmbedder({one: 1.0, other: 0.95})
    with Recollect(tmp_path / "m.db", folder=None, embedder=embedder, clock=clock) as memory:
        first = memory.remember(one)
        second = memory.remember(other)
        assert isinstance(first, Remembered)
        assert isinstance(second, AlreadyKnown)
        assert second.memory.id == first.memory.id
        assert second.likeness == pytest.approx(0.95, abs=1e-4)


def test_what_is_less_alike_than_the_models_own_threshold_is_kept(tmp_path: Path, clock: Clock) -> None:
    texts = {"Deploys happen at night": 1.0, "Deploying is done by night": 0.87, "We deploy nightly": 0.89}
    with Recollect(tmp_path / "m.db", folder=None, embedder=ScriptedEmbedder(texts), clock=clock) as memory:
        answers = [memory.remember(text) for text in texts]
    assert [type(answer) for answer in answers] == [Remembered, Remembered, AlreadyKnown]


def test_the_most_alike_of_several_is_named(tmp_path: Path, clock: Clock) -> None:
    # Angles on one side of the axis: 0.90 and 1.0 both are close to 0.99, the latter closer.
    script = {"deploys run at night": 0.90, "deploys are run nightly": 1.0, "we run deploys nightly": 0.99}
    embedder = ScriptedEmbedder(script)
    embedder.duplicate_threshold = 0.93
    with Recollect(tmp_path / "m.db", folder=None, embedder=embedder, clock=clock) as memory:
        _, second, third = (memory.remember(text) for text in script)
    assert isinstance(second, Remembered)
    assert isinstance(third, AlreadyKnown)
    assert third.memory.id == second.memory.id


def test_the_same_words_about_another_thing_are_another_memory(memory: Recollect) -> None:
    for service in ("caddy", "postgres", "redis", "nginx", "vault", "consul"):
        answer = memory.remember("Needs a restart after a config change", about=[f"service:{service}"])
        assert isinstance(answer, Remembered)
    again = memory.remember("Needs a restart after a config change", about=["service:consul"])
    assert isinstance(again, AlreadyKnown)
    assert str(again.memory.subjects[0]) == "service:consul"


def test_that_holds_for_kinds_without_vectors_too(memory: Recollect) -> None:
    for number in range(8):
        memory.remember("Went well", kind="work_unit_outcome", about=[f"module:m{number}"])
    again = memory.remember("Went well", kind="work_unit_outcome", about=["module:m7"])
    assert isinstance(again, AlreadyKnown)
    assert memory.count() == 8


def test_the_same_words_of_another_kind_are_another_memory(memory: Recollect) -> None:
    assert isinstance(memory.remember("Use tabs", kind="decision"), Remembered)
    assert isinstance(memory.remember("Use tabs", kind="requirement"), Remembered)


def test_the_same_words_in_another_project_are_another_memory(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, tmp_path / "git-home")
    for name in ("one", "two"):
        repository = a_repository(tmp_path / name)
        with Recollect(
            tmp_path / "m.db", folder=repository, embedder=ScriptedEmbedder(), clock=clock
        ) as here:
            assert isinstance(here.remember("Tests need Docker"), Remembered)
            assert isinstance(here.remember("Tests need Docker"), AlreadyKnown)
            # What holds for the person holds in every project.
            answer = here.remember("I like short answers", kind="preference")
            assert isinstance(answer, Remembered if name == "one" else AlreadyKnown)


def test_a_forgotten_memory_can_be_learned_again(memory: Recollect) -> None:
    first = memory.remember("The demo runs on Mondays")
    assert isinstance(first, Remembered)
    memory.forget(first.memory.id)
    again = memory.remember("The demo runs on Mondays")
    assert isinstance(again, Remembered)
    assert again.memory.id != first.memory.id


def test_one_batch_knows_its_own_repetitions(memory: Recollect) -> None:
    drafts = [
        memory.draft(text) for text in ("Alpha is slow", "Beta is fast", "alpha is slow.", "Beta is fast")
    ]
    answers = memory.remember_many(drafts)
    assert [type(answer) for answer in answers] == [Remembered, Remembered, AlreadyKnown, AlreadyKnown]
    assert memory.count() == 2


def test_what_another_process_said_meanwhile_is_already_known(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Deploys happen at night"
    slow, quick = ScriptedEmbedder({text: 1.0}), ScriptedEmbedder({text: 1.0})
    with (
        Recollect(tmp_path / "m.db", folder=None, embedder=slow, clock=clock) as memory,
        Recollect(tmp_path / "m.db", folder=None, embedder=quick, clock=clock) as other,
    ):
        memory.remember("Backups run at noon")
        embed = slow.embed

        def embed_slowly(texts: Sequence[str]) -> list[Embedding]:
            other.remember(text)
            slow.is_down = True  # so that nothing but the words can tell
            return embed(texts)

        monkeypatch.setattr(slow, "embed", embed_slowly)
        assert isinstance(memory.remember(text), AlreadyKnown)
        assert memory.count() == 2


def test_other_words_for_what_was_said_thousands_ago_are_known_to_a_process_that_stays(
    tmp_path: Path, clock: Clock
) -> None:
    script = {"Deploys happen at night": 1.0, "Rollouts go out after dark": 0.97}
    with Recollect(tmp_path / "m.db", folder=None, embedder=ScriptedEmbedder(script), clock=clock) as memory:
        first = memory.remember("Deploys happen at night")
        memory.remember_many([memory.draft(f"Note {n * 7} on ticket {n}") for n in range(1200)])
        again = memory.remember("Rollouts go out after dark")
    assert isinstance(first, Remembered)
    assert isinstance(again, AlreadyKnown)
    assert again.memory.id == first.memory.id


def test_it_is_found_among_thousands(memory: Recollect) -> None:
    memory.remember("The invoice job is restarted by hand when the printer jams", about=["module:billing"])
    memory.remember_many([memory.draft(f"Note number {n} on ticket {n * 7}") for n in range(1200)])
    again = memory.remember("The invoice job is restarted by hand whenever the printer jams")
    assert isinstance(again, AlreadyKnown)


def test_on_the_paraphrases_no_opposite_is_taken_for_the_same_and_most_sames_are() -> None:
    model = BundledEmbedder()
    rows = [json.loads(line) for line in PARAPHRASES.read_text("utf-8").splitlines()]
    taken: dict[str, int] = {}
    near: dict[str, int] = {}
    for row in rows:
        one, other = (np.frombuffer(made.vector, np.float32) for made in model.embed([row["a"], row["b"]]))
        if float(one @ other) >= model.duplicate_threshold:
            near[row["label"]] = near.get(row["label"], 0) + 1
            taken[row["label"]] = taken.get(row["label"], 0) + has_same_particulars(row["a"], row["b"])
    print(f"\ntaken for the same: {taken} of {near} that are near enough")
    assert taken.get("opposite", 0) == taken.get("different", 0) == taken.get("related", 0) == 0
    assert taken["same"] >= 0.85 * near["same"]
