"""What several requests have in common, in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

MOST_WORDS = 8
# Words of at least so many requests; of three, two may say it and the third say it otherwise.
SHARE = 2 / 3
_WORD = re.compile(r"[A-Za-z][\w-]{2,}")
_EMPTY = frozenset(
    "the and for with from that this these those there here please can could would should you your our its it's let's"
    " lets now also just then than into onto about what which when where who why how are was were has have had not but"
    " all any some one two use using make made want need like file files code test tests new".split()
)


def shared_words(requests: Sequence[str]) -> str:
    """The words that most of these requests share, in the order of the newest, which stands last."""
    asked = [request for request in requests if request]
    if len(asked) < 2:
        return ""
    counts = Counter(word for request in asked for word in dict.fromkeys(_words(request)))
    shared = [word for word in dict.fromkeys(_words(asked[-1])) if counts[word] >= len(asked) * SHARE]
    return " ".join(shared[:MOST_WORDS]) if len(shared) > 1 else ""


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text) if word.lower() not in _EMPTY]
