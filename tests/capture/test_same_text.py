"""Two texts say the same or not: the decision by itself, without a store."""

from __future__ import annotations

import pytest

from recollect.capture.duplicate import Duplicate, find_same_text, has_same_particulars
from recollect.model.memory import Memory
from recollect.model.subject import parse_subjects
from tests.builders import a_memory

RESTART = "Needs a restart after a config change"


def same(one: str, other: str) -> bool:
    """The decision, which must not depend on which of the two comes first."""
    there, back = has_same_particulars(one, other), has_same_particulars(other, one)
    assert there is back
    return there


def find(
    text: str, *candidates: tuple[Memory, float], about: tuple[str, ...] = (), threshold: float = 0.88
) -> Duplicate | None:
    return find_same_text(text, parse_subjects(about), candidates, threshold)


def test_the_same_words_are_wholly_alike_whatever_the_vectors_say() -> None:
    memory = a_memory("Retries are capped at 3")
    assert find("retries are capped at 3.", (memory, 0.2)) == Duplicate(memory, 1.0)


def test_a_cosine_of_one_is_not_quite_the_same_words() -> None:
    memory = a_memory("We cap retries at 3")
    assert find("Retries are capped at 3", (memory, 1.0)) == Duplicate(memory, 0.9999)


@pytest.mark.parametrize(("cosine", "known"), [(0.87, False), (0.88, True), (0.95, True)])
def test_what_is_less_alike_than_the_threshold_is_another_text(cosine: float, known: bool) -> None:
    assert bool(find("Retries are capped at 3", (a_memory("We cap retries at 3"), cosine))) is known


def test_the_most_alike_is_named_and_of_equals_the_first() -> None:
    first, second, third = (a_memory(f"We {verb} retries at 3") for verb in ("cap", "limit", "stop counting"))
    assert find("Retries are capped at 3", (first, 0.9), (second, 0.95), (third, 0.92)) == Duplicate(
        second, 0.95
    )
    assert find("Retries are capped at 3", (first, 0.9), (second, 0.9)) == Duplicate(first, 0.9)


def test_a_candidate_that_is_too_far_does_not_end_the_look() -> None:
    far, near = a_memory("The moon is far"), a_memory("We cap retries at 3")
    assert find("Retries are capped at 3", (far, 0.2), (near, 0.9)) == Duplicate(near, 0.9)


def test_what_differs_in_a_particular_does_not_hide_what_says_the_same() -> None:
    other, known = a_memory("We cap retries at 5"), a_memory("We cap retries at 3")
    assert find("Retries are capped at 3", (other, 0.99), (known, 0.9)) == Duplicate(known, 0.9)


def test_the_same_words_are_one_memory_only_about_one_thing() -> None:
    caddy = a_memory(RESTART, subjects=parse_subjects(["service:caddy", "service:nginx"]))
    assert find(RESTART, (caddy, 1.0), about=("service:caddy",))
    assert find(RESTART, (caddy, 1.0))
    assert find(RESTART, (a_memory(RESTART), 1.0), about=("service:redis",))
    assert find(RESTART, (caddy, 1.0), about=("service:redis",)) is None


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        # numbers, in digits and in words
        ("retries are capped at three", "we cap retries at 3", True),
        ("retries are capped at three", "we cap retries at 4", False),
        ("backups start at 02:00", "backups start at 02:30", False),
        ("they share one database", "they share a database", True),
        # names that are exact: paths, dotted and snake names, flags, quotations, regions
        ("settings are in src/app.py", "the settings live in src/app.py", True),
        ("settings are in src/app.py", "settings are in src/main.py", False),
        ("the table is job_result", "the table is job_status", False),
        ("call refreshToken first", "call revokeToken first", False),
        ("run it with --fast", "run it with --slow", False),
        ("run `make demo` once", "run `make test` once", False),
        ("it runs in eu-central-1", "it runs in eu-west-1", False),
        # plain names, if need be shortened
        ("the report needs joins, so PostgreSQL", "take Postgres, because the report needs joins", True),
        ("sessions live in Redis", "sessions live in Memcached", False),
        ("sessions live in Redis", "all sessions live in RED", False),
        ("we run on Node", "we all run on NodeJS", True),
        ("we deploy on AWS", "on AWS we deploy", True),
        ("sessions live in redis", "all sessions live in Redis", True),
        ("the key is with Alex", "it is Alex's key", True),
        # denials
        ("run the tests in parallel", "do not run the tests in parallel", False),
        ("never run migrations in parallel", "migrations must not run in parallel", True),
        ("do not say never to backups", "say yes to backups", True),
        # order and opposites
        ("use pnpm here, not npm", "use npm here, not pnpm", False),
        ("commit before the deploy", "commit after the deploy", False),
        ("type hints are required", "type hints are optional", False),
        ("open the window", "the window is opened", True),
        ("the lint job follows the build job", "the build job follows the lint job", False),
        ("tests are slow and flaky", "tests are flaky and slow", True),
        ("uploads are allowed", "uploads are blocked", False),
        ("an accepting gate", "a rejecting gate", False),
        ("it opens the port", "it closes the port", False),
        # nothing but the first word differs
        ("alex decides", "maria decides", False),
        ("alex prefers tabs", "maria prefers tabs", False),
        ("the build is slow", "our build is slow", True),
        ("docker", "podman", True),
    ],
)
def test_what_a_vector_hardly_sees_decides(one: str, other: str, alike: bool) -> None:
    assert same(one, other) is alike
