"""A server that is killed in the middle, and a line that is cut: nothing acknowledged is lost or done twice."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.api.acts import ACTS
from recollect.remote.line import LineCaller, ServerLine
from recollect.server.accounts import create_organisation
from recollect.server.organisations import Organisations
from recollect.server.team_server import TeamServer
from tests.server.running import PROJECT, RunningServer, run_server

# More of them by hand: RECOLLECT_TEST_KILLS=100.
KILLS = int(os.environ.get("RECOLLECT_TEST_KILLS", "6"))


def start_server(address: str, port: int, home: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "recollect", "serve", "--db", address, "--port", str(port), "--rate", "0"],
        env={**os.environ, "RECOLLECT_HOME": str(home), "RECOLLECT_EMBEDDING_TIER": "none"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.timeout(900)
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is posix")
def test_a_server_killed_in_the_middle_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    address = str(tmp_path / "team.db")
    service = TeamServer(address)
    _, token = create_organisation(service.organisations, "acme", "alex", service.clock)
    service.close()
    port, acknowledged, is_over = find_port(), list[str](), threading.Event()

    def write() -> None:
        caller = LineCaller(token=token, project_keys=(PROJECT,))
        line = ServerLine(
            f"http://127.0.0.1:{port}", caller, seconds=30, tries=60, sleep=lambda _: time.sleep(0.1)
        )
        number = 0
        while not is_over.is_set():
            number += 1
            text = f"Fact {number} of the service numbered {number * 7919}"
            acknowledged.append(line.call(ACTS["remember"], (text,), {}).memory.id)
        line.close()

    writer = threading.Thread(target=write)
    chance = random.Random(20)
    process = start_server(address, port, tmp_path / "home")
    writer.start()
    for _ in range(KILLS):
        before = len(acknowledged)
        wait_until(lambda before=before: len(acknowledged) > before + chance.randrange(3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = start_server(address, port, tmp_path / "home")
    before = len(acknowledged)
    wait_until(lambda: len(acknowledged) > before)
    is_over.set()
    writer.join(60)
    process.terminate()
    assert process.wait(60) == 0
    organisations = Organisations(address, service.clock)
    db = organisations.find("acme")
    rows = db.rows("memories_owned", owner="alex")
    organisations.close()
    assert sorted(row["id"] for row in rows) == sorted(acknowledged)
    assert len(set(acknowledged)) == len(acknowledged) > KILLS


class CuttingProxy:
    """Passes bytes on, and cuts the line: before the server heard, or after it answered and before that is heard."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.cuts: list[str] = []
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(near,), daemon=True).start()

    def _pass(self, near: socket.socket) -> None:
        with near:
            request_bytes = read_request(near)
            cut = self.cuts.pop() if self.cuts else ""
            if cut == "before" or not request_bytes:
                return
            with socket.create_connection(self._target) as far:
                far.sendall(
                    request_bytes.replace(b"127.0.0.1:%d" % self.port, b"127.0.0.1:%d" % self._target[1])
                )
                far.settimeout(0.5)
                answer = b""
                while True:
                    try:
                        part = far.recv(1 << 20)
                    except TimeoutError:
                        break
                    if not part:
                        break
                    answer += part
            if cut != "after":
                near.sendall(answer)


def read_request(near: socket.socket) -> bytes:
    """A whole request: its head and its body come in two pieces."""
    whole = b""
    while part := near.recv(1 << 20):
        whole += part
        head, _, body = whole.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head.lower())
        if b"\r\n\r\n" in whole and len(body) >= (int(length[1]) if length else 0):
            break
    return whole


@pytest.fixture
def cutting(tmp_path: Path) -> Iterator[tuple[RunningServer, CuttingProxy, str]]:
    with run_server(str(tmp_path / "team.db")) as server:
        _, token = server.create()
        port = int(server.url.rpartition(":")[2])
        proxy = CuttingProxy(("127.0.0.1", port))
        yield server, proxy, token
        proxy.close()


def test_a_line_that_is_cut_is_no_reason_to_do_something_twice(cutting: Any) -> None:
    server, proxy, token = cutting
    for cuts in (["after"], ["before"], ["after", "before"], ["before", "after", "after"]):
        proxy.cuts[:] = cuts
        line = ServerLine(
            f"http://127.0.0.1:{proxy.port}",
            LineCaller(token=token, project_keys=(PROJECT,)),
            sleep=lambda _: None,
        )
        text = f"Cut {len(cuts)} times: {' '.join(cuts)}"
        memory = line.call(ACTS["remember"], (text,), {}).memory
        line.close()
        assert proxy.cuts == []
        visitor = server.visit(token)
        assert [one["action"] for one in visitor.get("history", memory_id=memory.id)] == ["remember"]
    assert len(server.visit(token).texts()) == 4


def find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(holds: Any, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.02)
