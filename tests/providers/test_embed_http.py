from __future__ import annotations

import json
import logging
import math
import struct
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Answer, Asked, ModelServer, Reply, closed_port

from recollect.errors import BadSetting, ProviderAnswer, ProviderError, ProviderRefused, ProviderUnreachable
from recollect.providers import http
from recollect.providers.embed_http import (
    CHARACTERS_PER_TEXT,
    HttpEmbedder,
    duplicate_threshold_of,
    unit_vector,
)
from recollect.providers.http import (
    Endpoint,
    check_key_env,
    check_url,
    is_this_machine,
    open_client,
    post_json,
)

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


def an_embedder(
    url: str,
    *,
    dialect: str = "openai",
    dimensions: int = 4,
    slept: list[float] | None = None,
    **server: object,
) -> HttpEmbedder:
    sleep = (slept if slept is not None else []).append
    return HttpEmbedder(
        Endpoint(url=url, sleep=sleep, **server),  # type: ignore[arg-type]
        dialect=dialect,  # type: ignore[arg-type]
        model="tiny",
        dimensions=dimensions,
    )


def openai_reply(vectors: Sequence[Sequence[float]]) -> Reply:
    return Reply(body={"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]})


def one_per_text(asked: Asked) -> Reply:
    return openai_reply([[float(len(text)), 1.0, 0.0, 0.0] for text in asked.body["input"]])


def floats(vector: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


def embed_against(
    answers: list[Answer], texts: Sequence[str] = ("one",), **options: object
) -> list[list[float]]:
    with ModelServer(answers) as server:
        found = an_embedder(server.url, **options).embed(texts)  # type: ignore[arg-type]
    return [floats(embedding.vector) for embedding in found]


def test_openai_is_sent_model_input_and_dimensions() -> None:
    with ModelServer([one_per_text]) as server:
        embedder = an_embedder(server.url)
        (found,) = embedder.embed(["abc"])
    assert server.asked[0].path == "/v1/embeddings"
    assert server.asked[0].body == {"model": "tiny", "input": ["abc"], "dimensions": 4}
    assert "authorization" not in server.asked[0].headers
    assert floats(found.vector) == pytest.approx([3 / math.sqrt(10), 1 / math.sqrt(10), 0, 0])
    assert found.words == b""
    assert (embedder.model_id, embedder.dimensions) == ("openai/tiny@4", 4)


def test_a_url_with_a_path_is_taken_at_its_word() -> None:
    with ModelServer([one_per_text]) as server:
        an_embedder(server.url + "/compatible/v2/").embed(["abc"])
    assert server.asked[0].path == "/compatible/v2/embeddings"


def test_ollama_is_asked_in_its_own_way() -> None:
    with ModelServer([Reply(body={"embeddings": [[0, 0, 2, 0], [0, 3, 0, 0]]})]) as server:
        embedder = an_embedder(server.url, dialect="ollama")
        found = [floats(e.vector) for e in embedder.embed(["a", "b"])]
    assert server.asked[0].path == "/api/embed"
    assert server.asked[0].body == {"model": "tiny", "input": ["a", "b"], "dimensions": 4}
    assert found == [[0, 0, 1, 0], [0, 1, 0, 0]]
    assert embedder.model_id == "ollama/tiny@4"


def test_a_question_that_is_asked_again_at_once_is_sent_once() -> None:
    with ModelServer([one_per_text]) as server:
        embedder = an_embedder(server.url)
        first, again = embedder.embed_query("abc"), embedder.embed_query("abc")
        embedder.embed_query("another")
    assert first == again
    assert [asked.body["input"] for asked in server.asked] == [["abc"], ["another"]]


def test_a_model_that_ollama_lacks_is_said_with_the_command_that_fetches_it() -> None:
    reply = Reply(status=404, body={"error": 'model "tiny" not found, try pulling it first'})
    with ModelServer([reply]) as server, pytest.raises(ProviderRefused, match="not found") as caught:
        an_embedder(server.url, dialect="ollama").embed(["a"])
    assert caught.value.fix == "ollama pull tiny"


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_dimensions_is_asked_without_and_the_vector_is_cut(status: int) -> None:
    refusal = Reply(status=status, body={"error": {"message": "unknown parameter: dimensions"}})
    with ModelServer([refusal, openai_reply([[3, 0, 4, 0, 99, 99]])]) as server:
        embedder = an_embedder(server.url)
        (found,) = embedder.embed(["a"])
        embedder.embed(["b"])
    assert floats(found.vector) == pytest.approx([0.6, 0, 0.8, 0])
    assert ["dimensions" in asked.body for asked in server.asked] == [True, False, False]


def test_when_the_second_question_is_refused_too_its_reason_is_given() -> None:
    answers = [Reply(status=400, body={"error": "first"}), Reply(status=400, body={"error": "no such model"})]
    with pytest.raises(ProviderRefused, match="refused with status 400: no such model"):
        embed_against(answers)


def test_vectors_are_put_in_the_order_of_their_index() -> None:
    body = {"data": [{"index": 1, "embedding": [0, 1, 0, 0]}, {"index": 0, "embedding": [1, 0, 0, 0]}]}
    assert embed_against([Reply(body=body)], ["a", "b"]) == [[1, 0, 0, 0], [0, 1, 0, 0]]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"data": []}, "0 vectors for 1 texts"),
        ({"data": [{"index": 0, "embedding": [1, 0, 0, 0]}] * 2}, "indexes do not count"),
        ({"data": [{"index": 7, "embedding": [1, 0, 0, 0]}]}, "indexes do not count"),
        ({"data": [{"index": [], "embedding": [1, 0, 0, 0]}]}, "indexes do not count"),
        ({"data": [{"index": 0, "embedding": [1, 0, 0]}]}, "3 numbers, not 4"),
        ({"data": [{"index": 0}]}, "no list of numbers"),
        ({"data": [{"index": 0, "embedding": "AACAPw=="}]}, "no list of numbers"),
        ({"data": [{"index": 0, "embedding": [1, "x", 0, 0]}]}, "not a number"),
        ({"data": [{"index": 0, "embedding": [10**400, 0, 0, 0]}]}, "not a number"),
        ({"data": [{"index": 0, "embedding": [math.nan, 1, 0, 0]}]}, "not finite"),
        ({"data": [{"index": 0, "embedding": [math.inf, 1, 0, 0]}]}, "not finite"),
        ({"data": [{"index": 0, "embedding": [0, 0, 0, 0]}]}, "all zeros"),
        ({"data": [3]}, "no list called data"),
        ([], "no list called data"),
        (b"<html>", "not JSON"),
        (b"[" * 200_000, "not JSON"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_with_its_reason(answer: object, reason: str) -> None:
    with pytest.raises(ProviderAnswer, match=reason):
        embed_against([Reply(body=answer)])


def test_an_ollama_answer_without_embeddings_is_refused() -> None:
    with pytest.raises(ProviderAnswer, match="no list called embeddings"):
        embed_against([Reply(body={"error": "x"})], dialect="ollama")


def test_many_texts_go_in_batches_and_come_back_in_order() -> None:
    texts = ["x" * (n % 50 + 1) for n in range(150)]
    with ModelServer([one_per_text]) as server:
        found = an_embedder(server.url).embed(texts)
    assert [len(asked.body["input"]) for asked in server.asked] == [64, 64, 22]
    assert [round(floats(e.vector)[0] / floats(e.vector)[1]) for e in found] == [len(t) for t in texts]


def test_long_texts_are_cut_and_spread_over_requests() -> None:
    with ModelServer([one_per_text]) as server:
        an_embedder(server.url).embed(["y" * 1_000_000] * 17)
    assert [len(asked.body["input"]) for asked in server.asked] == [16, 1]
    assert {len(text) for asked in server.asked for text in asked.body["input"]} == {CHARACTERS_PER_TEXT}


def test_texts_that_servers_choke_on_are_made_sendable() -> None:
    with ModelServer([one_per_text]) as server:
        an_embedder(server.url).embed(["", " \n", "half \ud83d a pair", "nul \0 byte"])
    assert server.asked[0].body["input"] == [".", ".", "half ? a pair", "nul \0 byte"]


def test_nothing_is_asked_for_no_texts() -> None:
    assert an_embedder(f"http://127.0.0.1:{closed_port()}").embed([]) == []


def test_an_overloaded_server_is_asked_again_after_the_time_it_names() -> None:
    slept: list[float] = []
    embed_against([Reply(status=429, headers={"retry-after": "7"}), one_per_text], slept=slept)
    assert slept == [7.0]


def test_a_date_to_come_back_at_is_read_against_the_servers_own_clock() -> None:
    slept: list[float] = []
    headers = {"date": "Fri, 31 Dec 1999 23:59:55 GMT", "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}
    embed_against([Reply(status=503, headers=headers), one_per_text], slept=slept)
    assert slept == [4.0]


def test_a_senseless_retry_after_means_the_usual_pause() -> None:
    slept: list[float] = []
    embed_against([Reply(status=503, headers={"retry-after": "soon"}), one_per_text], slept=slept)
    assert slept == [0.5]


def test_a_server_that_wants_a_long_pause_is_given_up_at_once() -> None:
    slept: list[float] = []
    with pytest.raises(ProviderUnreachable, match="status 429 after 1 of 3 tries: quota used up"):
        embed_against(
            [Reply(status=429, headers={"retry-after": "3600"}, body={"error": "quota used up"})], slept=slept
        )
    assert slept == []


def test_a_broken_server_is_given_up_after_three_tries_with_growing_pauses() -> None:
    slept: list[float] = []
    with pytest.raises(
        ProviderUnreachable, match=r"does not answer \(status 500 after 3 of 3 tries: out of memory\)"
    ):
        embed_against([Reply(status=500, body={"error": "out of memory"})], slept=slept)
    assert slept == [0.5, 1.0]


def test_a_connection_that_is_reset_is_tried_again() -> None:
    slept: list[float] = []
    assert embed_against([Reply(resets=True), one_per_text], slept=slept)
    assert slept == [0.5]


def test_connections_that_keep_being_reset_become_one_sentence() -> None:
    with pytest.raises(ProviderUnreachable, match="Start it, or choose another") as caught:
        embed_against([Reply(resets=True)])
    assert caught.value.__cause__ is not None


def test_a_refused_connection_is_not_tried_again() -> None:
    slept: list[float] = []
    with pytest.raises(ProviderUnreachable, match="refused"):
        an_embedder(f"http://127.0.0.1:{closed_port()}", slept=slept).embed(["a"])
    assert slept == []


def test_a_server_that_never_answers_is_given_up_without_a_second_try() -> None:
    with ModelServer([Reply(hangs=True)]) as server:
        with pytest.raises(ProviderUnreachable, match="timed out"):
            an_embedder(server.url, read_s=0.05).embed(["a"])
        assert len(server.asked) == 1


def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_ANSWER_BYTES", 100)
    with pytest.raises(ProviderAnswer, match="longer than 100 bytes"):
        embed_against([Reply(body=b"x" * 1000)])


def test_an_answer_that_drips_in_is_given_up_after_its_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0.0, 61.0])
    monkeypatch.setattr(http, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    with pytest.raises(ProviderUnreachable, match="no whole answer within 60 s"):
        embed_against([one_per_text])


def test_a_refusal_that_is_no_json_is_repeated_in_one_short_line() -> None:
    page = b"<html>\n  Forbidden\x1b[31m\n" + b"x" * 5000
    with pytest.raises(ProviderRefused, match="status 403: <html> Forbidden") as caught:
        embed_against([Reply(status=403, body=page)])
    assert len(str(caught.value)) < 400
    assert "\x1b" not in str(caught.value)


def test_a_redirect_is_not_followed() -> None:
    with ModelServer([one_per_text]) as other:
        headers = {"location": other.url + "/v1/embeddings"}
        with pytest.raises(ProviderRefused, match="status 307"):
            embed_against([Reply(status=307, headers=headers)])
    assert other.asked == []


def test_a_proxy_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    assert embed_against([one_per_text])


def test_proxy_settings_that_cannot_be_used_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://user:secret@coop")
    with pytest.raises(ProviderUnreachable, match="proxy") as caught:
        an_embedder("http://model.invalid").embed(["a"])
    assert "secret" not in str(caught.value)


def test_the_key_is_read_at_the_call_and_sent_as_bearer(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([one_per_text]) as server:
        embedder = an_embedder(server.url, key_env="MY_KEY")
        monkeypatch.setenv("MY_KEY", f" {KEY}\n")
        embedder.embed(["a"])
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_key_appears_in_no_error_log_or_repr(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    echo = Reply(
        status=401, body={"error": {"message": f"Incorrect API key provided: {KEY} or {KEY[:9]}***6789."}}
    )
    with ModelServer([echo]) as server:
        embedder = an_embedder(server.url, key_env="MY_KEY")
        with pytest.raises(
            ProviderRefused, match=r"Incorrect API key provided: \(key\) or \(key\)"
        ) as caught:
            embedder.embed(["a"])
    told = [
        str(caught.value),
        repr(caught.value),
        repr(caught.value.facts),
        repr(embedder),
        repr(vars(embedder)),
    ]
    for text in [*told, caplog.text]:
        assert KEY not in text
        assert KEY[:9] not in text


@pytest.mark.parametrize(
    ("value", "reason"), [("", "MY_KEY holds no key"), ("clé", "cannot be sent"), ("a\nb", "cannot")]
)
def test_a_key_that_is_missing_or_unusable_is_said_by_its_name(
    monkeypatch: pytest.MonkeyPatch, value: str, reason: str
) -> None:
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ProviderError, match=reason):
        an_embedder("http://127.0.0.1:9", key_env="MY_KEY").embed(["a"])


def test_a_key_in_the_place_of_its_variables_name_is_refused_and_not_repeated() -> None:
    for written in (KEY, "sk_live_1234567", "two words"):
        with pytest.raises(BadSetting, match="not the key") as caught:
            check_key_env(written, setting="embedding.key_env")
        assert written not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host",
        "host:11434",
        "http://user:secret@host",
        "http://host?key=secret",
        "http://127.0.0.1\\@elsewhere",
        "http://host:99999",
        "http://ho st",
        "http://host\n",
        "http://",
        "",
    ],
)
def test_an_address_that_two_readers_could_read_differently_is_refused(url: str) -> None:
    with pytest.raises(BadSetting) as caught:
        check_url(url, setting="embedding.url")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:11434", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:80/v1", True),
        ("http://localhost", True),
        ("http://LOCALHOST", True),
        ("http://localhost.example.com", False),
        ("http://127.0.0.1.example.com", False),
        ("http://0.0.0.0", False),
        ("http://192.168.1.7", False),
        ("https://api.openai.com/v1", False),
        ("http://2130706433", False),
    ],
)
def test_this_machine_is_told_from_others(url: str, here: bool) -> None:
    assert is_this_machine(url) is here


