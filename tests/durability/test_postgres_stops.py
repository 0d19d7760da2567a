"""A server that is stopped as if the power went, again and again, while several write: nothing acknowledged is lost."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest

from tests.builders import an_engine
from tests.postgres_server import PostgresMissing, Server

WRITER = """
import sys
from tests.builders import an_engine
address, name = sys.argv[1:]
with an_engine(address) as memory:
    print("ready", flush=True)
    number = 0
    while True:
        text = f"Writer {name} has put down its fact number {number} of many"
        answer = memory.remember(text)
        print(number, type(answer).__name__, flush=True)
        number += 1
"""
WRITERS = 3


@pytest.fixture
def server() -> Iterator[Server]:
    """One that writes to the disk before it says so."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-stops-"))
    folder.chmod(0o755)  # root's tests run it as somebody else
    try:
        server = Server(folder / "server")
        server.create()
        server.start()
    except PostgresMissing as missing:
        rmtree(folder, ignore_errors=True)
        pytest.skip(f"no PostgreSQL to test on: {missing}")
    yield server
    server.stop("immediate")
    rmtree(folder, ignore_errors=True)


def read_on(writer: subprocess.Popen[str], acknowledged: list[int], count: int) -> None:
    """Wait until a writer has been told so often that its memory is kept."""
    assert writer.stdout is not None
    for _ in range(count):
        line = writer.stdout.readline()
        assert line, "a writer gave up"
        acknowledged.append(int(line.split()[0]))


def test_nothing_acknowledged_is_lost_or_kept_twice(server: Server, pytestconfig: pytest.Config) -> None:
    rounds = 10 if pytestconfig.getoption("--long") else 2
    address = server.address
    an_engine(address).close()
    names = [str(number) for number in range(WRITERS)]
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, address, name], stdout=subprocess.PIPE, text=True)
        for name in names
    ]
    acknowledged: dict[str, list[int]] = {name: [] for name in names}
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for _ in range(rounds):
            for name, writer in zip(names, writers, strict=True):
                read_on(writer, acknowledged[name], 5)
            server.stop("immediate")
            server.start()
        for name, writer in zip(names, writers, strict=True):
            read_on(writer, acknowledged[name], 5)
    finally:
        for writer in writers:
            writer.kill()
            rest, _ = writer.communicate()
            name = names[writers.index(writer)]
            acknowledged[name] += [int(line.split()[0]) for line in rest.splitlines() if line[:1].isdigit()]
    with an_engine(address) as memory:
        texts = Counter(kept.text for kept in memory.list(memory.filters(every_project=True), limit=100_000))
        assert {f.check for f in memory.admin.verify() if f.verdict.name != "PASS"} == set()
    told = [
        f"Writer {name} has put down its fact number {number} of many"
        for name, numbers in acknowledged.items()
        for number in numbers
    ]
    assert len(told) >= WRITERS * 5 * (rounds + 1)
    assert [text for text in told if not texts[text]] == []
    assert [text for text, times in texts.items() if times > 1] == []
    sys.stdout.write(f"{rounds} stops, {len(told)} acknowledged, {len(texts)} kept, 0 lost, 0 twice\n")
