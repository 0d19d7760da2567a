"""Task patterns: what commands of one sort share, with … for what differs, and whether a command is of that sort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from recollect.model.words import query_words
from recollect.retrieve.stopwords import STOPWORDS

# So much of what the words of one command say must be in the other.
ALIKE = 0.6
GAP = "…"
# A word of a pattern stands in at least so many of the commands: one may say it otherwise.
MOST = 2 / 3
_MAX_WORDS = 16
MIN_NAME_WORDS = 2
# What is done with any work, and says nothing of it.
_CHORES = frozenset(
    "merge merging merged rebase conflict conflicts commit commits push pull branch main master origin pr request"
    " review reviews comment comments fix fixes fixed issue issues bug bugs error errors failing failed continue help"
    " try run tests test update change changes implement work task file files code".split()
)


def content_words(command: str) -> list[str]:
    """The words of a command that say something, in order."""
    return [word for word in query_words(command) if word not in STOPWORDS and " " not in word]


def are_alike(known: str, command: str) -> bool:
    """Whether a command asks for the same sort of thing as one that is known, perhaps for another object."""
    words, others = content_words(known), set(content_words(command))
    return bool(words) and sum(word in others for word in words) / len(words) >= ALIKE


def shared_pattern(commands: Sequence[str]) -> str:
    """The words that most commands have, in the order of the newest, which stands last; empty if nothing is shared."""
    if not commands:
        return ""
    counts = Counter(word for command in commands for word in {_bare(word) for word in command.split()})
    fewest = len(commands) * MOST
    parts: list[str] = []
    for word in commands[-1].split()[:_MAX_WORDS]:
        if counts[_bare(word)] >= fewest:
            parts.append(word)
        elif not parts or parts[-1] != GAP:
            parts.append(GAP)
    pattern = " ".join(parts)
    return pattern if content_words(pattern.replace(GAP, " ")) else ""


def names_a_task(pattern: str) -> bool:
    """Whether a person would call a class of tasks so: it says what is done to what, beyond chores of any work."""
    words = [word for word in content_words(pattern.replace(GAP, " ")) if word not in _CHORES]
    return len(words) >= MIN_NAME_WORDS


def _bare(word: str) -> str:
    return word.strip(".,:;!?\"'“”`()").lower()
