"""Content words (stop words left out): which words of a text carry its meaning."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Za-zÀ-ÿ_][\wÀ-ÿ-]{2,}")
_COMMON = frozenset(
    "the and for that this with from are was were has have had will would should not but can could now when then than"
    " there they them its it's you your our into also only just all any each both which where while what how why use"
    " used using test tests file files code function functions change changes add added fix fixed issue line lines"
    " make see let".split()
)


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, in lower case."""
    return frozenset(_WORD.findall(text.lower())) - _COMMON


def overlap(one: str, other: str) -> float:
    """How much of the shorter text's meaning the other says as well, between 0 and 1."""
    first, second = content_words(one), content_words(other)
    if not first or not second:
        return 0.0
    return len(first & second) / min(len(first), len(second))
