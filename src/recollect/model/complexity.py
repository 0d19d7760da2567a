"""How complex a task is, and what is done for it accordingly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from recollect.model.value import dataclass


class Complexity(StrEnum):
    """How big a piece of work is."""

    TRIVIAL = "trivial"
    STANDARD = "standard"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityGate:
    """What is done for a piece of work, and how many memories may come out of it."""

    recipes: bool
    e2e: bool
    most_promoted: int


GATES: Mapping[Complexity, ComplexityGate] = {
    Complexity.TRIVIAL: ComplexityGate(recipes=False, e2e=False, most_promoted=2),
    Complexity.STANDARD: ComplexityGate(recipes=True, e2e=True, most_promoted=10),
    Complexity.COMPLEX: ComplexityGate(recipes=True, e2e=True, most_promoted=25),
}

_SMALL = re.compile(
    r"\b(?:typos?|misspell\w*|spelling|reword\w*|wording|rename|whitespace|indent\w*|trailing|comments?|docstrings?|bump"
    r"|colou?rs?|padding|margin|font|icon|label|tooltip|placeholder|copyright|lint|format(?:ting)?)\b",
    re.IGNORECASE,
)
_LARGE = re.compile(
    r"\b(?:re-?design|re-?write|migrat\w+|re-?architect\w*|overhaul|end[- ]to[- ]end|from scratch|across (?:all|the)"
    r"|entire|whole (?:codebase|system|app\w*))\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s", re.MULTILINE)
_FEW_WORDS = 14
_MANY_WORDS = 150
_MANY_ITEMS = 6


def estimate_complexity(task: str) -> Complexity:
    """A guess from how a task is worded, where nobody has said: short and small, or long and wide."""
    words = len(task.split())
    if words > _MANY_WORDS or len(_ITEM.findall(task)) >= _MANY_ITEMS or _LARGE.search(task):
        return Complexity.COMPLEX
    return Complexity.TRIVIAL if words <= _FEW_WORDS and _SMALL.search(task) else Complexity.STANDARD
