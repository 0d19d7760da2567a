"""
A pool of worker processes that parse files in parallel. Protocol: a greeting, then length-prefixed bytes.

Nothing depends on them. What a worker does not answer, because it could not be started or died, is read here.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import IO, TYPE_CHECKING

from recollect.codegraph.outline import VERSION

if TYPE_CHECKING:
    import subprocess
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

# The first thing a worker says. Another one comes from another version, or from no worker at all.
GREETING = f"recollect outlines {VERSION}".encode()
_LENGTH = struct.Struct("<I")


def send(out: IO[bytes], message: bytes) -> None:
    """Write some bytes, with their length before them."""
    out.write(_LENGTH.pack(len(message)))
    out.write(message)


def receive(source: IO[bytes]) -> bytes:
    """Read what `send` wrote; EOFError when the other side is gone."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    message = source.read(length)
    if len(message) < length:
        raise EOFError
    return message


# More would wait for the one who writes, and each holds some 40 MB.
MAX_WORKERS = 8
# For fewer files they would hardly be ready before the work is done.
_MIN_FILES = 300
# So many files go to a worker at once.
_FILES_PER_REQUEST = 16
_COMMAND = ("-P", "-m", "recollect.codegraph.worker")
# Windows' word for a process that opens no window; elsewhere there is none.
_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0

# A language and the bytes of a file.
Source = tuple[str, bytes]


class Workers:
    """
    A pool of COUNT processes, started with the first file and ended with the `with` block. 0 means one for each
    processor; a single worker would only cost time.
    """

    def __init__(self, count: int) -> None:
        self._count = min(count or _count_processors(), MAX_WORKERS)
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
        """Whether workers are faster for so many files."""
        return self._threads is not None or (self._count > 1 and files >= _MIN_FILES)

    def outlines(self, sources: Sequence[Source]) -> Iterator[bytes]:
        """The packed outline of each file, in order; empty where no worker answered. Work begins at once."""
        if self._threads is None:
            self._threads = self._start()
        parts = [
            sources[start : start + _FILES_PER_REQUEST]
            for start in range(0, len(sources), _FILES_PER_REQUEST)
        ]
        return chain.from_iterable(self._threads.map(self._ask_worker, parts))

    def _start(self) -> ThreadPoolExecutor:
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
                    creationflags=_NO_WINDOW,
                )
            except OSError:
                break
            self._processes.append(process)
            self._idle.put(_Worker(process))
        self._alive = len(self._processes)
        if not self._processes:
            self._idle.put(None)
        return ThreadPoolExecutor(max(self._alive, 1), thread_name_prefix="recollect-outlines")

    def _ask_worker(self, part: Sequence[Source]) -> list[bytes]:
        worker = self._idle.get()
        answers = [b""] * len(part)
        if worker is not None:
            try:
                answers = worker.ask(part)
            except (OSError, EOFError, ValueError):  # it died, or was ended with the rest
                if self._drop_worker():
                    return answers
                worker = None
        self._idle.put(worker)
        return answers

    def _drop_worker(self) -> bool:
        """Count a dead worker; whether others are alive."""
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


def _count_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _is_python(program: str | None) -> bool:
    """Whether this is an interpreter, not a program that embeds one and would start itself again."""
    return bool(program) and Path(program or "").name.lower().startswith(("python", "pypy"))
