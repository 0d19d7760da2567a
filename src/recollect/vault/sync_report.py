"""What a sync knows when it begins, and what it says when it is done."""

from __future__ import annotations

from recollect.model.value import dataclass, field
from recollect.store.tables.vault_lines import LineRow
from recollect.store.tables.vault_notes import NoteRow
from recollect.vault.context import VaultContext
from recollect.vault.scan import VaultListing


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What a sync found and did; paths of notes everywhere."""

    notes: int = 0
    read: int = 0
    new: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    # Deletions that were so many that somebody should say yes first.
    held_back: list[str] = field(default_factory=list)
    # What is left alone, and why.
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether anything was taken in or written."""
        return bool(self.new or self.edited or self.moved or self.forgotten or self.written or self.conflicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeSync:
    """What was known before this sync, and what the folder lists now."""

    seen: dict[str, NoteRow]
    listing: VaultListing
    is_whole: bool
    # Lines that stood in notes and do not any more.
    gone_lines: list[LineRow] = field(default_factory=list)
    # Memories whose notes were written to and say what they said: they may have been away while memory went on.
    seen_again: list[str] = field(default_factory=list)
    # Notes that only another branch has.
    elsewhere: list[str] = field(default_factory=list)

    def is_there(self, ctx: VaultContext, path: str) -> bool:
        """Whether there is still a note at this path."""
        return path in self.listing.notes or (not self.is_whole and (ctx.root / path).exists())
