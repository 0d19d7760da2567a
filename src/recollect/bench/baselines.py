"""
What search is compared with: words alone, vectors alone, and both fused by rank with equal weight.

Each is given the best text it can use, so that beating it means something: the words baseline leaves out the
words that every question has, and sees names; the vectors are those that memory itself keeps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import apsw
import numpy as np

from recollect.providers.embed import Embedder

# A question to the items that answer it, best first.
Ranker = Callable[[str], Sequence[str]]

DEPTH = 200
RRF_K = 60
_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    _WORD.findall(
        """a an and are as at be been but by can could did do does for from had has have he her his how i if
        in into is it its me my no not of on or our s she so that the their them then there they this to was
        we were what when where which who whom whose why will with would you your"""
    )
)
_MAKE = "CREATE VIRTUAL TABLE item USING fts5(text, tokenize = 'porter unicode61')"
_FILL = "INSERT INTO item (rowid, text) VALUES (?, ?)"
_BEST = "SELECT rowid FROM item WHERE item MATCH ? ORDER BY rank LIMIT ?"


def by_words(plain: Mapping[str, str]) -> Ranker:
    """FTS5's BM25 over the plain text: any of the question's words, the commonest left out."""
    items = list(plain)
    connection = apsw.Connection(":memory:")
    connection.execute(_MAKE)
    connection.executemany(_FILL, enumerate(plain.values()))

    def ask(question: str) -> list[str]:
        match = any_of(question)
        return [items[row[0]] for row in connection.execute(_BEST, (match, DEPTH))] if match else []

    return ask


def by_vectors(texts: Sequence[tuple[str, str]], names: Collection[str], embedder: Embedder) -> Ranker:
    """
    Cosine alone; an item with several texts stands where its nearest stands.

    Names that the texts leave out are left out of the question: they would pull it to whoever is addressed.
    """
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


def any_of(question: str) -> str:
    """A full-text expression for any word of a question."""
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(question)))
    telling: Iterable[str] = [word for word in words if word not in _STOP_WORDS] or words
    return " OR ".join(f'"{word}"' for word in telling)


def _without(question: str, names: Collection[str]) -> str:
    kept = _WORD.sub(lambda word: "" if word.group().lower() in names else word.group(), question)
    return kept if kept.strip() else question
