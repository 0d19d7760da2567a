"""
Soft coverage: how much of what a question asks about stands in a memory, rare words counting more than common ones.

A word is covered by itself, by a typo of it, by a word of the same meaning (`concepts.py`), or as far as the model
finds its like there in context. How rare it is is told by English at large, so that three memories are judged as ten
thousand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from recollect.model.value import dataclass
from recollect.model.words import query_words
from recollect.providers.word_frequency import measure_rarity
from recollect.retrieve.concepts import find_concepts, gloss_words, split_compound
from recollect.retrieve.names import edit_distance
from recollect.retrieve.stopwords import ENGLISH, FUNCTION_WORDS, QUESTION_WORDS, detect_language
from recollect.store.db import Db

# Words that any question may have, whatever it is about.
_GENERIC = frozenset(
    """use used uses using get gets got want wants need needed needs take takes took like look looks run runs happen
    happens happened make made find found know go goes going work works allowed support long keep kept give given say
    tell show way thing things people one two new good bad big large small else back still per put set let come see
    mean best right please correct safe cannot must touch until really actually exactly handle deal""".split()
)
# What such a word weighs, and what any other weighs at least, beside 1 for one that English hardly knows.
_GENERIC_WEIGHT = 0.05
_LEAST_RARITY = 0.4
# What a match counts that is a typo away, shares its beginning, or means the same in this or another language.
_TYPO = 0.85
_BEGINNING = 0.7
_SYNONYM = 0.75
_TRANSLATION = 0.85
_MIN_TYPO = 5
_MIN_TWO_TYPOS = 8
_MIN_BEGINNING = 6
_CAPITALISED = re.compile(r"(?<=\S )\W{0,2}([^\W\d_a-z][\w'’-]*)")
# The likeness of two words in context, from which on it counts, and from which on it is as good as the word.
NO_LIKENESS = 0.4
FULL_LIKENESS = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWord:
    """A word that a question is about: what it weighs among them, and how the text that was embedded spells it."""

    text: str
    # Whether it is written like a name or a number, for which nothing else can stand.
    is_name: bool
    stems: frozenset[str]
    concepts: frozenset[int]
    weight: float
    spoken: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """The words a question is about, with weights that sum to 1, and its language."""

    language: str
    words: tuple[QuestionWord, ...]
    # Whether it is about anything: "what do you know?" is not.
    has_topic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWords:
    """The words of a memory: as they stand there, as stems, and as what they mean."""

    language: str
    plain: frozenset[str]
    stems: frozenset[str]
    concepts: frozenset[int]


def read_question_words(db: Db, text: str) -> QuestionWords:
    """What a question is about: its words without those that only ask."""
    words = list(dict.fromkeys(_strip(word) for word in query_words(text)))
    language = detect_language(words)
    function_words = FUNCTION_WORDS[language]
    plain = [word for word in words if word and word not in function_words and not word.endswith("n't")]
    topic = [word for word in plain if word not in QUESTION_WORDS] or plain or words
    english = dict(gloss_words(topic, language)) if language != ENGLISH else {}
    weights = [_weigh(word, english.get(word, ())) for word in topic]
    names = _find_names(text, language)
    total = sum(weights) or 1.0
    return QuestionWords(
        language=language,
        has_topic=any(word not in _GENERIC for word in plain),
        words=tuple(
            QuestionWord(
                text=word,
                is_name=word in names or any(letter.isdigit() or letter == "_" for letter in word),
                stems=frozenset(db.tokens(word)),
                concepts=_find_all_concepts(word, language),
                weight=weight / total,
                spoken=frozenset((word, *english.get(word, ()))),
            )
            for word, weight in zip(topic, weights, strict=True)
        ),
    )


def read_memory_words(db: Db, text: str, names: Iterable[str]) -> MemoryWords:
    """The words under which a memory may be met."""
    spoken = query_words(text)
    language = detect_language(spoken)
    words = frozenset(_strip(word) for word in (*spoken, *query_words(" ".join(names))))
    concepts: set[int] = set()
    for word in words:
        if word not in FUNCTION_WORDS[language]:
            concepts |= _find_all_concepts(word, language)
    return MemoryWords(
        language=language,
        plain=words,
        stems=frozenset(stem for word in words for stem in db.tokens(word)),
        concepts=frozenset(concepts),
    )


def match_words(question: QuestionWords, memory: MemoryWords) -> list[float]:
    """How surely each word of a question stands in a memory, from 0 to 1, told by the words alone."""
    same_language = question.language == memory.language
    return [_match_word(word, memory, same_language=same_language) for word in question.words]


def measure_coverage(
    question: QuestionWords, matches: Sequence[float], likeness: Mapping[str, float] | None
) -> float:
    """The weighed share of a question's words that a memory covers; `likeness` has the best in context for each."""
    covered = 0.0
    for word, match in zip(question.words, matches, strict=True):
        alike = (
            max((likeness[one] for one in word.spoken if one in likeness), default=0.0) if likeness else 0.0
        )
        soft = (alike - NO_LIKENESS) / (FULL_LIKENESS - NO_LIKENESS)
        covered += word.weight * max(match, min(1.0, soft), 0.0)
    return covered


