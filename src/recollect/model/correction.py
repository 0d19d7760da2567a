"""A person puts right what the agent did."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.value import dataclass


class CorrectionKind(StrEnum):
    """The way in which it is put right."""

    NO = "no"
    WRONG = "wrong"
    INSTEAD = "instead"
    DONT = "dont"
    SAID = "said"
    UNDO = "undo"
    STOP = "stop"
    MISSED = "missed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What the person said, cut to the part that corrects."""

    kind: CorrectionKind
    text: str
    # `use Y instead of X`: what is wanted, and what is not.
    wanted: str = ""
    unwanted: str = ""
