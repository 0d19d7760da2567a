"""How one memory bears on another, or on a file."""

from __future__ import annotations

from enum import StrEnum

from recollect.errors import BadInput
from recollect.model.value import dataclass


class RelationType(StrEnum):
    """The closed set of relations."""

    REQUIRED_WITH = "required_with"
    CONFLICTS_WITH = "conflicts_with"
    VALIDATES = "validates"
    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """From the memory that carries it to another memory or to a file, exactly one of the two."""

    type: RelationType
    memory_id: str | None = None
    path: str | None = None
    confidence: float = 1.0
    auto_extracted: bool = False

    def __post_init__(self) -> None:
        if (self.memory_id is None) == (self.path is None):
            raise BadInput(reason="a relation points to a memory or to a file, to exactly one of them")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadInput(reason=f"the confidence of a relation is between 0 and 1, not {self.confidence}")

    def __str__(self) -> str:
        return f"{self.type} {self.memory_id or self.path}"
