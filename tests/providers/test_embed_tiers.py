from __future__ import annotations

import json
from typing import Any

import pytest
from model_server import Answer, ModelServer, Reply, closed_port

from recollect.errors import BadSetting, ProviderUnreachable
from recollect.providers import embed
from recollect.providers.embed import EmbedderChoice, EmbedderSettings, choose_tier, list_tiers, open_embedder
from recollect.providers.http import peek

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
# A server that answers is waited for even where the machine is busy.
PATIENT_MS = 30_000
WITH_MODEL = Reply(body={"models": [{"name": "llama3:8b"}, {"name": "qwen3-embedding:4b"}]})


@pytest.fixture(autouse=True)
def no_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may run Ollama too."""
    monkeypatch.setattr(embed, "OLLAMA_URL", f"http://127.0.0.1:{closed_port()}")
    for name in ("OPENAI_API_KEY", "MY_KEY"):
        monkeypatch.delenv(name, raising=False)


def chosen_beside(answer: Answer, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> EmbedderChoice:
    with ModelServer([answer]) as server:
        monkeypatch.setattr(embed, "OLLAMA_URL", server.url)
        return choose_tier(EmbedderSettings(**{"probe_ms": PATIENT_MS, **settings}))


def status_of(name: str, **settings: Any) -> tuple[bool, str]:
    (found,) = [
        tier
        for tier in list_tiers(EmbedderSettings(**{"probe_ms": PATIENT_MS, **settings}))
        if tier.name == name
    ]
    return found.available, found.detail


def test_without_anything_the_bundled_model_is_chosen() -> None:
    assert choose_tier(EmbedderSettings()) == EmbedderChoice(tier="bundled")


def test_ollama_is_chosen_when_it_runs_and_has_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = chosen_beside(WITH_MODEL, monkeypatch)
    assert (choice.tier, choice.model, choice.dimensions) == ("ollama", "qwen3-embedding:4b", 1024)
    assert choice.may_leave_machine is False


def test_ollama_without_the_model_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = chosen_beside(Reply(body={"models": [{"name": "llama3:8b"}]}), monkeypatch)
    assert choice.tier == "bundled"


def test_a_model_without_a_tag_is_found_as_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Reply(body={"models": [{"name": "nomic-embed-text:latest"}]})
    choice = chosen_beside(held, monkeypatch, model="nomic-embed-text", dimensions=768)
    assert (choice.tier, choice.model) == ("ollama", "nomic-embed-text")


@pytest.mark.parametrize(
    "answer",
    [
        Reply(status=500, body={}),
        Reply(body=b"<html>"),
        Reply(body=[]),
        Reply(body={"models": "all"}),
        Reply(body={"models": [None, 3]}),
        Reply(resets=True),
    ],
)
def test_something_else_on_ollamas_port_is_not_taken_for_it(
    answer: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chosen_beside(answer, monkeypatch).tier == "bundled"


def test_a_server_that_hangs_holds_the_probe_up_for_its_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # The test would not end before the server's minute if the probe waited for it.
    choice = chosen_beside(Reply(hangs=True), monkeypatch, probe_ms=50)
    assert choice.tier == "bundled"


def test_a_probe_counts_its_whole_time_and_not_each_read() -> None:
    # Set the deadline, connect, send, read, and too late for a second read.
    ticks = iter([0.0, 1.0, 2.0, 3.0, 1001.0])
    with (
        ModelServer([Reply(body={"models": ["x" * 3_000_000]})]) as server,
        pytest.raises(ProviderUnreachable, match="took too long"),
    ):
        peek(server.url + "/api/tags", within_s=1000, clock=lambda: next(ticks))


def test_a_closed_port_is_said_at_once_and_localhost_is_tried_both_ways() -> None:
    ticks = iter([0.0, 0.0, 0.0])
    with pytest.raises(ProviderUnreachable):
        peek(f"http://localhost:{closed_port()}/", within_s=0.2, clock=lambda: next(ticks))


def test_localhost_is_found() -> None:
    with ModelServer([WITH_MODEL]) as server:
        assert (
            peek(server.url.replace("127.0.0.1", "localhost") + "/api/tags", within_s=10) == WITH_MODEL.body
        )


@pytest.mark.parametrize("url", ["http://model.invalid/api/tags", "http://192.0.2.1/", "https://127.0.0.1/"])
def test_nothing_but_this_machine_is_probed(url: str) -> None:
    with pytest.raises(ProviderUnreachable, match="only plain http on this machine"):
        peek(url, within_s=0.2)


def test_a_key_in_the_environment_is_no_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert choose_tier(EmbedderSettings()).tier == "bundled"
    available, detail = status_of("openai")
    assert not available
    assert "no text leaves this machine" in detail


def test_naming_the_tier_is_consent_and_takes_openais_own_key() -> None:
    choice = choose_tier(EmbedderSettings(tier="openai"))
    assert choice.url == "https://api.openai.com/v1"
    assert (choice.model, choice.dimensions, choice.key_env) == (
        "text-embedding-3-small",
        1024,
        "OPENAI_API_KEY",
    )
    assert choice.may_leave_machine


def test_setting_an_address_is_consent_and_it_gets_no_key_that_was_not_named_for_it() -> None:
    choice = choose_tier(EmbedderSettings(url="https://models.example.com/v1"))
    assert (choice.tier, choice.key_env, choice.may_leave_machine) == ("openai", "", True)
    assert (
        choose_tier(EmbedderSettings(url="https://models.example.com", key_env="MY_KEY")).key_env == "MY_KEY"
    )


@pytest.mark.parametrize("tier", ["ollama", "openai"])
def test_an_address_off_this_machine_that_nobody_set_is_refused(tier: Any) -> None:
    with pytest.raises(BadSetting, match="not on this machine"):
        EmbedderChoice(tier=tier, model="m", url="https://models.example.com", dimensions=4)
    stored = json.dumps({"tier": tier, "model": "m", "url": "http://10.0.0.7", "dimensions": 4})
    with pytest.raises(BadSetting, match="not on this machine"):
        EmbedderChoice.from_text(stored)


def test_a_tier_that_is_named_is_chosen_even_while_it_is_down() -> None:
    choice = choose_tier(EmbedderSettings(tier="ollama"))
    assert choice.tier == "ollama"
    embedder = open_embedder(choice)
    assert embedder is not None
    assert embedder.model_id == "ollama/qwen3-embedding:4b@1024"
    with pytest.raises(ProviderUnreachable):
        embedder.embed(["a"])


def test_ollama_on_another_machine_is_used_when_set_and_never_probed() -> None:
    settings = {"tier": "ollama", "url": "http://gpu.example.com:11434"}
    assert choose_tier(EmbedderSettings(**settings)).may_leave_machine  # type: ignore[arg-type]
    assert status_of("ollama", **settings) == (
        True,
        "set up at http://gpu.example.com:11434; not probed from here",
    )


def test_the_bundled_model_is_opened_by_name() -> None:
    embedder = open_embedder(choose_tier(EmbedderSettings(tier="bundled")))
    assert embedder is not None
    assert 0 < embedder.duplicate_threshold < 1


def test_no_embeddings_is_a_choice() -> None:
    assert open_embedder(choose_tier(EmbedderSettings(tier="none"))) is None


@pytest.mark.parametrize(
    "choice",
    [
        EmbedderChoice(tier="bundled"),
        EmbedderChoice(tier="none"),
        EmbedderChoice(
            tier="ollama", model="größe", url="http://127.0.0.1:1", dimensions=8, duplicate_threshold=0.9
        ),
        EmbedderChoice(tier="ollama", model="m:4b", url="http://127.0.0.1:1", dimensions=1024),
        EmbedderChoice(
            tier="openai",
            model="m",
            url="https://x.example",
            dimensions=8,
            key_env="K",
            may_leave_machine=True,
        ),
    ],
)
def test_a_choice_survives_being_stored(choice: EmbedderChoice) -> None:
    assert EmbedderChoice.from_text(choice.to_text()) == choice


def test_what_a_later_version_adds_to_a_stored_choice_is_passed_over() -> None:
    assert EmbedderChoice.from_text('{"tier": "bundled", "colour": "blue"}') == EmbedderChoice(tier="bundled")


@pytest.mark.parametrize(
    "text",
    ["", "bundled", "[]", "3", "{}", '{"tier": "best"}', '{"tier": "ollama", "url": 3}', '{"tier": []}'],
)
def test_a_stored_choice_that_says_nothing_is_a_sentence(text: str) -> None:
    with pytest.raises(BadSetting):
        EmbedderChoice.from_text(text)


@pytest.mark.parametrize(
    "settings",
    [
        {"tier": "best"},
        {"dimensions": 0},
        {"duplicate_threshold": 1.5},
        {"url": "host:11434"},
        {"key_env": KEY},
    ],
)
def test_settings_that_cannot_be_used_are_refused_when_made(settings: dict[str, Any]) -> None:
    with pytest.raises(BadSetting) as caught:
        EmbedderSettings(**settings)
    assert KEY not in str(caught.value)


def test_doctor_sees_every_tier_best_first() -> None:
    found = list_tiers(EmbedderSettings())
    assert [tier.name for tier in found] == ["ollama", "openai", "bundled"]
    assert [tier.available for tier in found] == [False, False, True]
    assert "refused" in found[0].detail


def test_doctor_says_how_to_get_the_model_that_ollama_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([Reply(body={"models": []})]) as server:
        monkeypatch.setattr(embed, "OLLAMA_URL", server.url)
        available, detail = status_of("ollama")
    assert not available
    assert "ollama pull qwen3-embedding:4b" in detail


def test_doctor_says_that_ollama_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([WITH_MODEL]) as server:
        monkeypatch.setattr(embed, "OLLAMA_URL", server.url)
        assert status_of("ollama") == (True, f"runs at {server.url} with qwen3-embedding:4b")


def test_doctor_names_the_variable_of_a_key_and_never_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    available, detail = status_of("openai", tier="openai")
    assert (available, "OPENAI_API_KEY holds no key" in detail) == (False, True)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    available, detail = status_of("openai", tier="openai")
    assert (available, KEY in detail) == (True, False)
