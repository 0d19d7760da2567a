"""Clients over plain HTTP, against a server on loopback that answers from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recollect.agent.http_clients import mark_for_cache, open_client
from recollect.agent.loop import Loop
from recollect.agent.model_client import ModelPrice, ModelUsage
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import read_script
from recollect.errors import BadInput
from tests.agent.test_loop import counting_tool


class Server:
    """A model server: what it was asked, and what it answers."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answers: list[tuple[int, Any]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                server.asked.append({"path": self.path, "body": json.loads(self.rfile.read(size))})
                status, answer = server.answers.pop(0)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    opened = Server()
    yield opened
    opened.close()


def anthropic(*blocks: dict[str, Any]) -> tuple[int, Any]:
    usage = {
        "input_tokens": 100,
        "output_tokens": 7,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 50,
    }
    return 200, {"content": list(blocks), "stop_reason": "end_turn", "usage": usage}


def openai(message: dict[str, Any]) -> tuple[int, Any]:
    usage = {"prompt_tokens": 1000, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 900}}
    return 200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


def test_a_run_over_anthropics_messages(server: Server, tmp_path: Path) -> None:
    server.answers = [
        anthropic(
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": "t1", "name": "count", "input": {"word": "a"}},
        ),
        anthropic({"type": "text", "text": "Done."}),
    ]
    log: list[str] = []
    client = open_client("anthropic:claude-test", url=server.url)
    result = Loop(client, [counting_tool(log)], run_store=RunStore(tmp_path)).run("Count.")
    assert (result.status, result.input_tokens, result.output_tokens, log) == ("completed", 2100, 14, ["a"])
    first, second = (one["body"] for one in server.asked)
    assert server.asked[0]["path"] == "/v1/messages"
    assert first["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert [tool["name"] for tool in first["tools"]] == ["count", "read_output"]
    assert second["messages"][1]["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert second["messages"][2]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert second["messages"][2]["content"][0]["tool_use_id"] == "t1"


def test_a_run_over_an_openai_compatible_server(server: Server, tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"word": "a"}'}}
    server.answers = [
        (400, {"error": {"message": "use max_completion_tokens instead"}}),
        openai({"role": "assistant", "content": None, "tool_calls": [call]}),
        openai({"role": "assistant", "content": "Done."}),
    ]
    log: list[str] = []
    client = open_client("openai:gpt-test", url=server.url)
    result = Loop(client, [counting_tool(log)], run_store=RunStore(tmp_path)).run("Count.")
    assert (result.status, result.input_tokens, log) == ("completed", 2000, ["a"])
    last = server.asked[-1]
    assert last["path"] == "/v1/chat/completions"
    assert [message["role"] for message in last["body"]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert server.asked[1]["body"]["max_completion_tokens"] == 8_192


def test_an_empty_answer_fails_the_run_in_a_sentence(server: Server, tmp_path: Path) -> None:
    server.answers = [anthropic()]
    result = Loop(open_client("anthropic:x", url=server.url), [], run_store=RunStore(tmp_path)).run("Count.")
    assert result.status == "failed"
    assert "empty" in result.reason


def test_prices_count_what_came_from_the_cache_apart() -> None:
    price = ModelPrice(input=3, output=15, cache_read=0.3, cache_write=3.75)
    usage = ModelUsage(
        input_tokens=1_000_000, output_tokens=100_000, cache_read_tokens=600_000, cache_write_tokens=200_000
    )
    assert price.of(usage) == pytest.approx(0.2 * 3 + 1.5 + 0.6 * 0.3 + 0.2 * 3.75)


def test_the_cache_mark_stands_before_an_anchor() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
    messages = [{"role": "user", "content": [result, {"type": "text", "text": "[TASK ANCHOR] …"}]}]
    (marked,) = mark_for_cache(messages, 1)
    assert "cache_control" in marked["content"][0]
    assert "cache_control" not in marked["content"][1]
    assert "cache_control" not in result


@pytest.mark.parametrize("model", ["claude", "nobody:x", "anthropic:"])
def test_a_model_that_cannot_be_is_refused(model: str) -> None:
    with pytest.raises(BadInput, match="PROVIDER:MODEL"):
        open_client(model)


@pytest.mark.parametrize("script", ["{", '{"turns": 3}', '[{"say": 3}]', '[{"calls": [{}]}]', "[3]"])
def test_a_script_that_cannot_be_is_refused(script: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(script, "utf-8")
    with pytest.raises(BadInput):
        read_script(path)
