"""
How alike failures are: a logistic regression over what two of them share.

Five things are compared: the meaning of what went wrong, the meaning of it together with the command or the task it
happened in, its character n-grams, how much of the shorter text the longer one has (words weighed by how rare they
are), and the rarest word that both have. Errors all sound alike, and so do rejections: a raw cosine sees the style
before the matter. So the mean of their source is taken off first ("all but the top"), where failures that happen
anywhere (`background.txt`) keep a handful of own ones from cancelling themselves out. Two rules of one linter are two
things; failures of one fingerprint are the same, whatever the vectors say.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import ProviderError
from recollect.learn.error_fingerprint import generalise_line
from recollect.model.failure import Failure, FailureSource
from recollect.model.value import dataclass
from recollect.model.words import split_identifier
from recollect.observe.recognise.faults import read_fault
from recollect.providers.embed import Embedder
from recollect.retrieve.stopwords import STOPWORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

# The mean of a source counts as so many failures of the background beside those at hand.
BACKGROUND_WEIGHT = 20
# In log-odds: the same command ended both, or two different ones did; a checker filed them under different rules.
SAME_WAY_OUT, OTHER_WAY_OUT, OTHER_RULE = 1.5, -3.0, -3.0
# What a source's own background lacks is made up from all of it.
_POOLED = 3
_GRAM = 4
_MAX_LENGTH = 600
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly")
_MIN_STEM = 4
# `TS2339`, `F401`, `no-untyped-def`, `import/order`, `Style/StringLiterals`; the name of an exception is none.
_CHECKER_RULE = re.compile(r"[A-Z]{1,4}-?\d{2,6}|@?[a-z]+(?:[-/][a-z]+)+|[A-Z]\w+/[A-Z]\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LikenessWeights:
    """What each comparison adds to the log-odds that one rule would serve both; fitted on `benchmarks/failures`."""

    grams: float
    coverage: float
    rarest: float
    of_errors: float
    of_error_and_words: float
    base: float
    meaning: float = 0.0
    meaning_in_place: float = 0.0
    grams_in_place: float = 0.0


WITH_MODEL = LikenessWeights(
    meaning=4.56,
    meaning_in_place=5.78,
    grams=2.65,
    coverage=1.59,
    rarest=2.52,
    of_errors=-0.74,
    of_error_and_words=1.15,
    base=-6.81,
)
BY_WORDS = LikenessWeights(
    grams=3.85,
    grams_in_place=5.12,
    coverage=2.79,
    rarest=3.9,
    of_errors=-0.77,
    of_error_and_words=0.83,
    base=-6.03,
)


def measure_likeness(failures: Sequence[Failure], embedder: Embedder | None) -> Matrix:
    """A square of probabilities that one rule would serve both of a pair."""
    # Loaded here: hooks and recalls share this room's parents and never cluster.
    import numpy as np

    texts = [add_plain_words(failure.what[:_MAX_LENGTH]) for failure in failures]
    views = _Views(failures, texts)
    coverage, rarest = _share_terms(texts, [text for _, text in views.background])
    meaning = views.compare_meaning(embedder, texts)
    weights = WITH_MODEL if meaning is not None else BY_WORDS
    total = weights.base + weights.coverage * coverage + weights.rarest * rarest
    total += weights.grams * views.compare_grams(texts)
    in_place = [f"{failure.where}: {text}" for failure, text in zip(failures, texts, strict=True)]
    if meaning is not None and (placed := views.compare_meaning(embedder, in_place)) is not None:
        total += weights.meaning * meaning + weights.meaning_in_place * placed
    else:
        total += weights.grams_in_place * views.compare_grams(in_place)
    errors = np.array([failure.source is FailureSource.ERROR for failure in failures], dtype=np.int64)
    how_many = errors[:, None] + errors[None, :]
    total += np.where(how_many == 2, weights.of_errors, np.where(how_many, weights.of_error_and_words, 0.0))
    total += _compare_ways_out(failures) + _compare_rules(failures)
    likeness: Matrix = 1 / (1 + np.exp(-total))
    for i, j in _list_same_shape(failures):
        likeness[i, j] = likeness[j, i] = 1.0
    return likeness


class _Views:
    """Comparisons of texts of the same failures, each from the mean of its source."""

    def __init__(self, failures: Sequence[Failure], texts: Sequence[str]) -> None:
        self.background = read_background()
        self._behind = [text for _, text in self.background]
        self._sources = [str(failure.source) for failure in failures]
        # The same thing over and over must not become the mean that is taken off.
        self._first = _mark_first_of_kind(texts)

    def compare_grams(self, texts: Sequence[str]) -> Matrix:
        """The cosine of TF-IDF over character n-grams."""
        return self._compare(*_weigh_grams(texts, self._behind, self._first))

    def compare_meaning(self, embedder: Embedder | None, texts: Sequence[str]) -> Matrix | None:
        """The cosine of embeddings; None without a model."""
        vectors = _embed(embedder, [*texts, *self._behind])
        return None if vectors is None else self._compare(vectors[: len(texts)], vectors[len(texts) :])

    def _compare(self, own: Matrix, behind: Matrix) -> Matrix:
        behind_sources = [source for source, _ in self.background]
        centred = _take_off_mean(own, behind, self._sources, behind_sources, self._first)
        return centred @ centred.T


@cache
def read_background() -> tuple[tuple[str, str], ...]:
    """Failures as they happen anywhere: source and text."""
    path = Path(__file__).with_name("background.txt")
    lines = (line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    parts = (line.partition("|") for line in lines)
    return tuple((source, add_plain_words(text)) for source, _, text in parts)


def add_plain_words(text: str) -> str:
    """An error's text with what its terms mean: query expansion by a small thesaurus."""
    lowered = text.lower()
    meanings = [words for pattern, words in _read_terms() if pattern.search(lowered)]
    return f"{text} ({'; '.join(meanings)})" if meanings else text


