"""
What anybody would try first to foresee the files of a session, each from the same past that memory has.

Every baseline gives each file a score; the combinations divide each by its highest and add them up.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.replay_sessions import Replayed, Touch
from recollect.model.value import dataclass

Scores = Mapping[str, float]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+|\d+")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_EMPTY = frozenset(
    "the a an to of in is it and or for on with this that i we you be as are at can do does please let me my our so if "
    "not no was but have has from should would when what how where why which there just like want need make sure also "
    "its don lets s t re now then into by all any some one two use using used add get set still see".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier session, as far as it had come."""

    prompt: str
    touches: Sequence[Touch]

    @property
    def files(self) -> set[str]:
        """What it had touched."""
        return {touch.path for touch in self.touches}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What may be known when the files of a session are to be named."""

    prompt: str
    branch: str
    given: Sequence[str]
    past: Sequence[Earlier]


def moment(session: Replayed, others: Iterable[Replayed], given: Sequence[str]) -> Moment:
    """The first prompt of a session, and what others had done strictly before it."""
    return Moment(
        prompt=session.prompt,
        branch=session.branch,
        given=given,
        past=[
            Earlier(
                prompt=other.prompt,
                touches=[touch for touch in other.touches if touch.at < session.asked_at],
            )
            for other in others
            if other.id != session.id and other.asked_at < session.asked_at
        ],
    )


def popularity(at: Moment) -> Scores:
    """In how many sessions a file was touched."""
    return Counter(path for session in at.past for path in session.files)


def recency(at: Moment) -> Scores:
    """How lately a file was touched."""
    last: dict[str, float] = {}
    for session in at.past:
        for touch in session.touches:
            last[touch.path] = max(last.get(touch.path, 0.0), touch.at.timestamp())
    ordered = sorted(last, key=lambda path: -last[path])
    return {path: 1 / rank for rank, path in enumerate(ordered, start=1)}


def prompts(at: Moment) -> Scores:
    """The files of sessions whose first prompt is like this one (BM25)."""
    scores: dict[str, float] = defaultdict(float)
    similarities = _bm25(at.prompt, [Counter(_words(session.prompt)) for session in at.past])
    for session, score in zip(at.past, similarities, strict=True):
        for path in session.files if score else ():
            scores[path] += score
    return scores


def paths(at: Moment) -> Scores:
    """Files whose path has words of the prompt, or parts of its identifiers (BM25)."""
    paths_known = list(dict.fromkeys(touch.path for session in at.past for touch in session.touches))
    scores = _bm25(at.prompt, [Counter(_words(path)) for path in paths_known])
    return dict(zip(paths_known, scores, strict=True))


def branch(at: Moment) -> Scores:
    """In how many sessions a file was touched on this branch; the trunk is nobody's."""
    if at.branch in ("", "main", "master"):
        return {}
    return Counter(
        path
        for session in at.past
        for path in {touch.path for touch in session.touches if touch.branch == at.branch}
    )


def co_access(at: Moment) -> Scores:
    """Files touched in the same sessions as those given."""
    scores: dict[str, float] = defaultdict(float)
    for session in at.past:
        common = len(session.files.intersection(at.given))
        for path in session.files if common else ():
            scores[path] += common
    return scores


def together(*baselines: Callable[[Moment], Scores]) -> Callable[[Moment], Scores]:
    """Baselines added up, each divided by its highest; with files given, those touched with them count too."""

    def combined(at: Moment) -> Scores:
        scores: dict[str, float] = defaultdict(float)
        for baseline in (*baselines, *((co_access,) if at.given else ())):
            part = baseline(at)
            highest = max(part.values(), default=0.0) or 1.0
            for path, score in part.items():
                scores[path] += score / highest
        return scores

    return combined


BASELINES: Mapping[str, Callable[[Moment], Scores]] = {
    "popularity": popularity,
    "recency": recency,
    "prompts": prompts,
    "paths": paths,
    "co-access": co_access,
    "combination": together(popularity, recency, prompts, paths),
    "combination + branch": together(popularity, recency, prompts, paths, branch),
}


def _words(text: str) -> list[str]:
    words: list[str] = []
    for word in _WORD.findall(text):
        humps = _HUMP.findall(word)
        words += [word.lower(), *(hump.lower() for hump in humps if len(humps) > 1)]
    return words


def _bm25(query: str, docs: Sequence[Counter[str]], k1: float = 1.2, b: float = 0.75) -> list[float]:
    words = set(_words(query)) - _EMPTY
    holding = Counter(word for doc in docs for word in words if word in doc)
    lengths = [doc.total() for doc in docs]
    average = sum(lengths) / len(docs) if docs else 1.0
    scores: list[float] = []
    for doc, length in zip(docs, lengths, strict=True):
        reach = k1 * (1 - b + b * length / average)
        scores.append(
            sum(
                math.log(1 + (len(docs) - holding[word] + 0.5) / (holding[word] + 0.5))
                * doc[word]
                * (k1 + 1)
                / (doc[word] + reach)
                for word in words
                if word in doc
            )
        )
    return scores
