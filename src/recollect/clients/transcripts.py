"""
Past sessions as agents keep them, read into the same events that hooks write.

A format is a module with `find` (where an agent keeps such files), `head` (whose session a file is, without
reading all of it) and `read` (its events). Third parties add theirs through the entry-point group
`recollect.transcripts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from recollect.clients import atif, swe_agent
from recollect.clients.claude_code import transcript as claude_code
from recollect.clients.codex import transcript as codex
from recollect.clients.cursor import transcript as cursor
from recollect.clients.gemini import transcript as gemini
from recollect.clients.opencode import transcript as opencode
from recollect.clients.transcript_reader import Head, Reading
from recollect.model.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form

GROUP = "recollect.transcripts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One way of keeping sessions."""

    name: str
    find: Callable[[Path], Iterator[Path]]
    head: Callable[[Path], Head | None]
    read: Callable[[Path, Reading], Iterator[Form]]
    # Endings of its files, to find them in a folder somebody names.
    endings: tuple[str, ...] = (".jsonl",)
    # False when no real file was at hand to try it on.
    verified: bool = False


def format_of(module: ModuleType) -> Format:
    """A module of this shape, as a value; a plugin names one in its entry point."""
    return Format(
        name=module.NAME,
        find=module.find,
        head=module.head,
        read=module.read,
        endings=tuple(module.ENDINGS),
        verified=bool(getattr(module, "VERIFIED", False)),
    )


BUILT_IN = tuple(map(format_of, (claude_code, codex, gemini, opencode, cursor, swe_agent, atif)))
