"""A closer look at the best candidates: every word of the question against every word of each memory."""

from __future__ import annotations

from recollect.retrieve.ground import Ground
from recollect.retrieve.question import Question

LOOKED_AT = 100


def closer_look(ground: Ground, question: Question, first: dict[int, float]) -> dict[int, float]:
    """For the best by a first score, how well their words answer the question's words, 0 to 1."""
    return {}
