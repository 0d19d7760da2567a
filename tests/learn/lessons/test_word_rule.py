"""Lessons in a model's words: a server on loopback that times out, babbles, refuses and recovers; nothing is lost."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.learn.lessons.rule import LessonRule
from recollect.learn.lessons.word_rule import make_check
from recollect.providers import http
from tests.agent.test_clients import Server, openai
from tests.conftest import Clock
from tests.learn.lessons.test_lessons import MENDED, fail

OWN = "Run `docker compose up -d db` before `pytest tests/users`: without it, it failed 3 times with"
BETTER = "Start the database with `docker compose up -d db` before `pytest tests/users`, or it is refused."
RULE = LessonRule(
    text=OWN,
    when="pytest tests/users",
    avoid="Connection refused",
    instead="docker compose up -d db",
    source="command",
    evidence=("pytest tests/users", "docker compose up -d db", "src/users.py", "Connection refused"),
)


@pytest.fixture
def server() -> Iterator[Server]:
    opened = Server()
    yield opened
    opened.close()


@pytest.fixture
def memory(
    server: Server, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Recollect]:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    monkeypatch.setattr(http.time, "sleep", lambda _: None)
    folder = tmp_path / "shop"
    folder.mkdir()
    flags = {"completer.kind": "openai", "completer.model": "words", "completer.url": server.url}
    settings = config.load_settings(flags=flags)
    with Recollect(tmp_path / "memories.db", folder=folder, clock=clock, settings=settings) as opened:
        yield opened


def says(text: str) -> tuple[int, object]:
    return openai({"role": "assistant", "content": text})


def rule(text: str, **parts: str) -> tuple[int, object]:
    return says(json.dumps({"rule": text, **parts}))


def learn(memory: Recollect, clock: Clock, server: Server, *answers: tuple[int, object]) -> str:
    """Three failures alike, learned while the server answers so; the text of the one lesson that came of it."""
    with_words, server.answers = list(answers), [says("[]") for _ in range(40)]
    fail(memory, clock, "s1", "s2", "s3", acts=MENDED)
    server.answers = with_words
    server.asked.clear()
    memory.learning.lessons()
    [view] = memory.lessons.list()
    assert view.failures == 3
    assert (view.when, view.instead) == ("pytest tests/users", "docker compose up -d db")
    assert len(memory.lessons.show(view.memory.id).evidence) == 3
    assert memory.learning.lessons() == []
    return view.memory.text


def test_words_that_hold_are_used(memory: Recollect, clock: Clock, server: Server) -> None:
    assert learn(memory, clock, server, rule(BETTER)) == BETTER
    [asked] = server.asked
    assert "<failures>" in json.dumps(asked["body"])
    assert "Connection refused" in json.dumps(asked["body"])


def test_bad_json_is_asked_for_again(memory: Recollect, clock: Clock, server: Server) -> None:
    assert learn(memory, clock, server, says("Sure! Here you go."), rule(BETTER)) == BETTER
    assert "could not be used" in json.dumps(server.asked[1]["body"])


@pytest.mark.parametrize(
    "answers",
    [
        [says("I cannot help with that."), says("I cannot help with that.")],
        [rule("Run `pip install psycopg` before `docker compose up -d db`.")] * 2,
        [rule("Be careful with databases in general, always.")] * 2,
        [says('{"rule": 7}'), says('{"words": "no rule"}')],
        [says("{" * 5000), says('{"rule": "' + "x" * 5000 + '"}')],
        [(401, {"error": {"message": "no key"}})],
        [(500, {})] * 3,
        [(200, {"choices": []})] * 2,
    ],
    ids=["refusal", "invented command", "lost command", "wrong schema", "endless", "no key", "down", "empty"],
)
def test_whatever_the_model_does_the_lesson_is_there_in_our_words(
    memory: Recollect, clock: Clock, server: Server, answers: list[tuple[int, object]]
) -> None:
    assert learn(memory, clock, server, *answers).startswith(OWN)


def test_an_overloaded_server_is_tried_again(memory: Recollect, clock: Clock, server: Server) -> None:
    assert learn(memory, clock, server, (429, {}), (503, {}), rule(BETTER)) == BETTER
    assert len(server.asked) == 3


def test_a_server_that_is_gone_costs_the_words_and_nothing_else(
    memory: Recollect, clock: Clock, server: Server
) -> None:
    server.answers = [says("[]") for _ in range(40)]
    fail(memory, clock, "s1", "s2", "s3", acts=MENDED)
    server.close()
    memory.learning.lessons()
    [view] = memory.lessons.list()
    assert view.memory.text.startswith(OWN)


def test_a_server_that_never_answers_is_given_up(clock: Clock, tmp_path: Path) -> None:
    import socket

    from recollect.learn.lessons.word_rule import make_model_wording
    from recollect.providers.complete_http import OpenAiCompleter

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        endpoint = http.Endpoint(url=url, read_s=0.2, attempts=2, sleep=lambda _: None)
        word_rule = make_model_wording(OpenAiCompleter(endpoint, model="m", provider="openai"))
        started = time.process_time()
        assert word_rule(RULE, ()) == RULE
        # Given up for good: the second cluster does not wait again.
        assert word_rule(RULE, ()) == RULE
        assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "text",
    [
        "Mend src/billing.py before `docker compose up -d db` and `pytest tests/users`.",
        "Run `docker compose up -d db`, then npm install, before `pytest tests/users`.",
        "Run `docker compose up -d db` with --force-recreate before `pytest tests/users`.",
        "Set DATABASE_URL and run `docker compose up -d db` before `pytest tests/users`.",
    ],
)
def test_words_that_name_what_no_failure_has_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="stands in none of the failures"):
        make_check(RULE)({"rule": text})
