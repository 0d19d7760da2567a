"""Naming a source (a channel, a maker, a session, an event, a tool, a file, an address) to forget what came from it."""

from __future__ import annotations

from recollect.errors import BadInput
from recollect.model.memory import Memory
from recollect.model.provenance import Channel, Source
from recollect.model.value import dataclass

_KINDS = ("session", "event", "tool", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceName:
    """Where memories came from: the kind of place, and its name."""

    kind: str
    name: str

    def __str__(self) -> str:
        return self.name if self.kind in ("channel", "source", "url") else f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedMemory:
    """A memory that was made of others, so many steps away from the source."""

    memory: Memory
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenSource:
    """What was forgotten with a source, or would be: its own memories, and what was derived from them."""

    source: SourceName
    own: tuple[Memory, ...]
    derived: tuple[DerivedMemory, ...]

    @property
    def memories(self) -> tuple[Memory, ...]:
        """All of them."""
        return (*self.own, *(item.memory for item in self.derived))


def parse_source(text: str) -> SourceName:
    """What a person typed: `read`, `qa_auto`, `session:5f0c`, `tool:WebFetch`, `file:docs/a.md`, `https://…`."""
    name = text.strip()
    if name in {str(channel) for channel in Channel}:
        return SourceName(kind="channel", name=name)
    if name in {str(source) for source in Source}:
        return SourceName(kind="source", name=name)
    if "://" in name:
        return SourceName(kind="url", name=name)
    kind, colon, rest = name.partition(":")
    if colon and kind in _KINDS and rest.strip():
        return SourceName(kind=kind, name=rest.strip())
    names = ", ".join((*map(str, Channel), *map(str, Source)))
    forms = "session:ID, event:ID, tool:NAME, file:PATH, an address"
    raise BadInput(reason=f"{text!r} names no source; write {forms}, or one of {names}")
