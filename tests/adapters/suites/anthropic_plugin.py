"""Lets the tests of Anthropic's own memory tool run against ours, over a folder or, if asked, over a vault."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import anthropic.lib.tools._beta_builtin_memory_tool as theirs
from anyio import Path as AsyncPath

from recollect import Recollect
from recollect.adapters.anthropic_memory import AsyncRecollectMemoryTool, RecollectMemoryTool
from recollect.vault.memory_folder import MemoryFolder, make_private_folder

IN_VAULT = os.environ.get("MEMORY_TOOL_OVER") == "vault"
_FOLDER = "Agents/memories"


class _Place:
    """Where the files of one tool lie, by the names their tests know."""

    def __init__(self, base_path: str) -> None:
        self.memory = Recollect(":memory:", folder=None)
        if IN_VAULT:
            vault = Path(tempfile.mkdtemp(prefix="vault-"))
            self.memory.vault.init(vault / "notes")
            self.base_path = vault / "notes" / "Agents"
            self.options: dict[str, Any] = {"folder": _FOLDER}
        else:
            self.base_path = Path(base_path)
            self.options = {"directory": self.base_path / "memories"}
        self.memory_root = self.base_path / "memories"
        make_private_folder(self.memory_root)


class OurMemoryTool(RecollectMemoryTool):
    """Ours, made as theirs is."""

    def __init__(self, base_path: str = "./memory") -> None:
        place = _Place(base_path)
        self.base_path, self.memory_root = place.base_path, place.memory_root
        super().__init__(place.memory, **place.options)


class OurAsyncMemoryTool(AsyncRecollectMemoryTool):
    """Ours, made as theirs is."""

    def __init__(self, base_path: str = "./memory") -> None:
        place = _Place(base_path)
        self.base_path, self.memory_root = AsyncPath(place.base_path), AsyncPath(place.memory_root)
        super().__init__(place.memory, **place.options)

    async def _validate_path(self, path: str) -> Path:
        return MemoryFolder(root=Path(self.memory_root)).locate(path)

    async def _ensure_memory_root(self) -> None:
        """It is there from the beginning."""


theirs.BetaLocalFilesystemMemoryTool = OurMemoryTool  # type: ignore[assignment,misc]
theirs.BetaAsyncLocalFilesystemMemoryTool = OurAsyncMemoryTool  # type: ignore[assignment,misc]
