"""
Watching a vault: what changed is synced a moment later, and from time to time everything is looked at.

With the package watchfiles the system tells what changed; without it, and where a network drive tells nothing, a look
at the times of all files does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from recollect.vault.sync_report import SyncReport

# Editors save several times in a row: so long it has to be quiet.
QUIET_MS = 300
WHOLE_LOOK_SECONDS = 60.0
POLL_SECONDS = 2.0

SyncPaths = Callable[[list[str] | None], SyncReport]


def watch_vault(root: Path, sync: SyncPaths, *, seconds: float | None = None) -> Iterator[SyncReport]:
    """Sync whenever something changed; each report as it comes. Ends after so many seconds, or never."""
    until = time.monotonic() + seconds if seconds is not None else None
    yield sync(None)
    try:
        # Here alone: an optional package, and compiled.
        from watchfiles import watch
    except ImportError:
        yield from _poll(sync, until)
        return
    yield from _watch_events(root, sync, until, watch)


def _watch_events(root: Path, sync: SyncPaths, until: float | None, watch: Any) -> Iterator[SyncReport]:
    # What changed before the system began to tell is found by one more look.
    looked = -WHOLE_LOOK_SECONDS
    changes = watch(
        root,
        step=50,
        debounce=QUIET_MS,
        rust_timeout=500,
        yield_on_timeout=True,
        raise_interrupt=True,
        watch_filter=lambda _, path: is_watched(root, path),
    )
    for changed in changes:
        if until is not None and time.monotonic() > until:
            return
        if changed:
            yield sync(sorted({Path(path).relative_to(root).as_posix() for _, path in changed}))
        elif time.monotonic() - looked > WHOLE_LOOK_SECONDS:
            looked = time.monotonic()
            yield sync(None)


def _poll(sync: SyncPaths, until: float | None) -> Iterator[SyncReport]:
    while until is None or time.monotonic() < until:
        time.sleep(POLL_SECONDS if until is None else min(POLL_SECONDS, max(0.0, until - time.monotonic())))
        yield sync(None)


def is_watched(root: Path, path: str) -> bool:
    """Whether a change of this path matters: a note, outside hidden folders."""
    try:
        parts = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return path.endswith(".md") and not any(part.startswith(".") for part in parts)
