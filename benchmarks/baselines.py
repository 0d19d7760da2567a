"""
What search is compared with: words alone, vectors alone, and both fused by rank with equal weight.

Each is given the best text it can use, so that beating it means something: the words baseline leaves out the
words that every question has, and sees names; the vectors are those that memory itself keeps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from benchmarks.floor import Floor
from recollect.providers.embed import Embedder

# A question to the items that answer it, best first.
Ranker = Callable[[str], Sequence[str]]

DEPTH = 200
RRF_K = 60
_WORD = re.compile(r"\w+")
STOP_WORDS = frozenset(
    _WORD.findall(
        """a an and are as at be been but by can could did do does for from had has have he her his how i if
        in into is it its me my no not of on or our s she so that the their them then there they this to was
        we were what when where which who whom whose why will with would you your"""
    )
)


def by_words(plain: Mapping[str, str]) -> Ranker:
    """FTS5's BM25 over the plain text: any of the question's words, the commonest left out."""
    items = list(plain)
    index = Floor(":memory:", ignored=STOP_WORDS)
    index.add((text, b"") for text in plain.values())
    return lambda question: [items[number - 1] for number in index.by_words(question, DEPTH)]


def by_vectors(texts: Sequence[tuple[str, str]], names: Collection[str], embedder: Embedder) -> Ranker:
    """
    Cosine alone; an item with several texts stands where its nearest stands.

    Names that the texts leave out are left out of the question: they would pull it to whoever is addressed.
    """
    import numpy as np

    items = [item for item, _ in texts]
    made = embedder.embed([text for _, text in texts])
    matrix = np.frombuffer(b"".join(one.vector for one in made), np.float32).reshape(len(items), -1)

    def ask(question: str) -> list[str]:
        cosines = matrix @ np.frombuffer(embedder.embed_query(_without(question, names)).vector, np.float32)
        return list(dict.fromkeys(items[place] for place in np.argsort(-cosines)))[:DEPTH]

    return ask


def fused(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion with equal weights."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (RRF_K + place)
    return sorted(scores, key=lambda item: -scores[item])


def _without(question: str, names: Collection[str]) -> str:
    kept = _WORD.sub(lambda word: "" if word.group().lower() in names else word.group(), question)
    return kept if kept.strip() else question
