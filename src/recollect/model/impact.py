"""Impact of a change in the code, and the summary of all that is known about a subject."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from recollect.model.code import CodeNode, EdgeKind, SemanticNode
from recollect.model.memory import Memory
from recollect.model.subject import Subject
from recollect.model.value import dataclass


class Dependent(NamedTuple):
    """
    A file that feels a change: how many steps away, by which kind of edge, and how much of the change arrives.

    `way` are the keys from the place that changes to the nearest node in the file; `nodes` are the keys of what
    feels it there, the strongest first. `share` is how much of all company of the place it was, by history.

    A tuple: what everybody uses has a thousand of them.
    """

    path: str
    depth: int
    weight: float
    kind: EdgeKind
    way: tuple[str, ...]
    nodes: tuple[str, ...]
    is_test: bool = False
    share: float = 0.0

    @property
    def likely(self) -> float:
        """How likely it is to be changed too: what arrives by the code, and what history shows."""
        return 0.1 * self.weight + self.share


@dataclass(frozen=True, slots=True, kw_only=True)
class CoChange:
    """
    A file that was changed or read together with another; `share` is how much of all such company it is.

    `needed` says that the code shows why: the other one depends on it.
    """

    path: str
    share: float
    commits: int
    sessions: int
    last_at: datetime | None = None
    needed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedMemory:
    """A memory that hangs on a place in the code, and how many steps that is from the place that was asked about."""

    memory: Memory
    about: Subject
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """
    What a change of one place touches.

    `score` is how much of the change arrives elsewhere, counted in files: a file that imports the place counts 0.9,
    one that imports that file 0.81, and so on; tests are not in it. `together` are files that history shows and the
    code does not. `invariants` are what has to hold: memories that a person stands by, and nodes that were added.
    """

    target: CodeNode
    depth: int
    score: float
    dependents: tuple[Dependent, ...] = ()
    tests: tuple[Dependent, ...] = ()
    together: tuple[CoChange, ...] = ()
    invariants: tuple[LinkedMemory, ...] = ()
    invariant_nodes: tuple[SemanticNode, ...] = ()
    e2e: tuple[LinkedMemory, ...] = ()
    memories: tuple[LinkedMemory, ...] = ()
    # Whether there is more than was looked at.
    cut: bool = False

    @property
    def direct(self) -> tuple[Dependent, ...]:
        """Who depends on the place itself."""
        return tuple(dependent for dependent in self.dependents if dependent.depth == 1)

    @property
    def transitive(self) -> tuple[Dependent, ...]:
        """Who depends on it by way of others."""
        return tuple(dependent for dependent in self.dependents if dependent.depth > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectSummary:
    """Everything known about one thing; what belongs to code is empty for other things and before a graph is built."""

    subject: Subject
    memories: tuple[LinkedMemory, ...] = ()
    node: CodeNode | None = None
    # The part of the project it belongs to; empty where there is no graph.
    module: str = ""
    definitions: tuple[CodeNode, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    dependencies: tuple[Dependent, ...] = ()
    together: tuple[CoChange, ...] = ()
    added: tuple[SemanticNode, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is known."""
        return not (self.memories or self.node or self.together or self.added)
