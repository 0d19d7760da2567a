"""
The foreground scheduler: starts a process for each job that is due, was asked for, or whose files changed.

When a job is due stands in the database, so a scheduler that was down starts once what it missed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from recollect.api.operations import Operations
from recollect.model.value import dataclass
from recollect.ops.jobs import OpsFile, OpsJob

TICK_SECONDS = 1.0
ENDING_SECONDS = 30.0
MAX_FILES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """A job that somebody wants to start now."""

    job: str
    trigger: str
    prompt: str = ""
    tier: int = 1


class Scheduler:
    """Looks once a second what is to be started."""

    def __init__(
        self,
        operations: Operations,
        file: OpsFile,
        command: Sequence[str],
        *,
        requests: Callable[[], Sequence[StartRequest]] = lambda: (),
        on_note: Callable[[str], None] = lambda line: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._operations = operations
        self._file = file
        self._command = tuple(command)
        self._requests = requests
        self._on_note = on_note
        self._sleep = sleep
        self._children: dict[int, tuple[str, subprocess.Popen[bytes]]] = {}

    def run(self) -> None:
        """Go on until somebody interrupts; then every run ends too."""
        try:
            while True:
                self.tick()
                self._sleep(TICK_SECONDS)
        finally:
            self.end_all()

    def tick(self) -> Sequence[StartRequest]:
        """One look: what was started."""
        self._reap()
        now = self._operations.now()
        wanted = [*self._find_due(now), *self._find_changed(), *self._requests()]
        for request in wanted:
            self._start(request)
        return wanted

    def running(self) -> Sequence[str]:
        """The jobs that run now."""
        self._reap()
        return [job for job, _ in self._children.values()]

    def end_all(self) -> None:
        """End every run that was started here."""
        processes = [process for _, process in self._children.values()]
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._children.clear()

    def _find_due(self, now: datetime) -> Iterator[StartRequest]:
        for job in self._file.jobs.values():
            if job.schedule is None or job.name in {name for name, _ in self._children.values()}:
                continue
            plan, due, seen = self._operations.get_due(job.name)
            if plan != job.schedule.plan or due is None:
                due = job.schedule.find_next(self._operations.find_last_end(job.name), now)
                self._operations.put_due(job.name, job.schedule.plan, due, seen)
            if due > now:
                continue
            # An interval begins anew when the run has ended; a cron line has its next moment now.
            following = job.schedule.find_next(None, now) if job.schedule.cron else None
            self._operations.put_due(job.name, job.schedule.plan, following, seen)
            yield StartRequest(job=job.name, trigger="schedule")

    def _find_changed(self) -> Iterator[StartRequest]:
        for job in self._file.jobs.values():
            if not job.files:
                continue
            plan, due, seen = self._operations.get_due(job.name)
            files = _signatures(job)
            if "files" in seen and seen["files"] == files:
                continue
            self._operations.put_due(job.name, plan, due, {**seen, "files": files})
            # What is there when a job is first seen is no change.
            if "files" in seen:
                yield StartRequest(job=job.name, trigger="file")

    def _start(self, request: StartRequest) -> None:
        words = [*self._command, request.job, "--trigger", request.trigger, "--tier", str(request.tier)]
        words += ["--prompt", "-"] if request.prompt else []
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE if request.prompt else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None,
            cwd=self._file.path.parent,
        )
        if process.stdin is not None:
            with suppress(OSError), process.stdin:
                process.stdin.write(request.prompt.encode())
        self._children[process.pid] = (request.job, process)
        self._on_note(f"{request.job}: started by {request.trigger}")

    def _reap(self) -> None:
        for pid, (job, process) in list(self._children.items()):
            if process.poll() is not None:
                del self._children[pid]
                self._on_note(f"{job}: ended with {process.returncode}")


def run_command(file: Path, db: str) -> list[str]:
    """The words that run one job of a jobs file in a process of its own."""
    return [sys.executable, "-m", "recollect", "ops", "run", "--file", str(file), "--db", db]


def _signatures(job: OpsJob) -> str:
    """The files that a job watches, with size and time of each."""
    signatures: dict[str, str] = {}
    for pattern in job.files:
        for path in sorted(job.folder.glob(pattern))[:MAX_FILES]:
            with suppress(OSError):
                status = path.stat()
                signatures[str(path)] = f"{status.st_size}:{status.st_mtime_ns}"
    lines = "\n".join(f"{name} {signatures[name]}" for name in sorted(signatures))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
