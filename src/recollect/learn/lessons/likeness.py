"""
How alike failures are: centred embeddings and TF-IDF over character n-grams, half and half.

Errors all sound alike, and so do rejections: a raw cosine sees the style before the matter. So the mean of their
source is taken off first ("all but the top"), where failures that happen anywhere (`background.txt`) keep a handful of
own ones from cancelling themselves out. Failures of one fingerprint are the same, whatever the vectors say.
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
from recollect.model.failure import Failure
from recollect.model.words import split_identifier
from recollect.providers.embed import Embedder
from recollect.retrieve.stopwords import STOPWORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

# The mean of a source counts as so many failures of the background beside those at hand.
BACKGROUND_WEIGHT = 20
# The same command ended both, or two different ones did.
SAME_WAY_OUT, OTHER_WAY_OUT = 0.15, -0.3
# What a source's own background lacks is made up from all of it.
_POOLED = 3
_GRAM = 4
_MAX_LENGTH = 600
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly")
_MIN_STEM = 4


def measure_likeness(failures: Sequence[Failure], embedder: Embedder | None) -> Matrix:
    """A square of likenesses, from about -0.2 (nothing in common) to 1 (the same)."""
    # Loaded here: hooks and recalls share this room's parents and never cluster.
    import numpy as np

    background = read_background()
    sources = [str(failure.source) for failure in failures]
    texts = [add_plain_words(failure.what[:_MAX_LENGTH]) for failure in failures]
    # The same thing over and over must not become the mean that is taken off.
    first = _mark_first_of_kind(texts)
    views = [_weigh_grams(texts, [text for _, text in background], first)]
    if (vectors := _embed(embedder, [*texts, *(text for _, text in background)])) is not None:
        views.append((vectors[: len(texts)], vectors[len(texts) :]))
    total = np.zeros((len(texts), len(texts)))
    for own, behind in views:
        centred = _take_off_mean(own, behind, sources, [source for source, _ in background], first)
        total += centred @ centred.T / len(views)
    for i, j in _list_same_shape(failures):
        total[i, j] = total[j, i] = 1.0
    return total + _compare_ways_out(failures)


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