@cache
def _read_terms() -> tuple[tuple[re.Pattern[str], str], ...]:
    path = Path(__file__).with_name("error_terms.txt")
    lines = (line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    rows = (line.partition(": ") for line in lines)
    return tuple((_make_term_pattern(terms.lower().split(", ")), words) for terms, _, words in rows)


def _make_term_pattern(terms: Sequence[str]) -> re.Pattern[str]:
    choices = "|".join(
        f":{term}|port {term}" if term.isdigit() and len(term) > 3 else re.escape(term) for term in terms
    )
    return re.compile(rf"(?<![\w-])(?:{choices})(?![\w-])")


def list_terms(text: str) -> list[str]:
    """The words of a text that say something: identifiers in parts, endings off."""
    terms: list[str] = []
    for word in _WORD.findall(text):
        parts = [word] if word.islower() or word.isdigit() else [word, *split_identifier(word)]
        unique = dict.fromkeys(part.lower() for part in parts)
        terms += [_stem(part) for part in unique if part not in STOPWORDS and len(part) > 1]
    return terms


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word[: -len(ending)]
    return word


def _list_grams(text: str) -> list[str]:
    bounded = (f"<{term}>" for term in list_terms(text))
    return [word[i : i + _GRAM] for word in bounded for i in range(max(1, len(word) - _GRAM + 1))]


def _mark_first_of_kind(texts: Sequence[str]) -> list[bool]:
    seen: set[str] = set()
    marks: list[bool] = []
    for text in texts:
        form = generalise_line(text).lower()
        marks.append(form not in seen)
        seen.add(form)
    return marks


def _weigh_grams(
    texts: Sequence[str], background: Sequence[str], first: Sequence[bool]
) -> tuple[Matrix, Matrix]:
    """TF-IDF rows of unit length; how rare a gram is, is counted over the background and each kind once."""
    import numpy as np

    own, behind = [_list_grams(text) for text in texts], [_list_grams(text) for text in background]
    counted = [grams for grams, is_first in zip(own, first, strict=True) if is_first] + behind
    shares = Counter(gram for grams in counted for gram in set(grams))
    places = {gram: place for place, gram in enumerate(shares)}
    rows = np.zeros((len(own) + len(behind), len(places)))
    for row, grams in zip(rows, [*own, *behind], strict=True):
        for gram, count in Counter(grams).items():
            if gram in places:
                row[places[gram]] = (1 + math.log(count)) * math.log(
                    (len(counted) + 1) / (shares[gram] + 0.5)
                )
    rows = _normalise(rows)
    return rows[: len(own)], rows[len(own) :]


def _share_terms(texts: Sequence[str], background: Sequence[str]) -> tuple[Matrix, Matrix]:
    """Of each two texts, how much of the shorter the longer has, and how rare the rarest word of both is, 0 to 1."""
    import numpy as np

    own = [set(list_terms(text)) for text in texts]
    holders: dict[str, list[int]] = {}
    for i, terms in enumerate(own):
        for term in terms:
            holders.setdefault(term, []).append(i)
    behind = Counter(term for text in background for term in set(list_terms(text)))
    total = len(texts) + len(background)
    rarity = {term: math.log((total + 1) / (len(at) + behind[term] + 0.5)) for term, at in holders.items()}
    sums = np.maximum([sum(rarity[term] for term in terms) for terms in own], 1e-9)
    shared, rarest = np.zeros((2, len(texts), len(texts)))
    for term in sorted(holders, key=lambda term: (rarity[term], term)):
        places = np.ix_(holders[term], holders[term])
        shared[places] += rarity[term]
        rarest[places] = rarity[term] / math.log(total)
    return shared / np.minimum(sums[:, None], sums[None, :]), rarest


def _embed(embedder: Embedder | None, texts: Sequence[str]) -> Matrix | None:
    import numpy as np

    if embedder is None:
        return None
    try:
        embeddings = embedder.embed(list(texts))
    except ProviderError:
        # The model is down: words alone tell less, but they tell.
        return None
    return np.stack([np.frombuffer(one.vector, "<f4") for one in embeddings]).astype(np.float64)


def _take_off_mean(
    own: Matrix, behind: Matrix, sources: Sequence[str], behind_sources: Sequence[str], first: Sequence[bool]
) -> Matrix:
    import numpy as np

    centred = own.copy()
    pooled = behind.mean(axis=0)
    for source in set(sources):
        mine = np.array([one == source for one in sources])
        counted = mine & np.array(first)
        theirs = np.array([one == source for one in behind_sources])
        usual = (behind[theirs].sum(axis=0) + _POOLED * pooled) / (theirs.sum() + _POOLED)
        mean = (own[counted].sum(axis=0) + BACKGROUND_WEIGHT * usual) / (counted.sum() + BACKGROUND_WEIGHT)
        centred[mine] -= mean
    return _normalise(centred)


def _normalise(rows: Matrix) -> Matrix:
    import numpy as np

    unit: Matrix = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit


def _compare_ways_out(failures: Sequence[Failure]) -> Matrix:
    """What ended two failures: the same command makes them more alike, another one less; a rule gives one advice."""
    import numpy as np

    shift = np.zeros((len(failures), len(failures)))
    ended = [(i, set(failure.way_out.commands)) for i, failure in enumerate(failures)]
    known = [(i, commands) for i, commands in ended if commands]
    for i, commands in known:
        for j, others in known:
            if i != j:
                shift[i, j] = SAME_WAY_OUT if commands & others else OTHER_WAY_OUT
    return shift


def _compare_rules(failures: Sequence[Failure]) -> Matrix:
    """Two errors that a checker files under different rules are two things, however alike they sound."""
    import numpy as np

    shift = np.zeros((len(failures), len(failures)))
    rules = [(i, rule) for i, failure in enumerate(failures) if (rule := _find_rule(failure))]
    for i, rule in rules:
        for j, other in rules:
            shift[i, j] = OTHER_RULE if rule != other else 0.0
    return shift


def _find_rule(failure: Failure) -> str:
    fault = read_fault(failure.what) if failure.source is FailureSource.ERROR else None
    return fault.rule if fault and _CHECKER_RULE.fullmatch(fault.rule) else ""


def _list_same_shape(failures: Sequence[Failure]) -> list[tuple[int, int]]:
    """Neighbours of one fingerprint; the chain of them ties all together."""
    last: dict[str, int] = {}
    pairs: list[tuple[int, int]] = []
    for i, failure in enumerate(failures):
        if failure.key:
            if failure.key in last:
                pairs.append((last[failure.key], i))
            last[failure.key] = i
    return pairs
