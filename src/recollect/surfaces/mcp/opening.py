"""The memory behind the server: opened at the first call that needs it, given back at the end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import recollect
from recollect import config
from recollect.model.provenance import Channel
from recollect.surfaces.tool_calls import Caller

if TYPE_CHECKING:
    from recollect.api import Recollect


class Opening:
    """One memory, opened late. Whoever speaks through it is the agent, whatever it says of itself."""

    def __init__(self, *, db: str | None, folder: Path, read_only: bool) -> None:
        self._db = db
        self._folder = folder
        self.read_only = read_only
        self._memory: Recollect | None = None
        self._file: tuple[int, int] | None = None

    def caller(self) -> Caller:
        """The agent with its memory, and the session its host names."""
        session = config.session_from_environment()
        return Caller(memory=self.memory(), session=session, read_only=self.read_only)

    def memory(self) -> Recollect:
        """The memory; opened anew if another file was put in the place of the one that is open."""
        if self._memory is not None and self._file != _identity(self._memory.settings.db):
            self.close()
        if self._memory is None:
            settings = config.load(config.project_folder(self._folder), {"db": self._db})
            self._memory = recollect.Recollect(
                settings=settings,
                folder=self._folder,
                actor="agent",
                channel=Channel.AGENT,
                create=not self.read_only,
                read_only=self.read_only,
            )
            self._file = _identity(settings.db)
        return self._memory

    def close(self) -> None:
        """Write down what was asked for, and give the file back."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()


def _identity(file: str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116  # the address may be none of a file
    except OSError:
        return None
    return found.st_dev, found.st_ino
