"""Turns: frameworks call from many threads, and one memory is used by one of them at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from recollect.api import Recollect
from recollect.errors import MissingExtra

P = ParamSpec("P")
T = TypeVar("T")

_LOCKS: WeakKeyDictionary[Recollect, threading.RLock] = WeakKeyDictionary()
_NEW_LOCK = threading.Lock()


def memory_lock(memory: Recollect) -> threading.RLock:
    """The lock that all adapters of one memory share."""
    with _NEW_LOCK:
        return _LOCKS.setdefault(memory, threading.RLock())


def in_turn(memory: Recollect, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do something with a memory while no other adapter does."""
    with memory_lock(memory):
        return act(*args, **kwargs)


async def in_thread(memory: Recollect, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same without holding up the event loop."""

    def run() -> T:
        return in_turn(memory, act, *args, **kwargs)

    return await asyncio.to_thread(run)


def needs_extra(framework: str, extra: str) -> MissingExtra:
    """What to say where a framework is not installed."""
    return MissingExtra(feature=f"The adapter for {framework}", package=f'"recollect[{extra}]"')
