"""Parsing a question, once: its search terms, the names and times in it, and its embedding."""

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
from recollect.retrieve.names import NamedSubjects, find_names
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.stopwords import ENGLISH, detect_language, pick_topic_words
from recollect.retrieve.temporal import find_event_periods
from recollect.retrieve.timewords import find_periods
from recollect.store.search.bm25_index import Term, find_terms, select_terms

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion:
    """What search needs of a question. `embedded_text` is the text without names, as the model got it."""

    terms: list[Term]
    named: NamedSubjects
    periods: tuple[Period, ...]
    embedded_text: str
    embedding: QueryEmbedding | None
    notes: tuple[str, ...]


def parse_question(context: ReadContext, query: Query, profile: Profile, now: datetime) -> ParsedQuestion:
    """Parse a question. If the model is down, the words still search and a note says so."""
    text = query.text[:MAX_QUERY]
    words_in_text = query_words(text)
    language = detect_language(words_in_text)
    with context.db.one_moment():
        named_subjects = find_names(context, text, words_in_text)
        words = pick_topic_words([*words_in_text, *named_subjects.corrected.values()], named_subjects.words)
        terms = find_terms(context.db, context.words, words)
        terms = select_terms(_translate_terms(context, terms, words, language))
        times = (*find_periods(text, now), *find_event_periods(context, text)) if profile.time else ()
    text_to_embed = _strip_names(text, named_subjects)
    if language != ENGLISH and getattr(context.embedder, "english_only", False):
        from recollect.retrieve.translate import gloss_text

        text_to_embed = gloss_text(text_to_embed, language)
    embedding, notes = _embed_question(context, text_to_embed, profile)
    return ParsedQuestion(
        terms=terms,
        named=named_subjects,
        periods=times,
        embedded_text=text_to_embed,
        embedding=embedding,
        notes=notes,
    )


def _translate_terms(context: ReadContext, terms: list[Term], words: list[str], language: str) -> list[Term]:
    """With terms of other languages, where the question is in one or has words that no memory knows."""
    if language == ENGLISH and all(term.count for term in terms):
        return terms
    from recollect.retrieve.translate import add_translations

    return add_translations(context.db, context.words, terms, words, language)


def _embed_question(
    context: ReadContext, text: str, profile: Profile
) -> tuple[QueryEmbedding | None, tuple[str, ...]]:
    if context.embedder is None or not profile.uses_vectors or not text.strip():
        return None, ()
    try:
        return context.embedder.embed_query(text), ()
    except ProviderError as error:
        return None, (f"Searched by words alone: {error}",)


def _strip_names(text: str, named_subjects: NamedSubjects) -> str:
    """Who a question is about is matched by subject; in the vector a name would drown what is asked."""
    if not named_subjects.words:
        return text
    remaining = _WORD.sub(
        lambda match: "" if match.group().lower() in named_subjects.words else match.group(), text
    )
    return " ".join(remaining.split()) or text
