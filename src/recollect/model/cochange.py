"""
Which files go together: learned from every occasion on which some were touched, be it a commit or a session.

An occasion is worth one vote per file, shared out among the others it came with: a commit of two files says more
about them than one of twenty. Votes fade by half every `HALF_LIFE` occasions, not days: a project that rests forgets
nothing. Measured on the histories of httpx and flask (`python -m benchmarks cochange`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from math import exp, log

from recollect.model.value import dataclass, replace

HALF_LIFE = 400.0
# An occasion with more files than this says nothing about any two of them: a rename of everything, a new licence line.
MAX_FILES = 30
# Beside the votes, which are shares of 1: what a common name adds, and what being touched often adds.
NAME_WEIGHT = 0.02
OFTEN_WEIGHT = 0.1
_FADING = log(2) / HALF_LIFE


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """A sum of votes as it was on some occasion, and how many commits and sessions gave them."""

    weight: float = 0.0
    occasion: int = 0
    commits: int = 0
    sessions: int = 0
    last_at: datetime | None = None

    def on(self, occasion: int) -> float:
        """What is left of it on a later occasion."""
        return self.weight * exp(-_FADING * max(0, occasion - self.occasion))

    def plus(self, other: Votes) -> Votes:
        """Both together."""
        occasion = max(self.occasion, other.occasion)
        moments = [at for at in (self.last_at, other.last_at) if at]
        return Votes(
            weight=self.on(occasion) + other.on(occasion),
            occasion=occasion,
            commits=self.commits + other.commits,
            sessions=self.sessions + other.sessions,
            last_at=max(moments, default=None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Two files, in the order of their names: how often they met, how far apart in time, and which came first."""

    votes: Votes = Votes()
    # Sums over the sessions, where there is an order: the first file came before the second so often.
    forward: int = 0
    apart: timedelta = timedelta()

    @property
    def average_apart(self) -> timedelta:
        """How much time lay between the two, on average, in a session."""
        return self.apart / self.votes.sessions if self.votes.sessions else timedelta()

    @property
    def direction(self) -> int:
        """1: the first file almost always comes first; -1: the second does; 0: neither, or too seldom to say."""
        if self.votes.sessions < 3:
            return 0
        share = self.forward / self.votes.sessions
        return 1 if share >= 0.8 else -1 if share <= 0.2 else 0

    def plus(self, other: Tie) -> Tie:
        """Both together."""
        return Tie(
            votes=self.votes.plus(other.votes),
            forward=self.forward + other.forward,
            apart=self.apart + other.apart,
        )

    def turned(self) -> Tie:
        """The same two, named the other way round."""
        return replace(self, forward=self.votes.sessions - self.forward)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOccasion:
    """Files touched together. In a session `first_at` says when each was first touched; a commit has no order."""

    files: tuple[str, ...]
    at: datetime
    first_at: Mapping[str, datetime] | None = None


