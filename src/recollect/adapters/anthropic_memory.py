"""
Anthropic's memory tool (`memory_20250818`): its `/memories` directory is the vault, a folder of it, or any folder.

>>> client.beta.messages.tool_runner(tools=[RecollectMemoryTool(memory)], …)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recollect.adapters.turns import in_thread, in_turn, needs_extra
from recollect.api import Recollect
from recollect.errors import RecollectError

try:
    from anthropic.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError as error:
    raise needs_extra("Anthropic's memory tool", "anthropic") from error


class MemoryDirectory:
    """The directory behind both tools."""

    def __init__(self, memory: Recollect, folder: str, directory: str | Path | None) -> None:
        """A folder of the vault, or any directory."""
        self.memory = memory
        self._folder = folder
        self._directory = directory

    def answer(self, command: Any) -> str:
        """Do what a command asks for; what cannot be done is told to the model."""
        given = command.model_dump(exclude_none=True)
        try:
            return in_turn(
                self.memory,
                self.memory.vault.memory_tool,
                given,
                folder=self._folder,
                directory=self._directory,
            )
        except RecollectError as error:
            raise ToolError(str(error)) from error


class RecollectMemoryTool(BetaAbstractMemoryTool):
    """
    The memory tool for `Anthropic`.

    By itself `/memories` is the vault; `folder` shows one folder of it. With `directory`, files lie there, and what is
    remembered is shown in `/memories/known` to be read.
    """

    def __init__(
        self, memory: Recollect, *, folder: str = "", directory: str | Path | None = None, **options: Any
    ) -> None:
        """Options are those of the SDK's own class, such as `cache_control`."""
        super().__init__(**options)
        self._files = MemoryDirectory(memory, folder, directory)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return self._files.answer(command)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return self._files.answer(command)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands there once."""
        return self._files.answer(command)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Add lines after a line."""
        return self._files.answer(command)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a file or a folder."""
        return self._files.answer(command)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or a folder another name."""
        return self._files.answer(command)


class AsyncRecollectMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for `AsyncAnthropic`."""

    def __init__(
        self, memory: Recollect, *, folder: str = "", directory: str | Path | None = None, **options: Any
    ) -> None:
        """Options are those of the SDK's own class, such as `cache_control`."""
        super().__init__(**options)
        self._files = MemoryDirectory(memory, folder, directory)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return await self._answer(command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return await self._answer(command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands there once."""
        return await self._answer(command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Add lines after a line."""
        return await self._answer(command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a file or a folder."""
        return await self._answer(command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or a folder another name."""
        return await self._answer(command)

    async def _answer(self, command: Any) -> str:
        return await in_thread(self._files.memory, self._files.answer, command)
