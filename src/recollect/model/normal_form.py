"""The normal form of a text, without case, spacing and quotes. Texts with equal forms say the same thing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from recollect.model.ids import blake2b

_NOT_WORD = re.compile(r"[^\w.+#/-]+")
_EDGES = re.compile(r"(?<!\S)[./-]+|[./-]+(?!\S)")


@lru_cache(
    maxsize=1024
)  # a draft is asked for its form several times on its way in, with others of its batch
def normal_form(text: str) -> str:
    """Case, spacing, quotes and closing marks folded away. What carries meaning (3.11, C++, a/b) stays."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = _EDGES.sub(" ", _NOT_WORD.sub(" ", folded))
    plain = " ".join(words.split())
    return plain or " ".join(folded.split())


def text_hash(text: str) -> str:
    """A short fingerprint, for equality in an index and for finding altered rows."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
