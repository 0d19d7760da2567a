"""
Inside the room: a real OpenClaw gateway with a Telegram of our own, and our messages through both.

Prints, as one line of JSON, what arrived where. Called as `python -m tests.clients.openclaw_scene HOME NODE PROGRAM`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recollect import Recollect
from recollect.config import load_settings
from tests.clients.api.script import Say
from tests.clients.api.server import ScriptedApi
from tests.clients.telegram import FakeTelegram

TOKEN = "a-token-of-this-test-alone"
REPLY = "Noted, I will."
QUESTION = "please water the plants"
_PATIENCE_SECONDS = 150.0


def main() -> None:
    home, node, program = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    telegram, api = FakeTelegram(), ScriptedApi()
    api.play([[Say(REPLY)]])
    port = _free_port()
    _write_settings(home, port, telegram.url, api.url)
    seen: dict[str, Any] = {}
    with _open_memory(home) as memory:
        messages = memory.vault.messages
        seen["down"] = messages.send("sent while it was down").problem
        gateway = _start_gateway(home, node, program)
        try:
            _wait_until(lambda: _is_up(port), gateway)
            seen["sent"] = messages.send("the deploy is done").sent
            seen["arrived"] = list(telegram.sent)
            telegram.write(QUESTION)
            _wait_until(lambda: REPLY in telegram.sent, gateway)
            seen["unread"] = [(one.text, one.peer) for one in messages.check()[0]]
            seen["again"] = [one.text for one in messages.check()[0]]
            os.environ["OPENCLAW_GATEWAY_TOKEN"] = "wrong"
            seen["refused"] = messages.send("with a wrong token").problem
        finally:
            gateway.terminate()
            gateway.wait(60)
    print(json.dumps(seen))


def _open_memory(home: Path) -> Recollect:
    settings = load_settings(flags={"messages.channel": "openclaw", "messages.target": "42"})
    memory = Recollect(home / "memories.db", folder=None, settings=settings)
    memory.vault.init(home / "Vault")
    return memory


def _write_settings(home: Path, port: int, telegram: str, api: str) -> None:
    model = {
        "id": "scripted",
        "name": "scripted",
        "reasoning": False,
        "input": ["text"],
        "contextWindow": 100_000,
        "maxTokens": 4_000,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }
    provider = {
        "baseUrl": f"{api}/v1",
        "apiKey": "sk-dummy",
        "api": "openai-completions",
        "models": [model],
    }
    bot = {
        "enabled": True,
        "botToken": "777:" + "A" * 35,
        "apiRoot": telegram,
        "dmPolicy": "open",
        "allowFrom": ["*"],
    }
    settings = {
        "gateway": {
            "mode": "local",
            "port": port,
            "bind": "loopback",
            "auth": {"mode": "token", "token": TOKEN},
        },
        "channels": {"telegram": bot},
        "agents": {"defaults": {"model": {"primary": "local/scripted"}}},
        "models": {"mode": "merge", "providers": {"local": provider}},
    }
    folder = home / ".openclaw"
    folder.mkdir(parents=True)
    (folder / "openclaw.json").write_text(json.dumps(settings))


def _start_gateway(home: Path, node: str, program: str) -> subprocess.Popen[bytes]:
    environment = {
        "PATH": f"{Path(node).parent}:/usr/bin:/bin",
        "HOME": str(home),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
    }
    with (home / "gateway.log").open("wb") as log:
        return subprocess.Popen(
            [node, program, "gateway", "run"],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _wait_until(is_so: Callable[[], bool], gateway: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        if gateway.poll() is not None or time.monotonic() > until:
            raise SystemExit("the gateway does not come so far")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
