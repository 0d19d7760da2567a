"""Small pieces of the sentences in which a state is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.model.action import Deed, DeedKind

MOST_LISTED = 6
MOST_DECISIONS = 5


def texts(state: Mapping[str, object], name: str) -> list[str]:
    """A list of texts in a state that may have been written by another version."""
    found = state.get(name)
    return [str(one) for one in found] if isinstance(found, list | tuple) else []


def text(state: Mapping[str, object], name: str) -> str:
    """A text in a state."""
    found = state.get(name)
    return "" if found is None else str(found)


def said(words: str, names: Iterable[str]) -> str:
    """`Done: a, b and 3 more.`; nothing for no names."""
    found = list(dict.fromkeys(name for name in names if name))
    if not found:
        return ""
    more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
    return f"{words}: {', '.join(found[:MOST_LISTED])}{more}."


def joined(*parts: str) -> str:
    """The sentences that say something."""
    return " ".join(part for part in parts if part)


def decisions(deeds: Iterable[Deed]) -> list[str]:
    """What was settled by a commit, in its own words; the newest of them."""
    subjects = [deed.text for deed in deeds if deed.kind is DeedKind.COMMITTED and deed.text]
    return subjects[-MOST_DECISIONS:]
