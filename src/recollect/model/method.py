"""
A way of working, as data and a few small functions: its phases, its units of work, what one stage hands to the next,
where work stands. It describes; it neither ranks nor writes, so that a bad one can be ugly but not wrong about memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from recollect.errors import BadInput, NotFound
from recollect.model.kinds import Kind
from recollect.model.memory import Memory
from recollect.model.phase import AgentAction, Phase
from recollect.model.scope import WorkRef
from recollect.model.value import dataclass, field

_ID = re.compile(r"[a-z][a-z0-9_-]{0,31}\Z")


class ReadableFiles(Protocol):
    """The files of a checkout, to be read: small texts only, and never from outside of it."""

    def text(self, path: str) -> str:
        """What stands in a file; empty if there is none to read."""

    def names(self, pattern: str) -> Sequence[str]:
        """The files a glob names, such as `docs/stories/*.md`, in order."""


class NoFiles:
    """The files of a checkout that is not here, or not as it was."""

    def text(self, path: str) -> str:
        """Nothing."""
        return ""

    def names(self, pattern: str) -> Sequence[str]:
        """None."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a way of working may look at: the checkout, its branch, and what was done in the session."""

    files: ReadableFiles = field(default_factory=NoFiles)
    branch: str = ""
    # The unit of work that somebody named; a methodology does not guess another.
    work: str = ""
    deeds: tuple[AgentAction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """One stage hands its memories to the next: all of them, or those that pass the filter."""

    source: str
    target: str
    kinds: tuple[str, ...] = ()
    min_confidence: float = 0.0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySection:
    """Memories under a heading, as the next stage is to read them; the text is written by the one renderer."""

    heading: str
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedWork:
    """A unit of work that came to its end."""

    work: WorkRef
    succeeded: bool
    files: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Something a methodology wants kept when a unit is finished; it passes the one door like anything observed."""

    kind: str
    text: str
    fields: Mapping[str, object] = field(default_factory=dict)
    files: tuple[str, ...] = ()


def group_in_one_section(memories: Sequence[Memory], relay: Relay) -> Sequence[RelaySection]:
    """All in one section, named after the two stages."""
    heading = f"From {relay.source} to {relay.target}"
    return (RelaySection(heading=heading, memories=tuple(memories)),) if memories else ()


def format_state(state: Mapping[str, object]) -> str:
    """A state as `name: value` sentences, for a methodology that has no words of its own for it."""
    sentences = (
        f"{name.replace('_', ' ').capitalize()}: {_format_value(value)}." for name, value in state.items()
    )
    return " ".join(sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Methodology:
    """
    A way of working.

    `phases` maps its own names of phases and stages to the universal ones; a name it does not know is `otherwise`.
    """

    id: str
    name: str
    phases: Mapping[str, Phase]
    otherwise: Phase = Phase.EXPLORE
    relays: tuple[Relay, ...] = ()
    # Kinds of memory that this way of working adds.
    kinds: tuple[Kind, ...] = ()
    # Why a checkout seems to follow it; empty if it does not.
    detect: Callable[[Surroundings], str] = lambda around: ""
    # The unit of work at hand, as far as branch and files tell.
    unit: Callable[[Surroundings], WorkRef | None] = lambda around: None
    # The phase at hand, by its own name; empty where it has nothing to say beyond what the deeds show.
    stage: Callable[[Surroundings], str] = lambda around: ""
    # Where the work stands, in its own terms; kept as it is, and told to the next session by `tell_state`.
    work_state: Callable[[Surroundings], Mapping[str, object]] = lambda around: {}
    tell_state: Callable[[Mapping[str, object]], str] = format_state
    tell_relay: Callable[[Sequence[Memory], Relay], Sequence[RelaySection]] = group_in_one_section
    on_work_unit_complete: Callable[[Surroundings, FinishedWork], Sequence[Addition]] = lambda around, done: ()

    def __post_init__(self) -> None:
        if not _ID.match(self.id):
            raise BadInput(reason=f"{self.id!r} is no name of a methodology; use small letters and digits")
        if not self.name.strip():
            raise BadInput(reason=f"the methodology {self.id} has no name to show")
        for name, phase in self.phases.items():
            if not isinstance(phase, Phase):
                raise BadInput(reason=f"{self.id} maps {name!r} to {phase!r}, which is no phase")

    def phase(self, name: str) -> Phase:
        """The universal phase behind one of its own names."""
        return self.phases.get(name.strip().lower().replace("-", "_").replace(" ", "_"), self.otherwise)

    def relay(self, source: str, target: str) -> Relay:
        """What one stage hands to another."""
        for relay in self.relays:
            if (relay.source, relay.target) == (source, target):
                return relay
        relays = ", ".join(f"{relay.source}:{relay.target}" for relay in self.relays) or "none"
        raise NotFound(f"In {self.id} nothing goes from {source!r} to {target!r}. The relays are: {relays}.")


def _format_value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_format_value(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