class Ties:
    """The files of one project and what ties them; the whole of it, or the part around some files."""

    def __init__(self) -> None:
        self.occasion = 0
        self.files: dict[str, Votes] = {}
        self._ties: dict[str, dict[str, Tie]] = {}

    def learn(self, occasion: ChangeOccasion) -> None:
        """Some files were touched together."""
        self.occasion += 1
        files = sorted(set(occasion.files))
        if not files or len(files) > MAX_FILES:
            return
        commits, sessions = (0, 1) if occasion.first_at is not None else (1, 0)
        alone = Votes(
            weight=1.0, occasion=self.occasion, commits=commits, sessions=sessions, last_at=occasion.at
        )
        share = replace(alone, weight=1.0 / max(1, len(files) - 1))
        for number, path in enumerate(files):
            self.files[path] = self.files.get(path, Votes()).plus(alone)
            for other in files[number + 1 :]:
                self.put(
                    path,
                    other,
                    self.between(path, other).plus(_make_tie(share, path, other, occasion.first_at)),
                )

    def between(self, one: str, other: str) -> Tie:
        """What ties two files, in the order they are named here."""
        tie = self._ties.get(one, {}).get(other, _NOTHING)
        return tie if one < other else tie.turned()

    def put(self, one: str, other: str, tie: Tie) -> None:
        """Say what ties two files, in the order they are named here."""
        tie = tie if one < other else tie.turned()
        self._ties.setdefault(one, {})[other] = tie
        self._ties.setdefault(other, {})[one] = tie

    def pairs(self) -> Iterator[tuple[str, str, Tie]]:
        """Every two files that are tied, in the order of their names."""
        for one, others in self._ties.items():
            for other, tie in others.items():
                if one < other:
                    yield one, other, tie

    def around(self, path: str) -> Collection[str]:
        """The files that were ever touched together with this one."""
        return self._ties.get(path, {}).keys()

    def move(self, old: str, new: str) -> None:
        """A file has another name now, and keeps its company."""
        for other in list(self.around(old)):
            if other != new:
                self.put(new, other, self.between(new, other).plus(self.between(old, other)))
        if old in self.files:
            self.files[new] = self.files.get(new, Votes()).plus(self.files[old])
        self.remove(old)

    def remove(self, path: str) -> None:
        """A file is gone."""
        for other in self._ties.pop(path, {}):
            del self._ties[other][path]
        self.files.pop(path, None)

    def strength(self, one: str, other: str) -> float:
        """How much of what the first file was touched with is the second, between 0 and 1."""
        total = sum(tie.votes.on(self.occasion) for tie in self._ties.get(one, {}).values())
        return self.between(one, other).votes.on(self.occasion) / total if total else 0.0

    def near(self, seeds: Iterable[str], limit: int) -> Sequence[tuple[str, float]]:
        """The files most likely to be touched as well, given some that are; best first, with their scores."""
        seed_paths = list(dict.fromkeys(seeds))
        scores = {path: OFTEN_WEIGHT * share for path, share in self._share_touches().items()}
        for seed in seed_paths:
            for path, share in self._share_votes(seed).items():
                scores[path] = scores.get(path, 0.0) + share / len(seed_paths)
            for path in self.files:
                likeness = name_likeness(seed, path)
                if likeness:
                    scores[path] += NAME_WEIGHT * likeness / len(seed_paths)
        candidates = [(path, score) for path, score in scores.items() if path not in seed_paths]
        return sorted(candidates, key=lambda item: (-item[1], item[0]))[:limit]

    def _share_votes(self, seed: str) -> dict[str, float]:
        votes = {other: tie.votes.on(self.occasion) for other, tie in self._ties.get(seed, {}).items()}
        total = sum(votes.values())
        return {other: weight / total for other, weight in votes.items()} if total else {}

    def _share_touches(self) -> dict[str, float]:
        votes = {path: votes.on(self.occasion) for path, votes in self.files.items()}
        total = sum(votes.values())
        return {path: weight / total for path, weight in votes.items()} if total else {}


_NOTHING = Tie()
_WORD = re.compile(r"[a-z0-9]+")
_TEST_MARK = re.compile(r"^tests?_|[._-](?:tests?|spec)$", re.IGNORECASE)


def name_likeness(path: str, other: str) -> float:
    """How alike two files are called, folders and the mark of a test aside: `src/auth.py`, `tests/test_auth.py`."""
    mine, theirs = name_words(path), name_words(other)
    shared = mine & theirs
    return len(shared) / len(mine | theirs) if shared else 0.0


@lru_cache(maxsize=50_000)
def name_words(path: str) -> frozenset[str]:
    """The words a file is called by, without its folders, its ending and the mark of a test."""
    name = path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]
    return frozenset(_WORD.findall(_TEST_MARK.sub("", name).lower()))


def _make_tie(share: Votes, first: str, second: str, first_at: Mapping[str, datetime] | None) -> Tie:
    if first_at is None:
        return Tie(votes=share)
    apart = first_at[second] - first_at[first]
    return Tie(votes=share, forward=int(apart >= timedelta()), apart=abs(apart))
