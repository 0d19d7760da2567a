"""Cross-language search: index terms that mean the same in another language, and an English gloss for the model."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.words import query_words
from recollect.retrieve.concepts import gloss_words, list_foreign_beginnings
from recollect.retrieve.stopwords import ENGLISH, FUNCTION_WORDS
from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.search.bm25_index import Term, WordIndex, find_terms

# What a translated term weighs beside one that was typed.
_TRANSLATED_WEIGHT = 0.7
# So many words that no memory knows are looked up in other languages, and so many terms are taken for one.
_MAX_STRANGERS = 6
_MAX_TERMS = 4


def add_translations(
    db: Db, index: WordIndex, terms: list[Term], words: Sequence[str], language: str
) -> list[Term]:
    """The terms of a question, and those of the index that mean the same in another language."""
    if language == ENGLISH:
        strangers = {term.stem for term in terms if not term.count}
        unknown = [word for word in words if strangers & set(db.tokens(word))][:_MAX_STRANGERS]
        beginnings = [one for word in unknown for one in list_foreign_beginnings(word)]
        translated = _to_terms(
            db,
            index,
            fulltext.find_terms_beginning(db, beginnings, _MAX_TERMS * len(beginnings)) if beginnings else [],
        )
    else:
        topic = [word for word in words if word not in FUNCTION_WORDS[language]]
        english = [one for word, glosses in gloss_words(topic, language) for one in glosses if one != word]
        translated = [term for term in find_terms(db, index, english) if term.count]
        terms = [term for term in terms if term.stem not in _function_stems(db, words, language)] or terms
    known = {term.stem for term in terms}
    return [
        *terms,
        *(
            Term(term.stem, term.count, _TRANSLATED_WEIGHT * term.idf, term.frequent)
            for term in translated
            if term.stem not in known
        ),
    ]


def gloss_text(text: str, language: str) -> str:
    """A question in another language, word by word in English; what the table does not know stays as it is."""
    return " ".join(one for _, glosses in gloss_words(query_words(text), language) for one in glosses) or text


def _function_stems(db: Db, words: Sequence[str], language: str) -> set[str]:
    return {stem for word in words if word in FUNCTION_WORDS[language] for stem in db.tokens(word)}


def _to_terms(db: Db, index: WordIndex, stems: Sequence[str]) -> list[Term]:
    return [term for term in find_terms(db, index, stems) if term.count]
