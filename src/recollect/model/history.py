"""The history of memories: acts, and the change each act made to each memory. Undo is built on them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing somebody does, however many memories it touches; undo takes it back as a whole."""

    id: str
    at: datetime
    actor: str
    action: str
    why: str = ""
    # Whether a person does it; an agent proposes and flags, and may do no more.
    by_person: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """One change of one memory. Changes that one act made together share its act_id."""

    memory_id: str
    act_id: str
    at: datetime
    actor: str
    action: str
    why: str
    before: Mapping[str, object]
    after: Mapping[str, object]
    undone: bool = False
