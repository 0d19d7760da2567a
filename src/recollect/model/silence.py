"""Silence, explained: which memories an agent is not told at a moment, why not, and what would change that."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceReason:
    """Why a memory is not told, and what a person can do about it ("": nothing needs doing)."""

    why: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentMemory:
    """A memory that is not told at a moment."""

    memory: Memory
    reason: SilenceReason


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceReport:
    """
    What would be told at a moment as the memory is now, and what would not.

    `moment` is prompt or file, `place` the prompt's text or the file's path. `sentence` says it in one.
    """

    moment: str
    place: str
    sentence: str
    told_ids: tuple[str, ...] = ()
    silent: tuple[SilentMemory, ...] = ()
