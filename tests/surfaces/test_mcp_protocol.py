"""The server at the level of lines: what it says to right, wrong and hostile messages, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Recollect, __version__
from recollect.surfaces.mcp import stdio
from recollect.surfaces.mcp.protocol import ENVELOPE_VERSIONS, HANDSHAKE_VERSIONS
from recollect.surfaces.tools import TOOLS
from tests.surfaces.conftest import RECOLLECT
from tests.surfaces.mcp_server import SERVER, id_in, serving

ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


def test_each_version_of_the_handshake_is_agreed_to() -> None:
    with serving() as wire:
        for version in HANDSHAKE_VERSIONS:
            said = wire.begin(version)
            assert said["protocolVersion"] == version
        assert said["serverInfo"]["version"] == __version__
        assert set(said["capabilities"]) == {"tools", "resources", "prompts"}
        assert len(said["instructions"]) < 700
        assert wire.begin("1999-01-01")["protocolVersion"] == HANDSHAKE_VERSIONS[-1]
        assert wire.ask("ping")["result"] == {}
        assert wire.ask("logging/setLevel", {"level": "debug"})["result"] == {}


def test_without_a_handshake_each_request_names_its_version() -> None:
    with serving() as wire:
        found = wire.ask("server/discover", ENVELOPE)["result"]
        assert found["supportedVersions"][: len(ENVELOPE_VERSIONS)] == list(ENVELOPE_VERSIONS)
        assert (found["resultType"], found["ttlMs"], found["cacheScope"]) == ("complete", 0, "private")
        listed = wire.ask("tools/list", ENVELOPE)["result"]
        assert listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "recollect"
        old = {"_meta": {**ENVELOPE["_meta"], "io.modelcontextprotocol/protocolVersion": "2031-01-01"}}
        error = wire.ask("tools/list", old)["error"]
        assert (error["code"], error["data"]["supported"]) == (-32022, list(ENVELOPE_VERSIONS))
        assert "resultType" not in wire.ask("tools/list")["result"]


WRONG = (
    (b"this is no JSON\n", -32700),
    (b"\xff\xfe\x00\n", -32700),
    (b"[" * 100_000 + b"\n", -32700),
    (b'"text"\n', -32600),
    (b'{"id": 1, "method": "ping"}\n', -32600),
    (b'{"jsonrpc": "2.0", "id": 1}\n', -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n', -32600),
    (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}\n', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}\n', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}\n', -32601),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}\n', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "drop"}}\n', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "no"}}\n', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc"}}\n', -32002),
    (b"x" * (stdio.MAX_BYTES + 10) + b"\n", -32600),
    (b"[]\n", -32600),
    (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]\n', -32600),
)


def test_what_is_wrong_is_answered_and_the_server_goes_on() -> None:
    with serving() as wire:
        for line, code in WRONG:
            wire.write(line)
            said = wire.read()
            assert said["error"]["code"] == code, line[:80]
            assert len(said["error"]["message"]) < 300
            assert wire.ask("ping")["result"] == {}


def test_notifications_answers_and_empty_lines_get_no_answer() -> None:
    with serving() as wire:
        for line in (
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            {"jsonrpc": "2.0", "method": "notifications/no_such"},
            {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "nothing"}},
            {"jsonrpc": "2.0", "id": 5, "result": {}},
        ):
            wire.write(json.dumps(line).encode() + b"\n")
        wire.write(b"\n  \n\r\n")
        assert wire.ask("ping")["result"] == {}


def test_batches_are_taken_in_the_one_version_that_has_them() -> None:
    ping = {"jsonrpc": "2.0", "id": "a", "method": "ping"}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with serving() as wire:
        wire.begin("2025-03-26")
        wire.write(json.dumps([ping, note, {**ping, "id": "b", "method": "no"}]).encode() + b"\n")
        said = wire.read()
        assert [one["id"] for one in said] == ["a", "b"]
        assert said[1]["error"]["code"] == -32601
        wire.write(json.dumps([note]).encode() + b"\n")
        wire.begin("2025-06-18")
        wire.write(json.dumps([ping]).encode() + b"\n")
        assert wire.read()["error"]["code"] == -32600


def test_a_mistake_of_ours_is_logged_and_the_server_goes_on(tmp_path: Path) -> None:
    """A store that is none: the tool says so; nothing but answers comes out."""
    (tmp_path / "bad.db").write_bytes(b"not a database at all" * 100)
    with serving("--db", str(tmp_path / "bad.db")) as wire:
        said = wire.call("recall", question="anything")
        assert said["isError"] is True
        assert "bad.db" in said["content"][0]["text"]
        assert wire.ask("resources/read", {"uri": "recollect://project/brief"})["error"]["code"] == -32603
        assert wire.ask("ping")["result"] == {}


def test_bad_settings_are_told_to_the_model(tmp_path: Path) -> None:
    with serving(RECOLLECT_RECALL_LIMIT="many") as wire:
        said = wire.call("recall", question="anything")
        assert said["isError"] is True
        assert "recall.limit" in said["content"][0]["text"]


def test_what_was_asked_for_is_written_down_when_the_input_is_closed(tmp_path: Path) -> None:
    with serving() as wire:
        made = wire.call("remember", text="The upload limit is 20 MB")
        wire.call("recall", question="upload limit")
    with Recollect(tmp_path / "home" / "data" / "memories.db", folder=None) as memory:
        assert memory.show(id_in(made["content"][0]["text"])).access_count == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_gives_the_memory_back(tmp_path: Path, number: int) -> None:
    with serving() as wire:
        made = wire.call("remember", text="The upload limit is 20 MB")
        wire.call("recall", question="upload limit")
        wire.process.send_signal(number)
        assert wire.process.wait(timeout=30) == 0
    with Recollect(tmp_path / "home" / "data" / "memories.db", folder=None) as memory:
        assert memory.show(id_in(made["content"][0]["text"])).access_count == 1


def test_another_file_in_the_place_of_the_store_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "home" / "data" / "memories.db"
    with serving() as wire:
        wire.call("remember", text="The upload limit is 20 MB")
        file.rename(file.with_name("away.db"))
        wire.call("remember", text="Deploys run at night")
        said = wire.call("recall", question="upload limit")
        assert said["content"][0]["text"] == "Nothing is known about this."
    with Recollect(file, folder=None) as memory:
        assert memory.admin.stats(every_project=True).memories == 1


def test_a_client_that_goes_away_ends_the_server() -> None:
    with serving() as wire:
        assert wire.process.stdout
        wire.process.stdout.close()
        wire.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        assert wire.process.wait(timeout=30) == 0
        wire.process.stdout = None


def test_the_command_serves_too(tmp_path: Path) -> None:
    asked = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'
    for command in (SERVER, [*RECOLLECT, "mcp"]):
        done = subprocess.run(command, input=asked, capture_output=True, timeout=60, check=True)
        (line,) = done.stdout.splitlines()
        assert [tool["name"] for tool in json.loads(line)["result"]["tools"]] == [tool.name for tool in TOOLS]
        assert done.stderr == b""


NOISY = """
import os
from recollect.surfaces.mcp import stdio
out = stdio._reserve_stdout()
print("a library that prints", flush=True)
os.system("echo a child that prints")
out.write(b"an answer")
"""


def test_nothing_but_answers_comes_out() -> None:
    done = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"an answer"
    assert done.stderr == b"a library that prints\na child that prints\n"


LOADED = """
import io, json, sys
from recollect.surfaces.mcp import stdio
ask = lambda method: json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).encode() + b"\\n"
out = io.BytesIO()
opening = stdio.LazyMemory(db=None, folder=stdio.Path(), read_only=False)
asked = io.BytesIO(b"".join(map(ask, ("initialize", "tools/list", "resources/list", "prompts/list"))))
stdio._answer_all(stdio.McpServer(opening, stdio.log), asked, out)
assert len(out.getvalue().splitlines()) == 4
print(json.dumps(sorted(sys.modules)))
"""


def test_the_first_answers_load_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    heavy = {
        "numpy",
        "httpx",
        "rich",
        "click",
        "apsw",
        "mcp",
        "pydantic",
        "asyncio",
        "platformdirs",
        "subprocess",
    }
    assert loaded & heavy == set()
    assert not [name for name in loaded if name.startswith(("recollect.api", "recollect.store"))]
