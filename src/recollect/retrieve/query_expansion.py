"""
HyDE query expansion: a second search with the words an answer would have, when the first found little.

A writing model writes a hypothetical answer, if there is one. Else the project's own words do: those that stand
beside the question's in the memories that came nearest, and names that begin like a word of it. Either way the
expansion is blended with the question, and what only the expansion brings counts less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from recollect.errors import ProviderError
from recollect.model.embedding import QueryEmbedding
from recollect.model.query import Hit, Recalled, ScorePart
from recollect.model.value import dataclass, replace
from recollect.model.words import query_words
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.search import ParsedQuery
from recollect.retrieve.stopwords import QUESTION_WORDS, STOPWORDS
from recollect.store.search.bm25_index import Term, find_terms, select_terms
from recollect.store.tables import subjects

# Fewer hits than this that answer mean that little was found.
MIN_GOOD_HITS = 3
# So many of the best of the first search keep their places.
SETTLED_HITS = 5
QUESTION_WEIGHT = 0.4
EXPANSION_WEIGHT = 0.6
# What only the expansion finds counts so much of its score.
# On LoCoMo more drives good answers down, less brings none up.
EXPANSION_DISCOUNT = 0.75
_MAX_HITS_READ = 8
_MAX_WORDS = 8
_MAX_NAMES = 4
_MIN_PREFIX = 4
_MAX_ANSWER_CHARACTERS = 1000

IMAGINED = "an imagined answer"
PROMPT = (
    "Write one short, specific note that a developer would have kept and that answers this question. Concrete "
    "technical details, no preface, at most three sentences.\n\nQuestion: {question}"
)

# Writes the hypothetical answer to a question; None where there is no writing model.
WriteAnswer = Callable[[str], str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryExpansion:
    """The words a good answer would have, and how they were found."""

    words: str
    by: str


def is_weak(recalled: Recalled) -> bool:
    """Whether a search found too little to leave it at that."""
    return not recalled.known or len(recalled.answers) < MIN_GOOD_HITS


def expand_query(
    context: ReadContext, text: str, recalled: Recalled, write_answer: WriteAnswer
) -> QueryExpansion | None:
    """Words an answer might have; None where there are none to add."""
    if write_answer is not None:
        try:
            if answer := write_answer(PROMPT.format(question=text)).strip():
                return QueryExpansion(words=answer[:_MAX_ANSWER_CHARACTERS], by=IMAGINED)
        except ProviderError:
            pass  # the project's own words do as well
    words = [
        *_find_words_beside(context, text, recalled.hits[:_MAX_HITS_READ]),
        *_find_similar_names(context, text),
    ]
    return (
        QueryExpansion(words=" ".join(words), by=f"words that go with it: {', '.join(words)}")
        if words
        else None
    )


def blend_expansion(context: ReadContext, parsed: ParsedQuery, expansion: QueryExpansion) -> ParsedQuery:
    """The parsed query with the expansion blended into its terms and embedding."""
    question = parsed.question
    expansion_terms = select_terms(find_terms(context.db, context.words, query_words(expansion.words)))
    return parsed._replace(
        question=replace(
            question,
            terms=_blend_terms(question.terms, expansion_terms),
            embedded_text=expansion.words,
            embedding=_blend_embedding(context, question.embedding, expansion.words),
        )
    )


def merge_results(first: Recalled, second: Recalled, expansion: QueryExpansion, limit: int) -> Recalled:
    """Both as one: what answered stays first, no hit loses by the expansion, and what only that found is discounted."""
    before = {hit.memory.id: hit for hit in first}
    hits = dict(before)
    for hit in second:
        earlier = before.get(hit.memory.id)
        score = EXPANSION_DISCOUNT * hit.score
        if earlier is None or score > earlier.score:
            earlier = earlier or replace(hit, score=0.0, tell=tuple)
            hits[hit.memory.id] = earlier.adding(ScorePart("guess", hit.score, score - earlier.score))
    # The best of a recall stay where they are: words that go with a question look deeper, not better at the top.
    settled = first.answers if expansion.by == IMAGINED else (*first.hits[:SETTLED_HITS], *first.answers)
    places = {hit.memory.id: place for place, hit in reversed(list(enumerate(settled)))}
    best = sorted(
        hits.values(),
        key=lambda hit: (
            places.get(hit.memory.id, len(places) + 1),
            hit.memory.stale_at is not None,
            -hit.score,
        ),
    )
    return Recalled(
        hits=tuple(best[:limit]), notes=(*first.notes, f"Searched once more with {expansion.by}.")
    )


def _find_words_beside(context: ReadContext, text: str, hits: Sequence[Hit]) -> list[str]:
    """Words of the nearest memories, the telling ones of the best first."""
    question_stems = {stem for word in query_words(text) for stem in context.db.tokens(word)}
    weights: dict[str, float] = {}
    document_counts: Counter[str] = Counter()
    for hit in hits:
        for word in _pick_telling_words(hit.memory.text):
            weights[word] = weights.get(word, 0.0) + hit.score
            document_counts[word] += 1
    fewest = 2 if len(hits) >= MIN_GOOD_HITS else 1
    often = [word for word in weights if document_counts[word] >= fewest]
    idf = {term.stem: term.idf for term in find_terms(context.db, context.words, often)}
    stems = {word: (context.db.tokens(word) or [""])[0] for word in often}
    ranked = sorted(often, key=lambda word: (-weights[word] * idf.get(stems[word], 0.0), word))
    return [word for word in ranked if stems[word] and stems[word] not in question_stems][:_MAX_WORDS]


def _find_similar_names(context: ReadContext, text: str) -> list[str]:
    """Names of this store that begin like a word of the question."""
    names: list[str] = []
    for word in _pick_telling_words(text):
        if len(word) > _MIN_PREFIX:
            names += [
                name
                for name in subjects.find_words_like(
                    context.db, word[: max(_MIN_PREFIX, len(word) - 2)], _MAX_NAMES
                )
                if name != word and name.isidentifier()
            ]
    return list(dict.fromkeys(names))[:_MAX_NAMES]


def _pick_telling_words(text: str) -> list[str]:
    return [
        word
        for word in query_words(text)
        if len(word) > 2 and word not in STOPWORDS and word not in QUESTION_WORDS
    ]


def _blend_terms(question_terms: Sequence[Term], expansion_terms: Sequence[Term]) -> list[Term]:
    own_stems = {term.stem for term in question_terms}
    new = [term for term in expansion_terms if term.stem not in own_stems]
    return [
        *_reweigh_terms(question_terms, QUESTION_WEIGHT if new else 1.0),
        *_reweigh_terms(new, EXPANSION_WEIGHT if question_terms else 1.0),
    ]


def _reweigh_terms(terms: Sequence[Term], share: float) -> list[Term]:
    """The same terms, together worth this share."""
    idf_sum = sum(term.idf for term in terms) or 1.0
    return [replace(term, idf=share * term.idf / idf_sum) for term in terms]


def _blend_embedding(
    context: ReadContext, question_embedding: QueryEmbedding | None, words: str
) -> QueryEmbedding | None:
    if question_embedding is None or context.embedder is None:
        return question_embedding
    try:
        expansion_embedding = context.embedder.embed_query(words)
    except ProviderError:
        return question_embedding
    import numpy as np

    mixed = QUESTION_WEIGHT * np.frombuffer(
        question_embedding.vector, np.float32
    ) + EXPANSION_WEIGHT * np.frombuffer(expansion_embedding.vector, np.float32)
    length = float(np.linalg.norm(mixed)) or 1.0
    return replace(expansion_embedding, vector=(mixed / length).astype(np.float32).tobytes())
