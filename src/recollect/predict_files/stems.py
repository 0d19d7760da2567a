"""Stemming for file prediction: words without their endings, and without stop words."""

from __future__ import annotations

from collections import Counter

from recollect.events.keywords import count_words
from recollect.retrieve.stopwords import STOPWORDS

_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s")
_MIN_STEM = 4
_MAX_STEMS = 100
# What people say to an agent whatever they want of it.
_FILLER_WORDS = frozenset(
    "can could please let lets want need make sure like add get set see use using used now still".split()
)
# Branches that hold everybody's work tell nothing about this session's.
_TRUNK_NAMES = frozenset({"", "main", "master", "develop", "trunk", "HEAD"})


def strip_ending(word: str) -> str:
    """A word without its ending: `sessions`, `session` are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word[: -len(ending)]
    return word


def count_stems(text: str) -> dict[str, int]:
    """What a text is about, each stem with how often it comes."""
    counts: Counter[str] = Counter()
    for word, times in count_words(text).items():
        if word not in STOPWORDS and word not in _FILLER_WORDS:
            counts[strip_ending(word)] += times
    return counts


def prompt_stems(prompt: str, branch: str) -> dict[str, str]:
    """What a prompt and the branch it is said on ask for: stems, each with a word that has it."""
    words = count_words(f"{prompt} {branch_topic(branch)}")
    word_by_stem = {
        strip_ending(word): word for word in words if word not in STOPWORDS and word not in _FILLER_WORDS
    }
    return dict(list(word_by_stem.items())[:_MAX_STEMS])


def branch_topic(branch: str) -> str:
    """What the name of a branch says: `kim/retry-limits` is about retry-limits. A trunk says nothing."""
    if is_trunk(branch):
        return ""
    return branch.partition("/")[2] or branch


def is_trunk(branch: str) -> bool:
    """Whether a branch holds everybody's work."""
    return branch in _TRUNK_NAMES
