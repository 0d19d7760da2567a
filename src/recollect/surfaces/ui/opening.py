"""How the dashboard opens a memory: for the person in the browser, or with an agent's rights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recollect import config
from recollect.api import Recollect
from recollect.model.provenance import Channel
from recollect.surfaces.ui.open_memories import OpenMemory


def make_opener(
    read_settings: Callable[[], config.Settings], folder: Path | None, *, by_agent: bool
) -> OpenMemory:
    """Opens the memory of the settings of that moment. `by_agent`: nobody who comes has more than an agent's rights."""

    def open_memory(for_agent: bool) -> Recollect:
        agent = for_agent or by_agent
        return Recollect(
            settings=read_settings(),
            folder=folder,
            actor="agent" if agent else "user",
            channel=Channel.AGENT if agent else Channel.USER,
        )

    return open_memory
