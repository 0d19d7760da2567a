"""Process trees: start an agent with its output in a file, and end it with everything it started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from recollect.errors import BadInput
from recollect.ops.environment import RUN_VARIABLE

# Two readings of one birth may differ by rounding; two processes of one id are seconds apart.
_SAME_BIRTH = 1.0
GRACE_SECONDS = 5.0


def start_process(
    words: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    stdin_path: Path,
    output: Path,
    errors: Path,
) -> subprocess.Popen[bytes]:
    """
    Start a program that reads its input from a file and writes its output to files.

    Nothing is piped: what it says is on disk whatever happens to us, and no long line can block it.
    """
    how: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        how = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    with stdin_path.open("rb") as stdin, output.open("ab") as stdout, errors.open("ab") as stderr:
        try:
            return subprocess.Popen(
                list(words),
                cwd=folder,
                env=dict(environment),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                **how,
            )
        except (OSError, ValueError) as error:
            raise BadInput(reason=f"{words[0]!r} cannot be started ({error})") from error


def find_birth(pid: int) -> float | None:
    """When a process was born, which tells a reused id apart; None when there is none."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def is_alive(pid: int | None, birth: float | None) -> bool:
    """Whether the process that had this id then is still there."""
    return _process(pid, birth) is not None


def end_run(run_id: str, pid: int | None, birth: float | None, grace: float = GRACE_SECONDS) -> int:
    """End every process of a run: its agent, what that started, and what has left its family; how many."""
    ended: set[int] = set()
    # Who is being ended may start another meanwhile: look until nobody is left.
    for _ in range(5):
        processes = [process for process in _find_processes(run_id, pid, birth) if process.pid != os.getpid()]
        if not processes:
            break
        ended |= {process.pid for process in processes}
        _end(processes, grace)
    return len(ended)


def _find_processes(run_id: str, pid: int | None, birth: float | None) -> list[psutil.Process]:
    by_pid: dict[int, psutil.Process] = {}
    leader = _process(pid, birth)
    if leader is not None:
        with suppress(psutil.Error):
            by_pid |= {process.pid: process for process in (leader, *leader.children(recursive=True))}
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid not in by_pid and process.environ().get(RUN_VARIABLE) == run_id:
                by_pid[process.pid] = process
    ancestors = _own_ancestors()
    return [process for process in by_pid.values() if process.pid not in ancestors and _is_live(process)]


def _own_ancestors() -> set[int]:
    with suppress(psutil.Error):
        return {process.pid for process in psutil.Process().parents()}
    return set()


def _is_live(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _end(processes: Iterable[psutil.Process], grace: float) -> None:
    waiting = list(processes)
    for process in waiting:
        with suppress(psutil.Error):
            process.terminate()
    _, alive = psutil.wait_procs(waiting, timeout=grace)
    for process in alive:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(alive, timeout=grace)


def _process(pid: int | None, birth: float | None) -> psutil.Process | None:
    if pid is None or birth is None:
        return None
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - birth) < _SAME_BIRTH
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None
