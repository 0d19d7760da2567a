"""
Signals that need no session: what past commits, paths, defined names, first words and the code graph say of a text.

Past commits tell most: BM25 over their messages, each commit's score shared among the files it changed and fading with
every commit since. Weights were chosen on the histories of httpx and flask and scored on others
(`python -m benchmarks dayone`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from recollect.model.bm25 import compute_idf, saturate
from recollect.model.commit import Commit
from recollect.model.value import replace
from recollect.predict_files.checkout_view import CheckoutView, read_checkout
from recollect.predict_files.content import K1, find_file_names, score_word_holders
from recollect.predict_files.inputs import SignalScores, WeightedScores, add_up
from recollect.predict_files.stems import count_stems, prompt_stems
from recollect.store.db import Db

# After so many commits a commit counts half.
HALF_LIFE = 400
# A commit of more files says nothing about any of them.
MAX_FILES = 20
# A commit of n files gives each n to the power of this less: one of two says more about them than one of ten.
_SHARE = 0.7
_K1, _B = 1.2, 0.75
_MAX_WORDS_SHOWN = 3
# So many of the best files by other signs lead to their neighbours in the code.
_MAX_SEEDS = 3
# What an event keeps of a prompt, too.
_MAX_PROMPT = 8_000

Words = Mapping[str, str]
DayOneSignal = Callable[[CheckoutView, str, Words], SignalScores]


def score_commit_messages(view: CheckoutView, prompt: str, words: Words) -> SignalScores:
    """Files that were changed by commits whose message speaks of what is asked."""
    matching = [
        _MatchingCommit(rank, commit, stems) for rank, commit, stems in _match_commits(view.commits, words)
    ]
    holders = Counter(word for one in matching for word in one.stems)
    lengths = [len(commit.subject) + len(commit.body) for commit in view.commits]
    mean_length = sum(lengths) / len(lengths) if lengths else 1.0
    renamed = find_renames(view.commits)
    scores: dict[str, float] = {}
    spoken: dict[str, Counter[str]] = {}
    times: Counter[str] = Counter()
    for one in matching:
        files = {renamed.get(path, path) for path in one.commit.files}
        if not 0 < len(files) <= MAX_FILES:
            continue
        fading = 0.5 ** (one.rank / HALF_LIFE) / len(files) ** _SHARE
        for word, count in one.stems.items():
            weight = (_K1 + 1) * compute_idf(len(view.commits), holders[word])
            strength = saturate(count, lengths[one.rank], mean_length=mean_length or 1.0, k1=_K1, b=_B)
            for path in files:
                scores[path] = scores.get(path, 0.0) + fading * weight * strength
                spoken.setdefault(path, Counter())[word] += 1
        times.update(files)

    def why(path: str) -> str:
        most = [words[word] for word, _ in spoken[path].most_common(_MAX_WORDS_SHOWN)]
        commits = "a commit that speaks" if times[path] == 1 else f"{times[path]} commits that speak"
        return f"changed by {commits} of {', '.join(most)}"

    possible = (_K1 + 1) * sum(compute_idf(len(view.commits), holders[word]) for word in words)
    return SignalScores(scores=scores, why=why, possible=possible)


def score_path_words(view: CheckoutView, prompt: str, words: Words) -> SignalScores:
    """Files whose path has the words of the text, the rare ones above all."""
    return _score_texts({path: path for path in view.paths}, words, "its path says")


def score_defined_names(view: CheckoutView, prompt: str, words: Words) -> SignalScores:
    """Files that define names made of the words of the text."""
    return _score_texts(view.names, words, "defines names with")


def score_openings(view: CheckoutView, prompt: str, words: Words) -> SignalScores:
    """Files whose docstring, first comment or heading speaks of it."""
    return _score_texts(view.openings, words, "begins by speaking of")


def score_written_names(view: CheckoutView, prompt: str, words: Words) -> SignalScores:
    """Files that the text names as files are named; a path says it better than a name."""
    by_name: dict[str, list[str]] = {}
    written = find_file_names(prompt)
    wanted = {file.rpartition("/")[2] for file in written}
    for path in view.paths if wanted else ():
        if (name := path.rpartition("/")[2]) in wanted:
            by_name.setdefault(name, []).append(path)
    scores: dict[str, float] = {}
    for file in written:
        paths = by_name.get(file.rpartition("/")[2], [])
        for path in paths:
            is_whole = f"/{path}".endswith(f"/{file}") or f"/{file}".endswith(f"/{path}")
            if is_whole or "/" not in file:
                scores[path] = max(scores.get(path, 0.0), 1.0 if "/" in file else 1.0 / len(paths))
    return SignalScores(
        scores=scores, why=lambda path: "named in the prompt", possible=1.0 if scores else 0.0
    )


def score_changed_lately(view: CheckoutView, prompt: str, words: Words) -> SignalScores:
    """What was changed a short while ago is often changed again."""
    scores: dict[str, float] = {}
    for rank, commit in enumerate(view.commits):
        if 0 < len(commit.changes) <= MAX_FILES:
            vote = 0.5 ** (2 * rank / HALF_LIFE) / len(commit.changes) ** 0.5
            for path in commit.files:
                scores[path] = scores.get(path, 0.0) + vote
    return SignalScores(scores=scores, why=lambda path: "changed lately")


def score_neighbours(view: CheckoutView, seeds: Mapping[str, float]) -> SignalScores:
    """Files whose code leads into, or is led into by, the best so far."""
    scores: dict[str, float] = {}
    beside: dict[str, str] = {}
    best = sorted(seeds, key=lambda path: (-seeds[path], path))[:_MAX_SEEDS]
    for seed in best:
        links = view.links.get(seed, {})
        total = sum(links.values())
        for path, count in links.items():
            scores[path] = scores.get(path, 0.0) + seeds[seed] * count / total
            beside.setdefault(path, seed)
    return SignalScores(scores=scores, why=lambda path: f"its code goes with {beside[path]}")


def find_renames(commits: Sequence[Commit]) -> dict[str, str]:
    """Files that a commit moved, by the name they had, with the name they have now: gone here, new there, same name."""
    now: dict[str, str] = {}
    for commit in commits:
        gone = [change.path for change in commit.changes if change.status == "D"]
        new: dict[str, list[str]] = {}
        for change in commit.changes if gone else ():
            if change.status == "A":
                new.setdefault(change.path.rpartition("/")[2], []).append(change.path)
        for path in gone:
            if len(places := new.get(path.rpartition("/")[2], [])) == 1:
                now[path] = now.get(places[0], places[0])
        for change in commit.changes:
            if change.was:
                now[change.was] = now.get(change.path, change.path)
    return now


class _MatchingCommit:
    """A commit that speaks of what is asked: how many came after it, and how often it has which words."""

    __slots__ = ("commit", "rank", "stems")

    def __init__(self, rank: int, commit: Commit, stems: Mapping[str, int]) -> None:
        self.rank, self.commit, self.stems = rank, commit, stems


def _match_commits(
    commits: Sequence[Commit], words: Words
) -> Iterator[tuple[int, Commit, Mapping[str, int]]]:
    # Most messages have nothing of the text: only the others are cut into words.
    anything = _compile_any(words)
    for rank, commit in enumerate(commits):
        message = f"{commit.subject}\n{commit.body}"
        if anything.search(message.lower()):
            stems = {stem: times for stem, times in count_stems(message).items() if stem in words}
            if stems:
                yield rank, commit, stems


def _score_texts(texts: Mapping[str, str], words: Words, says: str) -> SignalScores:
    """BM25 over one text a file."""
    anything = _compile_any(words)
    holders: dict[str, dict[str, float]] = {}
    for path, text in texts.items():
        if anything.search(text.lower()):
            for stem, times in count_stems(text).items():
                if stem in words:
                    holders.setdefault(stem, {})[path] = times
    parts = score_word_holders(holders, {path: float(len(text)) for path, text in texts.items()})

    def why(path: str) -> str:
        most = sorted(parts[path], key=lambda word: -parts[path][word])[:_MAX_WORDS_SHOWN]
        return f"{says} {', '.join(words[word] for word in most)}"

    scores = {path: sum(added.values()) for path, added in parts.items()}
    possible = (K1 + 1) * sum(compute_idf(len(texts), len(holders.get(word, ()))) for word in words)
    return SignalScores(scores=scores, why=why, possible=possible)


def _compile_any(words: Words) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words)) or "$.")


# The neighbours in the code are those of the best by all of these.
DAY_ONE_SIGNALS: Mapping[DayOneSignal, float] = {
    score_written_names: 1.0,
    score_commit_messages: 1.0,
    score_path_words: 0.7,
    score_defined_names: 0.3,
    score_openings: 0.3,
    score_changed_lately: 0.1,
}
NEIGHBOURS = 0.1


def look_at_checkout(
    db: Db, root: str, prompt: str, *, branch: str = "", excluded: Sequence[str] = ()
) -> WeightedScores:
    """What the commits, the names and the code of the checkout at ROOT say about the files for a text."""
    return score_checkout(read_checkout(db, root, excluded), prompt, branch=branch)


def score_checkout(view: CheckoutView, prompt: str, *, branch: str = "") -> WeightedScores:
    """All signals that need no session, of files that are there now. A text without a word of its own gets nothing."""
    text = prompt[:_MAX_PROMPT]
    words = prompt_stems(text, branch)
    paths = frozenset(view.paths)
    signals = [
        (_keep_present(signal(view, text, words), paths), weight)
        for signal, weight in DAY_ONE_SIGNALS.items()
    ]
    neighbours = score_neighbours(view, add_up(signals))
    return [*signals, (neighbours, NEIGHBOURS)]


def _keep_present(hints: SignalScores, paths: Collection[str]) -> SignalScores:
    return replace(hints, scores={path: score for path, score in hints.scores.items() if path in paths})
