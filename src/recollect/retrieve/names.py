"""Which subjects a question names: a person by first name, a file by its tail, any of them with a small slip."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from recollect.model.value import dataclass
from recollect.retrieve.read_context import Ground
from recollect.store.tables import subjects

# Paths and dotted names as a question writes them.
_CHUNK = re.compile(
    r"(?<![\w@.+-])(?:[\w@.+-]{1,200}(?:[/\\:]{1,3}[\w@.+-]{1,200}){1,40}|[\w-]{1,200}\.[A-Za-z]\w{0,7}\b)"
)
_MOST_WORDS = 64
_MOST_LIKE = 200
_MOST_NAMED = 64
# A slip is forgiven in words this long; a second one in long words.
_ONE_SLIP = 4
_TWO_SLIPS = 9
# A bare word that happens to be the stem of a file name ("main", "index") says less than a name or a path.
_BY_STEM = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The subjects a question names, how surely (0 to 1), and the words that do."""

    subjects: dict[str, float]
    words: frozenset[str]
    # What was typed, and what must have been meant.
    corrected: dict[str, str]

    def __bool__(self) -> bool:
        return bool(self.subjects)


def names_in(ground: Ground, text: str, words: Sequence[str]) -> Named:
    """The subjects named in a text, given with its words."""
    words = words[:_MOST_WORDS]
    chunks = [match.group().lower().replace("\\", "/") for match in _CHUNK.finditer(text[:4000])]
    pairs = [f"{one} {two}" for one, two in pairwise(words)]
    spoken = dict.fromkeys([*words, *pairs, *chunks, *(chunk.rsplit("/", 1)[-1] for chunk in chunks)])
    found = _graded(_named_by(ground, spoken), set(spoken), set(chunks))
    corrected = _corrected(ground, words) if words else {}
    if corrected:
        meant = set(corrected.values())
        found = _graded(_named_by(ground, meant), meant, set()) | found
    naming = (
        frozenset(word for word in [*words, *corrected] if _names(word, corrected, found))
        if found
        else frozenset()
    )
    return Named(subjects=found, words=naming, corrected=corrected)


def _named_by(ground: Ground, spoken: Collection[str]) -> list[str]:
    """Subjects that any of these words may name, those named by most words first."""
    by_word = ground.shelf.named_by(spoken)
    times = Counter(subject for word in spoken for subject in by_word[word] or ())
    return sorted(times, key=lambda subject: (-times[subject], subject))[:_MOST_NAMED] if times else []


def _graded(names: list[str], spoken: set[str], chunks: set[str]) -> dict[str, float]:
    graded = {name: _sureness(name, spoken, chunks) for name in names}
    return {name: sure for name, sure in graded.items() if sure > 0}


def _sureness(subject: str, spoken: set[str], chunks: set[str]) -> float:
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
    return 1.0 if base in spoken and "." in base else _BY_STEM


def _corrected(ground: Ground, words: Sequence[str]) -> dict[str, str]:
    """Words no memory knows, each with the name it is a slip away from."""
    long = [word for word in words if len(word) >= _ONE_SLIP and word.isalpha()]
    stems = {word: stem for word in long for stem in ground.db.tokens(word)[:1]}
    if not stems:
        return {}
    counts = ground.words.counts(stems.values())
    strangers = [word for word, stem in stems.items() if not counts[stem]]
    meant = {word: _nearest(word, subjects.words_like(ground.db, word[:2], _MOST_LIKE)) for word in strangers}
    return {word: name for word, name in meant.items() if name}


def _nearest(word: str, names: list[str]) -> str | None:
    allowed = 2 if len(word) >= _TWO_SLIPS else 1
    graded = [(slips(word, name, allowed), name) for name in names if len(name) >= _ONE_SLIP - 1]
    best = min(graded, default=(allowed + 1, ""))
    return best[1] if best[0] <= allowed else None


def slips(one: str, other: str, most: int) -> int:
    """How many letters are wrong, missing, extra or swapped; `most` + 1 when it is more than that."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    two_up: list[int] = []
    one_up = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, second in enumerate(other, start=1):
            cost = min(one_up[j] + 1, row[j - 1] + 1, one_up[j - 1] + (letter != second))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == second:
                cost = min(cost, two_up[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        two_up, one_up = one_up, row
    return one_up[-1]


def _names(word: str, corrected: dict[str, str], found: dict[str, float]) -> bool:
    meant = corrected.get(word, word)
    return any(meant in subject.lower().partition(":")[2] for subject in found)
