"""Open memories, each for one person, project and way of asking; used by one request at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from recollect import config
from recollect.api import Recollect
from recollect.model.project import Project
from recollect.model.provenance import Channel
from recollect.model.viewer import Viewer
from recollect.providers.embed import Embedder
from recollect.server.organisations import Organisations

MAX_OPEN = 64


class MemoryKey(NamedTuple):
    """What a memory was opened for."""

    organisation: str
    viewer: Viewer
    project: Project | None
    by_agent: bool


class _Lease:
    """One open memory and who waits for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.memory: Recollect | None = None
        self.users = 0


class MemoryPool:
    """Lends memories to requests."""

    def __init__(
        self,
        organisations: Organisations,
        clock: Callable[[], datetime],
        *,
        embedder: Embedder | None = None,
        max_open: int = MAX_OPEN,
    ) -> None:
        self._organisations = organisations
        self._clock = clock
        self._embedder = embedder
        self._max_open = max_open
        self._leases: OrderedDict[MemoryKey, _Lease] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def lend(self, key: MemoryKey) -> Iterator[Recollect]:
        """A memory for a while; nobody else has it meanwhile."""
        lease = self._join(key)
        try:
            with lease.lock:
                if lease.memory is None:
                    lease.memory = self._open(key)
                yield lease.memory
        finally:
            self._leave(lease)

    def __len__(self) -> int:
        return len(self._leases)

    def close(self) -> None:
        """Give all back; whoever still uses one is waited for."""
        with self._lock:
            leases = list(self._leases.values())
            self._leases.clear()
        for lease in leases:
            with lease.lock:
                _close(lease)

    def _join(self, key: MemoryKey) -> _Lease:
        with self._lock:
            lease = self._leases.setdefault(key, _Lease())
            self._leases.move_to_end(key)
            lease.users += 1
            return lease

    def _leave(self, lease: _Lease) -> None:
        with self._lock:
            lease.users -= 1
            idle = [key for key, one in self._leases.items() if one.users == 0]
            too_many = max(0, len(self._leases) - self._max_open)
            given_back = [self._leases.pop(key) for key in idle[:too_many]]
        for one in given_back:
            _close(one)

    def _open(self, key: MemoryKey) -> Recollect:
        person = key.viewer.person
        return Recollect(
            self._organisations.address_of(key.organisation),
            folder=None,
            settings=config.load_settings(),
            embedder=self._embedder,
            clock=self._clock,
            actor=f"{person}/agent" if key.by_agent else person,
            channel=Channel.AGENT if key.by_agent else Channel.USER,
            viewer=key.viewer,
            project=key.project,
        )


def _close(lease: _Lease) -> None:
    memory, lease.memory = lease.memory, None
    if memory is not None:
        memory.close()
