"""
What a person said: about the things a task names, and what holds for every task.

A thing that is named is a match of its own: no search is asked and no bar stands before it. What was typed comes before
what was only confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from recollect.model.memory import Memory
from recollect.model.named_things import find_matches, find_named_things
from recollect.model.provenance import Source
from recollect.model.query import Filters, Hit, ScorePart
from recollect.model.subject import Subject
from recollect.model.trust import is_typed
from recollect.store.db import Db
from recollect.store.tables import memories

# So many of the newest words of a person are looked through.
MAX_WORDS_READ = 400
_MAX_TASK = 4_000
_OF_CODE = ("file", "symbol")
# What is about one of these waits until it is named.
_SPECIFIC = (*_OF_CODE, "module", "service", "app", "tool")
# What holds for the whole project, unless it is about a part of it.
STANDING_KINDS = ("preference", "decision", "requirement", "correction")


def offer_said_about(
    db: Db, task: str, project_id: str | None, *, kinds: Sequence[str], limit: int
) -> list[Hit]:
    """What a person said of the things that a task names; what they typed first, then what is named most, newest."""
    if not task:
        return []
    named = [
        (memory, things)
        for memory in _list_persons_words(db, kinds, project_id)
        if (things := _find_named(memory, task))
    ]
    named.sort(key=lambda pair: (not is_typed(pair[0]), -len(pair[1])))
    return [_to_hit(memory, f"names {', '.join(sorted(things)[:2])}") for memory, things in named[:limit]]


def offer_standing(db: Db, kinds: Sequence[str], project_id: str | None, task: str, limit: int) -> list[Hit]:
    """
    Preferences and rules that hold for every task, best first: the person's own, those that fit the task, the newest.

    What was counted and confirmed comes after all that somebody typed. A rule about a file waits until it is named.
    """
    words_of_person = _list_persons_words(db, (*kinds, *STANDING_KINDS), project_id)
    standing = [
        memory
        for memory in words_of_person
        if memory.kind in kinds or (is_typed(memory) and is_general(memory))
    ]
    counted = memories.list_memories(
        db, Filters(kinds=tuple(kinds), project_id=project_id, fresh=True), limit=limit
    )
    by_id = {memory.id: memory for memory in (*standing, *counted)}
    words = _content_words(task)
    ranked = sorted(
        by_id.values(),
        key=lambda memory: (
            not is_typed(memory),
            not memory.pinned,
            -_count_shared(memory.text, words),
            not memory.trust.verified,
        ),
    )
    return [Hit(memory=memory, score=memory.confidence) for memory in ranked[:limit]]


def is_general(memory: Memory) -> bool:
    """Whether a rule is about no file: what was heard in a prompt is about the files it names, not those at hand."""
    return not any(
        subject.type in _SPECIFIC and not _is_place_at_hand(subject, memory) for subject in memory.subjects
    )


def _is_place_at_hand(subject: Subject, memory: Memory) -> bool:
    """Whether a file was merely worked on when something was said that does not name it."""
    if subject.type not in _OF_CODE or memory.provenance.source is Source.USER_TAUGHT:
        return False
    return subject.name.rpartition("/")[2].rpartition("::")[2].lower() not in memory.text.lower()


def _list_persons_words(db: Db, kinds: Sequence[str], project_id: str | None) -> list[Memory]:
    filters = Filters(kinds=tuple(dict.fromkeys(kinds)), project_id=project_id, fresh=True, by_person=True)
    return memories.list_memories(db, filters, limit=MAX_WORDS_READ)


def _find_named(memory: Memory, task: str) -> set[str]:
    subjects = [str(subject) for subject in memory.subjects if not _is_place_at_hand(subject, memory)]
    return find_matches(find_named_things(memory.text), subjects, task[:_MAX_TASK])


def _to_hit(memory: Memory, why: str) -> Hit:
    return Hit(memory=memory, score=memory.confidence, tell=partial(_explain, why))


def _explain(why: str) -> tuple[ScorePart, ...]:
    return (ScorePart(why, 1.0, 1.0),)


def _content_words(text: str) -> frozenset[str]:
    return frozenset(word for word in _split(text) if len(word) > 3)


def _count_shared(text: str, words: frozenset[str]) -> int:
    return len(words.intersection(_split(text))) if words else 0


def _split(text: str) -> Iterable[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
