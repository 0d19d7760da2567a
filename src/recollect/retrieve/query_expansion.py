"""
A second try for a question that found little: with the words an answer would have.

A writing model imagines the answer, if there is one. Else the project's own words do: those that stand beside the
question's in the memories that came nearest, and names that begin like a word of it. Either way the guess is blended
with the question, and what only the guess brings counts less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from recollect.errors import ProviderError
from recollect.model.embedding import QueryEmbedding
from recollect.model.hit import Hit, Part, Recalled
from recollect.model.value import dataclass, replace
from recollect.model.words import query_words
from recollect.retrieve.read_context import Ground
from recollect.retrieve.search import Asked
from recollect.retrieve.stopwords import EMPTY, FRAME
from recollect.store.search.query_terms import Term, searching_terms, terms_of
from recollect.store.tables import subjects

# Fewer hits than this above the bar mean that little was found.
ENOUGH = 3
BAR = 0.5
QUESTION, GUESS = 0.4, 0.6
# What a guess finds counts so much of its score. On LoCoMo more drives good answers down, less brings none up.
BELIEVED = 0.75
_LOOKED_AT = 8
_MOST_WORDS = 8
_MOST_NAMES = 4
_SHORTEST_START = 4
_LONGEST_GUESS = 1000

PROMPT = (
    "Write one short, specific note that a developer would have kept and that answers this question. Concrete "
    "technical details, no preface, at most three sentences.\n\nQuestion: {question}"
)

# Writes the answer a question might have; None where no model does.
Imagine = Callable[[str], str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """The words a good answer would have, and how they were found."""

    words: str
    by: str


def is_weak(found: Recalled) -> bool:
    """Whether a search found too little to leave it at that."""
    return sum(hit.score > BAR for hit in found) < ENOUGH


def guessed(ground: Ground, text: str, found: Recalled, imagine: Imagine) -> Guess | None:
    """What an answer might say; None where nobody has an idea."""
    if imagine is not None:
        try:
            if answer := imagine(PROMPT.format(question=text)).strip():
                return Guess(words=answer[:_LONGEST_GUESS], by="an imagined answer")
        except ProviderError:
            pass  # the project's own words do as well
    words = [*_beside(ground, text, found.hits[:_LOOKED_AT]), *_names_like(ground, text)]
    return Guess(words=" ".join(words), by=f"words that go with it: {', '.join(words)}") if words else None


def blended(ground: Ground, asked: Asked, guess: Guess) -> Asked:
    """The question with the guess in it."""
    question = asked.question
    theirs = searching_terms(terms_of(ground.db, ground.words, query_words(guess.words)))
    return asked._replace(
        question=replace(
            question,
            terms=_blended_terms(question.terms, theirs),
            asked=guess.words,
            embedding=_blended_embedding(ground, question.embedding, guess.words),
        )
    )


def joined(first: Recalled, second: Recalled, guess: Guess, limit: int) -> Recalled:
    """Both answers as one: a hit is never worth less for the guess, and what the guess found is believed less."""
    before = {hit.memory.id: hit for hit in first}
    hits = dict(before)
    for hit in second:
        known = before.get(hit.memory.id)
        score = BELIEVED * hit.score
        if known is None or score > known.score:
            known = known or Hit(memory=hit.memory, score=0.0, notes=hit.notes)
            hits[hit.memory.id] = known.adding(Part("guess", hit.score, score - known.score))
    best = sorted(hits.values(), key=lambda hit: (hit.memory.stale_at is not None, -hit.score))[:limit]
    return Recalled(hits=tuple(best), notes=(*first.notes, f"Searched once more with {guess.by}."))


def _beside(ground: Ground, text: str, hits: Sequence[Hit]) -> list[str]:
    """Words of the nearest memories, the telling ones of the best first."""
    asked = {stem for word in query_words(text) for stem in ground.db.tokens(word)}
    weights: dict[str, float] = {}
    held: Counter[str] = Counter()
    for hit in hits:
        for word in _telling(hit.memory.text):
            weights[word] = weights.get(word, 0.0) + hit.score
            held[word] += 1
    fewest = 2 if len(hits) >= ENOUGH else 1
    often = [word for word in weights if held[word] >= fewest]
    idf = {term.stem: term.idf for term in terms_of(ground.db, ground.words, often)}
    stems = {word: (ground.db.tokens(word) or [""])[0] for word in often}
    ranked = sorted(often, key=lambda word: (-weights[word] * idf.get(stems[word], 0.0), word))
    return [word for word in ranked if stems[word] and stems[word] not in asked][:_MOST_WORDS]


def _names_like(ground: Ground, text: str) -> list[str]:
    """Names of this store that begin like a word of the question."""
    found: list[str] = []
    for word in _telling(text):
        if len(word) > _SHORTEST_START:
            found += [
                name
                for name in subjects.words_like(
                    ground.db, word[: max(_SHORTEST_START, len(word) - 2)], _MOST_NAMES
                )
                if name != word and name.isidentifier()
            ]
    return list(dict.fromkeys(found))[:_MOST_NAMES]


def _telling(text: str) -> list[str]:
    return [word for word in query_words(text) if len(word) > 2 and word not in EMPTY and word not in FRAME]


def _blended_terms(own: Sequence[Term], theirs: Sequence[Term]) -> list[Term]:
    known = {term.stem for term in own}
    new = [term for term in theirs if term.stem not in known]
    return [*_weighed(own, QUESTION if new else 1.0), *_weighed(new, GUESS if own else 1.0)]


def _weighed(terms: Sequence[Term], share: float) -> list[Term]:
    """The same terms, together worth this share."""
    whole = sum(term.idf for term in terms) or 1.0
    return [replace(term, idf=share * term.idf / whole) for term in terms]


def _blended_embedding(ground: Ground, own: QueryEmbedding | None, words: str) -> QueryEmbedding | None:
    if own is None or ground.embedder is None:
        return own
    try:
        theirs = ground.embedder.embed_query(words)
    except ProviderError:
        return own
    import numpy as np

    mixed = QUESTION * np.frombuffer(own.vector, np.float32) + GUESS * np.frombuffer(
        theirs.vector, np.float32
    )
    length = float(np.linalg.norm(mixed)) or 1.0
    return replace(theirs, vector=(mixed / length).astype(np.float32).tobytes())
