"""
Work that no agent should wait for: a process of its own, which outlives the hook that started it.

Clients end a session's last hooks after a second or so, and kill what runs on behalf of them. So the child leaves the
session, the terminal and the client's files; what it does not finish is done at the start of the next session.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

_MODULE = "recollect.surfaces.hooks.afterwards"
# Windows' words for a process without a console and a group of its own; elsewhere there are none.
_APART = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


def start(db: str, folder: str) -> subprocess.Popen[bytes]:
    """Learn from what is over, and look after memories, in the background."""
    return subprocess.Popen(
        [sys.executable, "-m", _MODULE, db, folder],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Not in the project: a folder that a process stands in cannot be removed everywhere.
        cwd=Path(db).parent,
        start_new_session=True,
        creationflags=_APART,
    )


def wait_for(child: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait so long at most; then it goes on by itself."""
    until = time.monotonic() + seconds
    while child.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    # It may outlive us: that is what it is for.
    child.returncode = child.returncode or 0
