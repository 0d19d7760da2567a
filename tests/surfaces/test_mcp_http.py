"""The server over HTTP: the official client with the key is served, everybody else is turned away."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from recollect import Recollect
from recollect.surfaces.loopback import ensure_key
from recollect.surfaces.tools import TOOLS
from tests.surfaces.conftest import RECOLLECT

PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


@pytest.fixture
def port() -> Iterator[int]:
    """A server on a free port; it must end well when told to."""
    command = [*RECOLLECT, "mcp", "--http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stderr
        said = process.stderr.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/mcp, with the key in ", said)
        assert found, said + process.stderr.read()
        yield int(found[1])
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def asked(port: int, **headers: str) -> int:
    """The status of a request with these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    given = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    connection.putrequest("POST", "/mcp", skip_host=True)
    for name, value in {**given, **headers, "Content-Length": str(len(PING))}.items():
        connection.putheader(name, value)
    connection.endheaders(PING.encode())
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_program_with_the_key_is_served_and_nobody_else(port: int, tmp_path: Path) -> None:
    file = tmp_path / "home" / "data" / "mcp-key"
    key, host = f"Bearer {file.read_text()}", f"127.0.0.1:{port}"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert asked(port, Host=host, Authorization=key) == 200
    assert asked(port, Host=f"localhost:{port}", Authorization=key) == 200
    assert asked(port, Host=host, Authorization=key, Origin=f"http://{host}") == 200
    for bent in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port}.evil.example", ""):
        assert asked(port, Host=bent, Authorization=key) == 421, bent
    for origin in ("http://evil.example", "null", f"https://{host}", f"http://{host}.evil.example"):
        assert asked(port, Host=host, Authorization=key, Origin=origin) == 403, origin
    for wrong in ("", "Bearer ", "Bearer x", key[:-1], f"{key}x", key.replace("Bearer", "Basic")):
        assert asked(port, Host=host, Authorization=wrong) == 401, wrong
    assert asked(port, Host=host) == 401

    async def story() -> None:
        async with httpx2.AsyncClient(headers={"Authorization": key}) as carrier:
            address = streamable_http_client(f"http://{host}/mcp", http_client=carrier)
            async with Client(address, read_timeout_seconds=60) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == [t.name for t in TOOLS]
                made = await client.call_tool("remember", {"text": "Uploads need WAL mode"})
                assert not made.is_error
                found = await client.call_tool("recall", {"question": "uploads"})
                assert "Uploads need WAL mode" in found.content[0].text  # type: ignore[union-attr]
                assert (await client.call_tool("recall", {})).is_error

    anyio.run(story)
    with Recollect(tmp_path / "home" / "data" / "memories.db", folder=Path.cwd()) as memory:
        (one,) = memory.list()
        assert one.provenance.channel == "agent"


def test_the_key_is_made_once(tmp_path: Path) -> None:
    assert ensure_key(tmp_path / "data", "key") == ensure_key(tmp_path / "data", "key")
    assert len(ensure_key(tmp_path / "data", "key")) >= 43


def test_a_port_that_is_taken_is_said_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [*RECOLLECT, "mcp", "--http", "--port", str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, "name another with --port" in done.stderr) == (2, True)
