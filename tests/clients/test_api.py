"""The scripted model follows its script in every wire form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.clients.api.script import CITATION, Call, Say, as_json, from_json, strings_in
from tests.clients.api.server import ScriptedApi

SCRIPT = [[Say("I look."), Call("Read", {"file_path": "a.py"})], [Say(f"It is in {CITATION}.")]]
MESSAGES = "/v1/messages?beta=true"
RESPONSES = "/v1/responses"
GEMINI = "/v1beta/models/any:streamGenerateContent?alt=sse"
CHAT = "/v1/chat/completions"
TOOLS: dict[str, Any] = {"tools": [{"name": "Read"}], "stream": True}
ASKED = {"role": "user", "content": "Look at a.py"}
# A conversation at its begin, and after the model's first turn, as each client sends it.
BEGIN = {
    MESSAGES: {"messages": [ASKED]},
    RESPONSES: {"input": [{"type": "message", **ASKED}]},
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "Look at a.py"}]}]},
    CHAT: {"messages": [{"role": "system", "content": "Be brief"}, ASKED]},
}
LATER = {
    MESSAGES: {"messages": [ASKED, {"role": "assistant", "content": []}, ASKED]},
    RESPONSES: {
        "input": [
            {"type": "message", **ASKED},
            {"type": "message", "role": "assistant", "content": []},
            {"type": "function_call", "name": "Read"},
            {"type": "function_call_output", "output": ""},
        ]
    },
    GEMINI: {"contents": [{"role": "user", "parts": []}, {"role": "model", "parts": []}, {"role": "user"}]},
    CHAT: {"messages": [ASKED, {"role": "assistant", "content": "I look."}, {"role": "tool", "content": ""}]},
}


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    served = ScriptedApi()
    served.play(SCRIPT)
    yield served
    served.shutdown()
    served.server_close()


def ask(api: ScriptedApi, path: str, body: dict[str, Any]) -> str:
    sent = Request(api.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urlopen(sent, timeout=10) as answer:
        return str(answer.read().decode())


def data_of(stream: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


@pytest.mark.parametrize("path", BEGIN)
def test_a_conversation_begins_with_the_first_turn(api: ScriptedApi, path: str) -> None:
    said = "\n".join(strings_in(data_of(ask(api, path, BEGIN[path] | TOOLS))))

    assert "I look." in said
    assert "Read" in said
    assert "a.py" in said
    assert [(request["place"], request["aside"]) for request in api.heard()] == [(0, False)]


@pytest.mark.parametrize("path", LATER)
def test_how_far_it_has_come_is_read_from_the_request(api: ScriptedApi, path: str) -> None:
    first = ask(api, path, LATER[path] | TOOLS)
    again = ask(api, path, LATER[path] | TOOLS)

    assert "It is in" in first
    assert "I look." not in first
    assert [request["place"] for request in api.heard()] == [1, 1]
    assert len(data_of(first)) == len(data_of(again))


@pytest.mark.parametrize("path", BEGIN)
def test_a_request_without_tools_is_an_aside(api: ScriptedApi, path: str) -> None:
    said = ask(api, path, BEGIN[path] | {"stream": True})

    assert "I look." not in said
    assert [request["aside"] for request in api.heard()] == [True]


def test_the_citation_handed_to_the_client_is_used(api: ScriptedApi) -> None:
    told = {
        "role": "user",
        "content": "Cite it as [↗ …]. Tax is rounded once [↗ gotcha 01J8ABCDEFGHJ: prices.py]",
    }
    body: dict[str, Any] = {"messages": [told, {"role": "assistant", "content": "I look."}]}

    said = ask(api, CHAT, body | {"tools": TOOLS["tools"]})

    assert (
        json.loads(said)["choices"][0]["message"]["content"]
        == "It is in [↗ gotcha 01J8ABCDEFGHJ: prices.py]."
    )


def test_past_its_script_it_ends_the_conversation(api: ScriptedApi) -> None:
    api.play([])

    assert (
        json.loads(ask(api, CHAT, BEGIN[CHAT] | {"tools": TOOLS["tools"]}))["choices"][0]["finish_reason"]
        == "stop"
    )


def test_a_script_crosses_the_wall_unchanged() -> None:
    script = [[Say("a"), Call("b", {"c": 1}, namespace="d")], [Call("patch", "*** Begin")]]

    assert from_json(json.loads(json.dumps(as_json(script)))) == script


def test_the_descriptions_of_tools_are_no_part_of_what_was_said() -> None:
    body = {"tools": [{"description": "no"}], "messages": [{"content": [{"text": "yes"}]}], "system": "also"}

    assert list(strings_in(body)) == ["yes", "also"]
