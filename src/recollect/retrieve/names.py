"""Which subjects a question names: a person by first name, a file by its tail, either with a typo."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from recollect.model.value import dataclass
from recollect.retrieve.read_context import ReadContext
from recollect.store.tables import subjects

# Paths and dotted names as a question writes them.
_CHUNK = re.compile(
    r"(?<![\w@.+-])(?:[\w@.+-]{1,200}(?:[/\\:]{1,3}[\w@.+-]{1,200}){1,40}|[\w-]{1,200}\.[A-Za-z]\w{0,7}\b)"
)
_MAX_WORDS = 64
_MAX_LIKE = 200
_MAX_NAMED = 64
# A typo is forgiven in words this long; a second one in long words.
_MIN_LENGTH_ONE_TYPO = 4
_MIN_LENGTH_TWO_TYPOS = 9
# A bare word that happens to be the stem of a file name ("main", "index") says less than a name or a path.
_STEM_CERTAINTY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSubjects:
    """The subjects a question names, how surely (0 to 1), and the words that do."""

    subjects: dict[str, float]
    words: frozenset[str]
    # What was typed, and what must have been meant.
    corrected: dict[str, str]

    def __bool__(self) -> bool:
        return bool(self.subjects)


def find_names(context: ReadContext, text: str, words: Sequence[str]) -> NamedSubjects:
    """The subjects named in a text, given with its words."""
    words = words[:_MAX_WORDS]
    chunks = [match.group().lower().replace("\\", "/") for match in _CHUNK.finditer(text[:4000])]
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    spoken = dict.fromkeys([*words, *pairs, *chunks, *(chunk.rsplit("/", 1)[-1] for chunk in chunks)])
    graded = _grade_subjects(_find_subjects(context, spoken), set(spoken), set(chunks))
    corrected = _correct_typos(context, words) if words else {}
    if corrected:
        meant = set(corrected.values())
        graded = _grade_subjects(_find_subjects(context, meant), meant, set()) | graded
    naming = (
        frozenset(word for word in [*words, *corrected] if _is_naming(word, corrected, graded))
        if graded
        else frozenset()
    )
    return NamedSubjects(subjects=graded, words=naming, corrected=corrected)


def _find_subjects(context: ReadContext, spoken: Collection[str]) -> list[str]:
    """Subjects that any of these words may name, those named by most words first."""
    by_word = context.shelf.named_by(spoken)
    times = Counter(subject for word in spoken for subject in by_word[word] or ())
    return sorted(times, key=lambda subject: (-times[subject], subject))[:_MAX_NAMED] if times else []


def _grade_subjects(names: list[str], spoken: set[str], chunks: set[str]) -> dict[str, float]:
    graded = {name: _certainty(name, spoken, chunks) for name in names}
    return {name: sure for name, sure in graded.items() if sure > 0}


def _certainty(subject: str, spoken: set[str], chunks: set[str]) -> float:
    kind, _, name = subject.lower().partition(":")
    if kind not in ("file", "symbol"):
        return 1.0
    path, _, symbol = name.partition("::")
    if symbol and symbol.rsplit(".", 1)[-1] in spoken:
        return 1.0
    tails = [chunk for chunk in chunks if "/" in chunk or "." in chunk]
    if any(path == tail or path.endswith("/" + tail.lstrip("./")) for tail in tails):
        return 1.0
    base = path.rsplit("/", 1)[-1]
    return 1.0 if base in spoken and "." in base else _STEM_CERTAINTY


def _correct_typos(context: ReadContext, words: Sequence[str]) -> dict[str, str]:
    """Words no memory knows, each with the name it is a typo away from."""
    long = [word for word in words if len(word) >= _MIN_LENGTH_ONE_TYPO and word.isalpha()]
    stems = {word: stem for word in long for stem in context.db.tokens(word)[:1]}
    if not stems:
        return {}
    counts = context.words.counts(stems.values())
    strangers = [word for word, stem in stems.items() if not counts[stem]]
    meant = {
        word: _find_nearest(word, subjects.find_words_like(context.db, word[:2], _MAX_LIKE))
        for word in strangers
    }
    return {word: name for word, name in meant.items() if name}


def _find_nearest(word: str, names: list[str]) -> str | None:
    allowed = 2 if len(word) >= _MIN_LENGTH_TWO_TYPOS else 1
    graded = [
        (edit_distance(word, name, allowed), name) for name in names if len(name) >= _MIN_LENGTH_ONE_TYPO - 1
    ]
    best = min(graded, default=(allowed + 1, ""))
    return best[1] if best[0] <= allowed else None


def edit_distance(word: str, name: str, most: int) -> int:
    """Damerau-Levenshtein distance (optimal string alignment), up to `most`; `most` + 1 when it is more than that."""
    if abs(len(word) - len(name)) > most:
        return most + 1
    two_up: list[int] = []
    one_up = list(range(len(name) + 1))
    for i, letter in enumerate(word, start=1):
        row = [i]
        for j, second in enumerate(name, start=1):
            cost = min(one_up[j] + 1, row[j - 1] + 1, one_up[j - 1] + (letter != second))
            if i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == second:
                cost = min(cost, two_up[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        two_up, one_up = one_up, row
    return one_up[-1]


def _is_naming(word: str, corrected: dict[str, str], subjects: dict[str, float]) -> bool:
    meant = corrected.get(word, word)
    return any(meant in subject.lower().partition(":")[2] for subject in subjects)
