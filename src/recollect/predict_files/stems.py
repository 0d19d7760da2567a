"""Words as foresight compares them: without endings, and without those that say nothing."""

from __future__ import annotations

from collections import Counter

from recollect.events.keywords import words_in
from recollect.retrieve.stopwords import EMPTY

_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s")
_SHORTEST = 4
_MOST_ASKED = 100
# What people say to an agent whatever they want of it.
_TO_AGENTS = frozenset(
    "can could please let lets want need make sure like add get set see use using used now still".split()
)
# Branches that hold everybody's work tell nothing about this session's.
_TRUNKS = frozenset({"", "main", "master", "develop", "trunk", "HEAD"})


def stem(word: str) -> str:
    """A word without its ending: `sessions`, `session` are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return word


def stems(text: str) -> dict[str, int]:
    """What a text is about, each stem with how often it comes."""
    found: Counter[str] = Counter()
    for word, times in words_in(text).items():
        if word not in EMPTY and word not in _TO_AGENTS:
            found[stem(word)] += times
    return found


def asked_words(prompt: str, branch: str) -> dict[str, str]:
    """What a prompt and the branch it is said on ask for: stems, each with a word that has it."""
    words = words_in(f"{prompt} {branch_words(branch)}")
    said = {stem(word): word for word in words if word not in EMPTY and word not in _TO_AGENTS}
    return dict(list(said.items())[:_MOST_ASKED])


def branch_words(branch: str) -> str:
    """What the name of a branch says: `kim/retry-limits` is about retry-limits. A trunk says nothing."""
    if is_trunk(branch):
        return ""
    return branch.partition("/")[2] or branch


def is_trunk(branch: str) -> bool:
    """Whether a branch holds everybody's work."""
    return branch in _TRUNKS
