"""What memory answers: hits that can say why, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from recollect.model.memory import Memory
from recollect.model.value import dataclass, field, replace


class Part(NamedTuple):  # a tuple is made twice as fast, and every answer has a hundred of them
    """One part of a score: what spoke for the memory, how strongly (0 to 1), and what that added."""

    name: str
    value: float
    added: float
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that answers, its score, and the parts that add up to it."""

    memory: Memory
    score: float
    # Works out the parts. Few hits are asked for theirs, and working them out takes as long as finding the hit.
    tell: Callable[[], tuple[Part, ...]] = field(default=tuple, compare=False, repr=False)
    # What has become of the files it is about.
    notes: tuple[str, ...] = ()

    @property
    def why(self) -> tuple[Part, ...]:
        """The parts of the score; they add up to it."""
        return self.tell()

    def adding(self, part: Part) -> Hit:
        """The same hit with one part more."""
        return replace(self, score=self.score + part.added, tell=lambda: (*self.why, part))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """All that came back for a question. `notes` says what the search had to do without."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]
