"""What learning would do or did: one proposal an act, with the evidence that speaks for it."""

from __future__ import annotations

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningProposal:
    """One proposal. `step` is the part of learning it comes from, `act` what becomes of the memory."""

    step: str
    act: str
    text: str
    why: str = ""
    # Lines that a person can check it by.
    evidence: tuple[str, ...] = ()
    # The memory it is about; empty while there is none.
    memory_id: str = ""
    needs_review: bool = False
