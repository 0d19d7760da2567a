"""The memories that the dashboard holds open: a person's and an agent's, each used by one request at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

from recollect.api import Recollect
from recollect.surfaces.ui.access import Visitor

_Answer = TypeVar("_Answer")
_MAX_ANSWERS = 64

# Opens a memory; with True, one that has an agent's rights.
OpenMemory = Callable[[bool], Recollect]


class OpenMemories:
    """Gives each request the memory of its standing, opened when it is first needed."""

    def __init__(self, open_memory: OpenMemory, folder: Path | None = None) -> None:
        self.open_memory = open_memory
        # The folder whose project is shown.
        self.folder = folder
        self._memories: dict[bool, Recollect] = {}
        self._lock = threading.RLock()
        self._answers: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()

    def run(self, standing: Visitor, act: Callable[[Recollect], _Answer]) -> _Answer:
        """Let an act have the memory alone."""
        with self._lock:
            return act(self._memory(standing is not Visitor.PERSON))

    def version(self) -> tuple[int, int]:
        """A value that stays the same while nothing changes."""
        with self._lock:
            return self._memory(False).browse.version()

    def remember_answer(self, memory: Recollect, key: Hashable, ask: Callable[[], _Answer]) -> _Answer:
        """An answer that holds until something changes; asked for by many pages, worked out once."""
        version = memory.browse.version()
        known = self._answers.get(key)
        if known is None or known[0] != version:
            known = (version, ask())
            self._answers[key] = known
        self._answers.move_to_end(key)
        while len(self._answers) > _MAX_ANSWERS:
            self._answers.popitem(last=False)
        answer: _Answer = known[1]
        return answer

    def reopen(self) -> None:
        """Open everything anew at the next request: the settings have changed."""
        self.close()
        self._answers.clear()

    def close(self) -> None:
        """Give the files back."""
        with self._lock:
            for memory in self._memories.values():
                memory.close()
            self._memories.clear()

    def _memory(self, for_agent: bool) -> Recollect:
        if for_agent not in self._memories:
            self._memories[for_agent] = self.open_memory(for_agent)
        return self._memories[for_agent]
