"""
Standing memories that are about other work: a preference for translations is no use to a release.

A preference or an outcome is about other work when it is clearly nearer to a command of earlier runs than to this one.
What is near to none of them is general, and is told whatever the task.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api import Recollect

# What a run is told whatever its command.
_STANDING = ("preference", "contact", "project", "work_state", "issue", "work_unit_outcome")
_MAX_STANDING = 100
# A text that is less near than this to every command is about none of them. Rather too high: a line too many costs
# less than a preference that is not followed.
_LEAST_NEAR = 0.3
# And one that is less than so much as near to this command as to another is about that one.
_LEAST_SHARE = 0.6


def find_other_work(memory: Recollect, command: str, earlier: Sequence[str]) -> set[str]:
    """The ids of standing memories that are about earlier commands and not about this one."""
    others = [text for text in dict.fromkeys(earlier) if text != command]
    standing = memory.list(memory.filters(kinds=_STANDING), limit=_MAX_STANDING) if others else ()
    if not standing:
        return set()
    _, vectors = memory.items.embed([command, *others, *(one.text for one in standing)])
    if not vectors:
        return set()
    here, elsewhere = vectors[0], vectors[1 : len(others) + 1]
    return {
        one.id
        for one, vector in zip(standing, vectors[len(others) + 1 :], strict=True)
        if _is_about_other(vector, here, elsewhere)
    }


def _is_about_other(
    vector: Sequence[float], here: Sequence[float], elsewhere: Sequence[Sequence[float]]
) -> bool:
    nearest = max(_cosine(vector, other) for other in elsewhere)
    return nearest >= _LEAST_NEAR and _cosine(vector, here) < _LEAST_SHARE * nearest


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    # Both are of unit length.
    return sum(a * b for a, b in zip(one, other, strict=True))
