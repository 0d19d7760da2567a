"""
Outlines of many files at once, by processes of their own: parsing one file has nothing to do with any other.

Nothing depends on them. What a worker does not answer, because it could not be started or died, is read here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING

from recollect.codegraph.worker_protocol import GREETING, receive, send

if TYPE_CHECKING:
    import subprocess
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

# More would wait for the one who writes, and each holds some 40 MB.
MOST_WORKERS = 8
# For fewer files they would hardly be ready before the work is done.
_MANY = 300
# So many files go to a worker at once.
_TOGETHER = 16
_COMMAND = ("-P", "-m", "recollect.codegraph.worker")
# Windows' word for a process that opens no window; elsewhere there is none.
_UNSEEN = 0x08000000 if sys.platform == "win32" else 0

# A language and the bytes of a file.
Source = tuple[str, bytes]


class Workers:
    """
    So many processes, started when the first file comes and gone with the `with` block; 0 of them are as many as the
    machine has processors, and a single one would only be in the way.
    """

    def __init__(self, count: int) -> None:
        self._count = min(count or _processors(), MOST_WORKERS)
        # Nobody (None) is in it when there is no worker, or none any more.
        self._idle: SimpleQueue[_Worker | None]
        self._alive = 0
        self._counting = Lock()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: ThreadPoolExecutor | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.communicate()

    def are_worth(self, files: int) -> bool:
        """Whether so many files are read sooner by them."""
        return self._threads is not None or (self._count > 1 and files >= _MANY)

    def outlines(self, sources: Sequence[Source]) -> Iterator[bytes]:
        """The outline of each file as it is kept, in order; empty where no worker could tell. Work begins at once."""
        if self._threads is None:
            self._threads = self._started()
        parts = [sources[start : start + _TOGETHER] for start in range(0, len(sources), _TOGETHER)]
        return chain.from_iterable(self._threads.map(self._asked, parts))

    def _started(self) -> ThreadPoolExecutor:
        # Most builds read a file or two, and these take longer to load than that.
        import subprocess
        from concurrent.futures import ThreadPoolExecutor
        from queue import SimpleQueue

        self._idle = SimpleQueue()
        for _ in range(self._count if _is_python(sys.executable) else 0):
            try:
                process = subprocess.Popen(
                    [sys.executable, *_COMMAND],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    creationflags=_UNSEEN,
                )
            except OSError:
                break
            self._processes.append(process)
            self._idle.put(_Worker(process))
        self._alive = len(self._processes)
        if not self._processes:
            self._idle.put(None)
        return ThreadPoolExecutor(max(self._alive, 1), thread_name_prefix="recollect-outlines")

    def _asked(self, part: Sequence[Source]) -> list[bytes]:
        worker = self._idle.get()
        answers = [b""] * len(part)
        if worker is not None:
            try:
                answers = worker.ask(part)
            except (OSError, EOFError, ValueError):  # it died, or was ended with the rest
                if self._others_live():
                    return answers
                worker = None
        self._idle.put(worker)
        return answers

    def _others_live(self) -> bool:
        """Count a worker out."""
        with self._counting:
            self._alive -= 1
            return self._alive > 0


class _Worker:
    """One process, asked by one thread at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._back = process.stdin, process.stdout
        self._greeted = False

    def ask(self, part: Sequence[Source]) -> list[bytes]:
        if not self._greeted:
            if self._back.read(len(GREETING)) != GREETING:
                raise EOFError
            self._greeted = True
        send(self._to, len(part).to_bytes(4, "little"))
        for language, source in part:
            send(self._to, language.encode())
            send(self._to, source)
        self._to.flush()
        return [receive(self._back) for _ in part]


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _is_python(program: str | None) -> bool:
    """Whether this is an interpreter, and not a program that has one inside it and would start once more."""
    return bool(program) and Path(program or "").name.lower().startswith(("python", "pypy"))
