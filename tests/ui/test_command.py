"""The command `ui` as a real process: it prints its address, answers, and leaves nothing running."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from recollect import Recollect
from recollect.surfaces.ui.serve import PORT, take_port

COMMAND = [sys.executable, "-m", "recollect"]


def start(*words: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    environment = {**os.environ, "RECOLLECT_EMBEDDING_TIER": "none"}
    process = subprocess.Popen(
        [*COMMAND, *words, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout
    line = process.stdout.readline()
    return process, json.loads(line) if line else {}


def end(process: subprocess.Popen[str]) -> None:
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0
    assert process.stdout and process.stderr
    assert "Traceback" not in process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    assert not any(child.is_running() for child in children)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C reaches a whole console there")
def test_it_prints_an_address_answers_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    process, told = start("ui", "--port", "0", "--no-browser")
    address = told["address"]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?t=[\w-]{20,}", address)
    with httpx.Client() as client:
        assert client.get(address).status_code == 303
        port = int(address.split(":")[2].split("/")[0])
        # A page that is open does not keep it from ending.
        with client.stream("GET", f"http://127.0.0.1:{port}/live") as stream:
            assert "hello" in next(stream.iter_text())
            end(process)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C reaches a whole console there")
def test_what_an_agent_starts_has_an_agents_rights(tmp_path: Path) -> None:
    """Without a terminal nobody can tell that a person is there."""
    with Recollect(folder=None) as memory:
        made = memory.remember("Retries are capped at 3")
    process, told = start("ui", "--port", "0")
    with httpx.Client(base_url=told["address"].partition("/?")[0]) as client:
        client.get(told["address"])
        answer = client.post("/review/confirm", json={"ids": [made.memory.id]})
        assert answer.status_code == 403 and answer.json()["error"]["code"] == "only_a_person"
    end(process)


def test_a_port_that_is_taken_is_named_or_another_one_is_found() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = subprocess.run(
            [*COMMAND, "ui", "--port", str(port)], capture_output=True, text=True, timeout=60, check=False
        )
        assert refused.returncode == 2 and f"port {port} cannot be used" in refused.stderr
    with take_port(None) as first, take_port(None) as second:
        assert second.getsockname()[1] not in (0, first.getsockname()[1])
        assert first.getsockname()[0] == "127.0.0.1"
    assert PORT


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C reaches a whole console there")
def test_the_demo_shows_a_full_project_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process, told = start("demo", "--ui", "--port", "0", "--no-browser")
    with httpx.Client(base_url=told["address"].partition("/?")[0], timeout=60) as client:
        client.get(told["address"])
        for room in ("memories", "sessions", "runs", "services", "tasks", "modules"):
            assert client.get(f"/{room}.json").json()[room], room
        assert client.get("/review.json").json()["waiting"]
    for child in psutil.Process(process.pid).children(recursive=True):
        child.send_signal(signal.SIGINT)
    end_quietly(process)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("recollect-demo-")] == []
    assert not (tmp_path / "home" / "data" / "memories.db").exists()


def end_quietly(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    assert process.stdout and process.stderr
    process.stdout.close()
    process.stderr.close()


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; sys.modules['nh3'] = None; sys.argv = ['recollect', 'ui']; "
        "from recollect.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0 and "recollect[ui]" in done.stderr
