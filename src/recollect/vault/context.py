"""What every act in a vault needs at hand, given by the API: the database, the folder, the write door, the clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from recollect.capture.write_context import WriteContext
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory, MemoryState
from recollect.model.provenance import Channel
from recollect.model.value import dataclass, field, replace
from recollect.store.db import Db
from recollect.store.tables.vault_notes import VaultRow
from recollect.vault.replace import Displaced

# Counts and states of the moment: useful to an agent, no reading for a person.
NOT_SHOWN = frozenset(
    {
        "prefetch_pattern",
        "causal_dependency",
        "task_calibration",
        "context_cost",
        "work_state",
        "work_unit_outcome",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultContext:
    """An open vault. `edits` says whose an edit is that nothing else tells: `auto`, `mine` or `review`."""

    db: Db
    vault: VaultRow
    open_writing: Callable[[], WriteContext]
    now: Callable[[], datetime]
    kinds: Kinds
    lock: str
    edits: str = "auto"
    project_name: Callable[[str | None], str] = lambda project_id: ""
    # Files that gave way to ours and may still be written to by whoever had them open.
    displaced: list[tuple[str, Displaced]] = field(default_factory=list)
    _opened: list[WriteContext] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The folder."""
        return Path(self.vault.root)

    def local_now(self) -> datetime:
        """The moment by the clock of whoever reads the notes."""
        return self.now().astimezone()

    def note_project(self, memory: Memory) -> str | None:
        """What a note says of a memory's project: its name; None in a project's own vault, which others share."""
        return None if self.vault.project_id is not None else self.project_name(memory.project_id)

    def write_context(self, channel: Channel) -> WriteContext:
        """What a write needs, for what came by this channel."""
        if not self._opened:
            self._opened.append(self.open_writing())
        return replace(self._opened[0], channel=channel)

    def shows(self, memory: Memory) -> bool:
        """Whether a memory has a place in this vault: it is in use, of its project, and of a kind people read."""
        wanted = memory.kind in self.vault.kinds if self.vault.kinds else memory.kind not in NOT_SHOWN
        at_home = self.vault.project_id is None or memory.project_id == self.vault.project_id
        return wanted and at_home and memory.state is MemoryState.ACTIVE
