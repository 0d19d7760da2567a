"""Work that takes longer than a page may wait: run in a thread of its own, with its progress to look at."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from recollect.api import Recollect
from recollect.errors import BadInput, RecollectError
from recollect.model.value import asdict, dataclass, replace
from recollect.surfaces.ui.open_memories import OpenMemory

Progress = Callable[[int, int], None]
_MAX_END_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """How far a job is: `state` is idle, running, done or failed."""

    name: str
    state: str = "idle"
    done: int = 0
    total: int = 0
    result: Any = None
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


class StoppedJob(Exception):
    """A job was asked to end."""


class BackgroundJobs:
    """The jobs by name; one of each name runs at a time, with a memory of its own."""

    def __init__(self, open_memory: OpenMemory) -> None:
        self._open_memory = open_memory
        self._lock = threading.Lock()
        self._jobs: dict[str, JobProgress] = {}
        # Grows whenever a job gets further, so that open pages look again.
        self.steps = 0
        self._is_over = threading.Event()
        self._threads: list[threading.Thread] = []

    def look(self, name: str) -> JobProgress:
        """How far a job is."""
        with self._lock:
            return self._jobs.get(name, JobProgress(name=name))

    def start(self, name: str, work: Callable[[Recollect, Progress], Any], *, for_agent: bool) -> JobProgress:
        """Begin a job; an error while it runs already."""
        with self._lock:
            if self._jobs.get(name, JobProgress(name=name)).state == "running":
                raise BadInput(reason=f"{name} is running already; wait until it has ended")
            self._jobs[name] = JobProgress(name=name, state="running")
            self.steps += 1
        thread = threading.Thread(
            target=self._work, args=(name, work, for_agent), name=f"recollect-{name}", daemon=True
        )
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()
        return self.look(name)

    def end(self) -> None:
        """Let every job end at its next step, and wait for that: no process of theirs outlives us."""
        self._is_over.set()
        for thread in self._threads:
            thread.join(timeout=_MAX_END_SECONDS)

    def _work(self, name: str, work: Callable[[Recollect, Progress], Any], for_agent: bool) -> None:
        def step(done: int, total: int) -> None:
            if self._is_over.is_set():
                raise StoppedJob
            self._set(name, done=done, total=total)

        try:
            with self._open_memory(for_agent) as memory:
                result = work(memory, step)
        except StoppedJob:
            self._set(name, state="failed", error="stopped")
        except RecollectError as error:
            self._set(name, state="failed", error=str(error))
        # The thread ends here either way; the page has to say so.
        except Exception as error:  # noqa: BLE001
            self._set(name, state="failed", error=f"{type(error).__name__}: {error}")
        else:
            self._set(name, state="done", result=result)

    def _set(self, name: str, **changes: Any) -> None:
        with self._lock:
            self._jobs[name] = replace(self._jobs[name], **changes)
            self.steps += 1
