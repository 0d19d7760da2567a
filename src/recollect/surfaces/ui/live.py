"""Live pages: one look a second for all of them, and a stream of events to each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool

from recollect.errors import RecollectError

LOOK_SECONDS = 1.0
_BEAT_SECONDS = 15.0
MAX_STREAMS = 200


class LiveChanges:
    """Tells every open page when something has changed. Nobody looks while no page is open."""

    def __init__(self, version: Callable[[], tuple[int, ...]]) -> None:
        self._version = version
        self._changed = asyncio.Condition()
        self._number = 0
        self._streams = 0
        self._task: asyncio.Task[None] | None = None
        self._is_over = False

    @property
    def is_full(self) -> bool:
        """Whether there are as many streams as we serve."""
        return self._streams >= MAX_STREAMS

    async def stream(self) -> AsyncIterator[str]:
        """Events for one page, until it goes away or we end."""
        self._streams += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        try:
            seen_number = self._number
            yield f"retry: 2000\nevent: hello\ndata: {seen_number}\n\n"
            while not self._is_over:
                try:
                    async with self._changed:
                        await asyncio.wait_for(self._changed.wait(), _BEAT_SECONDS)
                except TimeoutError:
                    yield ": still here\n\n"
                if self._number != seen_number:
                    seen_number = self._number
                    yield f"event: change\ndata: {seen_number}\n\n"
        finally:
            self._streams -= 1

    async def end(self) -> None:
        """Let every stream end."""
        self._is_over = True
        if self._task is not None:
            self._task.cancel()
        async with self._changed:
            self._changed.notify_all()

    async def _look(self) -> None:
        version = await self._read_version()
        while self._streams and not self._is_over:
            await asyncio.sleep(LOOK_SECONDS)
            newest = await self._read_version()
            if newest != version:
                version = newest
                self._number += 1
                async with self._changed:
                    self._changed.notify_all()

    async def _read_version(self) -> tuple[int, ...] | None:
        try:
            return await run_in_threadpool(self._version)
        except RecollectError:
            return None  # the page itself says what is wrong
