"""What third parties may add, one row each: the entry-point group, and the value its entries must give."""

from __future__ import annotations

from typing import Generic, TypeVar

from recollect.model.method import Methodology
from recollect.model.value import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook(Generic[T]):
    """An entry of `group` gives one value of this type, several, or a function that returns them."""

    group: str
    gives: type[T]


# Languages for the code graph and forms of transcripts have groups of their own, in the rooms that read them.
METHODS = Hook(group="recollect.methods", gives=Methodology)