def test_every_error_of_httpx_becomes_one_of_ours() -> None:
    import httpx

    # Raised by code that misuses the client, or by options that are not used here.
    not_ours = (httpx.HTTPStatusError, httpx.StreamError, httpx.CookieConflict)
    errors = [e for e in vars(httpx).values() if isinstance(e, type) and issubclass(e, Exception)]
    server = Endpoint(url="http://127.0.0.1:9", attempts=1)
    for error in errors:
        if issubclass(error, not_ours) or error is httpx.HTTPError:
            continue

        def fail(request: httpx.Request, error: type[Exception] = error) -> httpx.Response:
            raise error("broken")

        with httpx.Client(transport=httpx.MockTransport(fail)) as client, pytest.raises(ProviderUnreachable):
            post_json(client, server, server.url, {})


def test_httpx_is_not_loaded_before_the_first_request() -> None:
    import subprocess
    import sys

    code = (
        "import sys, recollect.providers.embed_http, recollect.providers.complete_http\n"
        "print([m for m in ('httpx', 'numpy', 'onnxruntime', 'tokenizers', 'ssl') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1, max_size=40))
def test_a_usable_vector_always_has_length_one(numbers: list[float]) -> None:
    if math.hypot(*numbers) < 1e-12:
        with pytest.raises(ProviderAnswer):
            unit_vector(numbers, len(numbers), model="m")
    else:
        packed = floats(unit_vector(numbers, len(numbers), model="m"))
        assert math.hypot(*packed) == pytest.approx(1, abs=1e-5)


def test_each_known_model_has_its_own_threshold_and_a_stranger_a_cautious_one() -> None:
    assert duplicate_threshold_of("qwen3-embedding:4b") == 0.88
    assert duplicate_threshold_of("qwen/qwen3-embedding-8b") == 0.88
    assert duplicate_threshold_of("never-heard-of") > 0.9


def test_the_body_is_plain_json_whatever_the_text() -> None:
    with ModelServer([Reply(body={})]) as server:
        target = Endpoint(url=server.url)
        with open_client(target, headers={}) as client:
            post_json(client, target, server.url + "/x", {"text": "naïve \ud800 😀"})
    assert json.dumps(server.asked[0].body) == json.dumps({"text": "naïve \ud800 😀"})
