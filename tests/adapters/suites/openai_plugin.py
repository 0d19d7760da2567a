"""Lets the tests of the OpenAI Agents SDK run against our session in the place of its SQLite one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import agents
import agents.memory
import agents.memory.sqlite_session

from recollect import Recollect
from recollect.adapters.openai_agents import RecollectSession


class SQLiteSession(RecollectSession):
    """Ours, made as theirs is."""

    def __init__(
        self,
        session_id: str,
        db_path: str | Path = ":memory:",
        sessions_table: str = "",
        messages_table: str = "",
        session_settings: Any = None,
    ) -> None:
        # Another file beside the one they name: some of their tests look into that one.
        address = f"{db_path}.memories" if str(db_path) != ":memory:" else ":memory:"
        self._own = Recollect(address, folder=None)
        self.db_path = db_path
        super().__init__(session_id, self._own, session_settings=session_settings)

    def close(self) -> None:
        self._own.close()


for module in (agents, agents.memory, agents.memory.sqlite_session):
    module.SQLiteSession = SQLiteSession  # type: ignore[attr-defined]
tempfile.tempdir = tempfile.mkdtemp()
