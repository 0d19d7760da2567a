"""A question, read once: its telling words, the names and times in it, and what the model makes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from recollect.errors import ProviderError
from recollect.model.embedding import QueryEmbedding
from recollect.model.period import Period
from recollect.model.profile import Profile
from recollect.model.query import MAX_QUERY, Query
from recollect.retrieve.ground import Ground
from recollect.retrieve.names import Named, names_in
from recollect.retrieve.timewords import periods
from recollect.store.match import Term, terms_of

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """All that search wants to know about a question."""

    text: str
    terms: list[Term]
    named: Named
    periods: tuple[Period, ...]
    embedding: QueryEmbedding | None
    notes: tuple[str, ...]


def read(ground: Ground, query: Query, profile: Profile, now: datetime) -> Question:
    """Read a question. A model that is down costs the meaning, not the answer: the words still search."""
    text = query.text[:MAX_QUERY]
    named = names_in(ground.db, text)
    terms = terms_of(ground.db, ground.counts, " ".join([text, *named.corrected.values()]))
    embedding, notes = _embedded(ground, text, named, profile)
    return Question(
        text=text,
        terms=terms,
        named=named,
        periods=periods(text, now) if profile.time else (),
        embedding=embedding,
        notes=notes,
    )


def _embedded(
    ground: Ground, text: str, named: Named, profile: Profile
) -> tuple[QueryEmbedding | None, tuple[str, ...]]:
    if ground.embedder is None or not profile.uses_vectors or not text.strip():
        return None, ()
    try:
        return ground.embedder.embed_query(_without_names(text, named)), ()
    except ProviderError as error:
        return None, (f"Searched by words alone: {error}",)


def _without_names(text: str, named: Named) -> str:
    """Who a question is about is matched by subject; in the vector a name would drown what is asked."""
    if not named.words:
        return text
    kept = _WORD.sub(lambda match: "" if match.group().lower() in named.words else match.group(), text)
    return " ".join(kept.split()) or text
