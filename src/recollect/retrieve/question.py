"""A question, read once: its telling words, the names and times in it, and what the model makes of it."""

from __future__ import annotations

import re
from datetime import datetime

from recollect.errors import ProviderError
from recollect.model.embedding import QueryEmbedding
from recollect.model.period import Period
from recollect.model.profile import Profile
from recollect.model.query import MAX_QUERY, Query
from recollect.model.value import dataclass
from recollect.model.words import query_words
from recollect.retrieve.events import periods_by_event
from recollect.retrieve.names import Named, names_in
from recollect.retrieve.read_context import Ground
from recollect.retrieve.stopwords import topical
from recollect.retrieve.timewords import periods
from recollect.store.search.query_terms import Term, searching_terms, terms_of

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """All that search wants to know about a question. `asked` is what was embedded: the text without names."""

    terms: list[Term]
    named: Named
    periods: tuple[Period, ...]
    asked: str
    embedding: QueryEmbedding | None
    notes: tuple[str, ...]


def read(ground: Ground, query: Query, profile: Profile, now: datetime) -> Question:
    """Read a question. A model that is down costs the meaning, not the answer: the words still search."""
    text = query.text[:MAX_QUERY]
    said = query_words(text)
    with ground.db.one_moment():
        named = names_in(ground, text, said)
        words = topical([*said, *named.corrected.values()], named.words)
        terms = searching_terms(terms_of(ground.db, ground.words, words))
        times = (*periods(text, now), *periods_by_event(ground, text)) if profile.time else ()
    asked = _without_names(text, named)
    embedding, notes = _embedded(ground, asked, profile)
    return Question(
        terms=terms,
        named=named,
        periods=times,
        asked=asked,
        embedding=embedding,
        notes=notes,
    )


def _embedded(ground: Ground, asked: str, profile: Profile) -> tuple[QueryEmbedding | None, tuple[str, ...]]:
    if ground.embedder is None or not profile.uses_vectors or not asked.strip():
        return None, ()
    try:
        return ground.embedder.embed_query(asked), ()
    except ProviderError as error:
        return None, (f"Searched by words alone: {error}",)


def _without_names(text: str, named: Named) -> str:
    """Who a question is about is matched by subject; in the vector a name would drown what is asked."""
    if not named.words:
        return text
    kept = _WORD.sub(lambda match: "" if match.group().lower() in named.words else match.group(), text)
    return " ".join(kept.split()) or text
