"""A real server process, spoken to line by line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

SERVER = [sys.executable, "-m", "recollect.surfaces.mcp"]


class Wire:
    """Both ends of the pipe, as bytes and as JSON."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: object = None, **more: object) -> dict[str, Any]:
        """One request and its answer, which bears the same id."""
        self._number += 1
        message: dict[str, object] = {"jsonrpc": "2.0", "id": self._number, "method": method, **more}
        if params is not None:
            message["params"] = params
        self.write(json.dumps(message).encode() + b"\n")
        said = self.read()
        assert said["id"] == message["id"] and said["jsonrpc"] == "2.0"
        assert isinstance(said, dict)
        return said

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The result of a tool."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert isinstance(result, dict)
        return result

    def begin(self, version: str = "2025-11-25") -> dict[str, Any]:
        """The handshake."""
        client = {"name": "a test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        result = self.ask("initialize", params)["result"]
        self.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        assert isinstance(result, dict)
        return result


def id_in(text: str) -> str:
    """The id that a tool's text names."""
    return next(word for word in re.findall(r"[0-9A-Z]{26}", text))


@contextmanager
def serving(*options: str, **environment: str) -> Iterator[Wire]:
    """A server in the current folder; it must end well when its input is closed."""
    process = subprocess.Popen(
        [*SERVER, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_with(environment),
    )
    try:
        yield Wire(process)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0 and not out, err.decode()
    finally:
        process.kill()
        process.communicate()


def _with(environment: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **environment}
