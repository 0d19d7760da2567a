"""What a look over the files that memories stand on has found and done."""

from __future__ import annotations

from typing import NamedTuple

from recollect.model.value import dataclass


class Moved(NamedTuple):
    """A file went elsewhere, and the memory went with it."""

    memory_id: str
    was: str
    path: str


class Marked(NamedTuple):
    """A memory is stale now, and why."""

    memory_id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What was done; `finished` is False when there was no time for all of it, and the next look goes on."""

    looked_at: int = 0
    # Memories that got an anchor now: imports, and what was there before anchors were.
    anchored: int = 0
    moved: tuple[Moved, ...] = ()
    stale: tuple[Marked, ...] = ()
    # No longer stale: the file is back.
    fresh: tuple[str, ...] = ()
    changed: int = 0
    finished: bool = True
    notes: tuple[str, ...] = ()