def measure_missing_names(question: QuestionWords, matches: Sequence[float]) -> float:
    """The weighed share of a question's words that are names a memory does not have."""
    return sum(
        word.weight * (1.0 - match)
        for word, match in zip(question.words, matches, strict=True)
        if word.is_name
    )


def _find_names(text: str, language: str) -> frozenset[str]:
    """Words with a capital that do not begin the text; German writes all its nouns so."""
    if language == "de":
        return frozenset()
    return frozenset(_strip(match.group(1).lower()) for match in _CAPITALISED.finditer(text))


def _weigh(word: str, english: Sequence[str]) -> float:
    if _GENERIC & {word, *english}:
        return _GENERIC_WEIGHT
    return max(_LEAST_RARITY, min((measure_rarity(one) for one in english), default=measure_rarity(word)))


def _match_word(word: QuestionWord, memory: MemoryWords, *, same_language: bool) -> float:
    if word.stems and word.stems <= memory.stems:
        return 1.0
    best = 0.0
    if word.concepts & memory.concepts:
        best = _SYNONYM if same_language else _TRANSLATION
    return max(best, _match_spelling(word.text, memory.plain))


def _match_spelling(word: str, others: Collection[str]) -> float:
    """Typos, and words that begin alike: cognates of other languages do too."""
    if len(word) < _MIN_TYPO:
        return 0.0
    allowed = 2 if len(word) >= _MIN_TWO_TYPOS else 1
    beginning = word[:_MIN_BEGINNING]
    best = 0.0
    for other in others:
        if other[:1] != word[:1] or len(other) < _MIN_TYPO - 1:
            continue
        if abs(len(other) - len(word)) <= allowed and edit_distance(word, other, allowed) <= allowed:
            return _TYPO
        if len(beginning) == _MIN_BEGINNING and other.startswith(beginning):
            best = _BEGINNING
    return best


@lru_cache(maxsize=1 << 15)
def _find_all_concepts(word: str, language: str) -> frozenset[int]:
    """What a word or the parts of a compound mean; names of software are English in every language."""
    if concepts := find_concepts(word, language):
        return concepts
    if language == "de" and (parts := split_compound(word)):
        return frozenset().union(*(find_concepts(part, language) for part in parts))
    return find_concepts(word, ENGLISH)


def _strip(word: str) -> str:
    """The word without what a language hangs on it: Kim's, l'adresse."""
    word = word.replace("’", "'")
    if "'" not in word:
        return word
    for ending in ("'s", "'"):
        word = word.removesuffix(ending)
    first, apostrophe, rest = word.partition("'")
    return rest if apostrophe and len(first) <= 2 and rest != "t" else word
