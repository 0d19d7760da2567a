"""Many memories that wait, decided at once: which belong together, a look at all of them, one act for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.api import Recollect
from recollect.model.memory import Memory, MemoryState
from recollect.model.review import Waiting, badge_of
from recollect.surfaces.cli import keys, output

# A key, what makes a memory one of the group, and how the group is called.
_GROUPS: tuple[tuple[str, Callable[[Memory], object], Callable[[Memory], str]], ...] = (
    ("k", lambda memory: memory.kind, lambda memory: f"of the kind {memory.kind}"),
    ("t", lambda memory: memory.tags[:1], lambda memory: f"with the tag {', '.join(memory.tags[:1])}"),
    ("b", badge_of, lambda memory: f"with the badge {badge_of(memory)}"),
    (
        "s",
        lambda memory: memory.provenance.session_id,
        lambda memory: f"of session {memory.provenance.session_id}",
    ),
    ("a", lambda memory: True, lambda memory: "in all"),
)
_NO_GROUP = (None, ())


def decide_group(memory: Recollect, left: Sequence[Waiting]) -> tuple[str, *tuple[Waiting, ...]] | None:
    """Ask which of those left are meant, show them, and do what the person says: the word for it, and of which."""
    groups = _groups_of(left)
    if not groups:
        output.note("It stands alone: none of those left is like it.")
        return None
    choices = "  ".join(f"[{key}] {len(ones)} {name}" for key, (name, ones) in groups.items())
    key = keys.pressed(f"{choices}  [n]one ", "".join(groups) + "n")
    if key == "n":
        return None
    _, ones = groups[key]
    preview([one.memory for one in ones])
    act = keys.pressed(f"[c]onfirm or [r]eject these {len(ones)}?  [n]either ", "crn")
    if act == "n":
        return None
    if act == "r":
        output.changed(memory.reviews.reject(*(one.memory.id for one in ones)), "Rejected")
        return "rejected", *ones
    wanted = [one for one in ones if not waits_apart(one.memory)]
    if len(wanted) < len(ones):
        output.note(apart(len(ones) - len(wanted)))
    if not wanted:
        return None
    output.changed(memory.reviews.confirm(*(one.memory.id for one in wanted)), "Confirmed")
    return "confirmed", *wanted


def preview(found: Sequence[Memory]) -> None:
    """Each in a line."""
    for memory in found:
        state = f" [{memory.state}]" if memory.state is not MemoryState.ACTIVE else ""
        output.line(
            f"  {output.short(memory)}  [{memory.kind}] [{badge_of(memory)}]{state} {output.told_short(memory)}"
        )


def waits_apart(memory: Memory) -> bool:
    """Whether a yes to many is none to this one: what was only read, or flagged, is looked at for itself."""
    return memory.state is not MemoryState.ACTIVE


def apart(count: int) -> str:
    """Why some of a group were left as they are."""
    waits = "1 waits" if count == 1 else f"{count} wait"
    return f"{waits} apart, not in use before a yes: confirm one by one, or with --state."


def _groups_of(left: Sequence[Waiting]) -> dict[str, tuple[str, list[Waiting]]]:
    """What the first can be decided with: each group by its key, none twice."""
    first = left[0].memory
    groups: dict[str, tuple[str, list[Waiting]]] = {}
    for key, sort, name in _GROUPS:
        ones = [one for one in left if sort(one.memory) == sort(first)]
        if sort(first) not in _NO_GROUP and len(ones) > 1:
            groups[key] = (name(first), ones)
    return groups
