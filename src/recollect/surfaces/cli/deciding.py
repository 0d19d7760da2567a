"""A person goes through what waits, one memory a key; every step can be taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from recollect.engine import Recollect
from recollect.model.memory import Memory
from recollect.model.review import Correction, Waiting, badge_of
from recollect.surfaces.cli import keys, output

_QUESTION = "[c]onfirm  [e]dit  [r]eject  [l]ater  [u]ndo  [q]uit "
_KEYS = "cerluq"
_LATER = "left for later"
# A habit may be about every module there is.
_MOST_SUBJECTS = 5


def decide(memory: Recollect, waiting: Sequence[Waiting]) -> None:
    """Show each memory and do what the key says, until all are seen or the person has had enough."""
    if not waiting:
        output.line("Nothing waits for you.")
        return
    done: list[str] = []
    while len(done) < len(waiting):
        one = waiting[len(done)]
        output.line(f"\n{len(done) + 1} of {len(waiting)}")
        card(one)
        key = keys.pressed(_QUESTION, _KEYS)
        if key == "q":
            break
        if key == "u":
            _take_back(memory, waiting, done)
        else:
            done.append(_done(memory, one.memory, key))
    _sum_up(done, len(waiting))


def card(one: Waiting) -> None:
    """A memory that waits, with where it comes from and the evidence for it."""
    memory = one.memory
    origin = memory.provenance
    places = (
        f"session {origin.session_id}" if origin.session_id else "",
        f"phase {origin.phase}" if origin.phase else "",
        f"commit {origin.commit_sha[:10]}" if origin.commit_sha else "",
        _about(memory),
    )
    output.line(
        f"{output.short(memory)}  [{memory.kind}] [{badge_of(memory)}] {memory.confidence:.2f}  {memory.text}"
    )
    output.line(f"    by the way {origin.channel}; {one.why}")
    if any(places):
        output.line(f"    {' · '.join(filter(None, places))}")
    for quote in one.quotes:
        output.line(f"    from {quote.what}: “{quote.text}”")


def _about(memory: Memory) -> str:
    more = len(memory.subjects) - _MOST_SUBJECTS
    named = ", ".join(map(str, memory.subjects[:_MOST_SUBJECTS]))
    return f"{named} and {more} more" if more > 0 else named


def _done(memory: Recollect, item: Memory, key: str) -> str:
    """Do what a key stands for; what was done, in a word."""
    if key == "l":
        return _LATER
    if key == "c":
        output.changed(memory.reviews.confirm(item.id), "Confirmed")
        return "confirmed"
    if key == "r":
        output.changed(memory.reviews.reject(item.id), "Rejected")
        return "rejected"
    keys.forget_typed()
    text = click.prompt("New text", default=item.text, err=True)
    output.changed([memory.reviews.correct(item.id, Correction.INACCURATE, text=text)], "Corrected")
    return "corrected"


def _take_back(memory: Recollect, waiting: Sequence[Waiting], done: list[str]) -> None:
    """Go back to the one before, as it was."""
    if not done:
        output.note("There is nothing to take back yet.")
    elif done.pop() != _LATER:
        undone = memory.undo(waiting[len(done)].memory.id)
        output.changed(undone.memories, f"Took back: {undone.action}")


def _sum_up(done: Sequence[str], total: int) -> None:
    counts = Counter(done)
    counts[_LATER] += total - len(done)
    output.line("\n" + ", ".join(f"{count} {what}" for what, count in counts.items() if count) + ".")
    if set(done) - {_LATER}:
        output.note("recollect undo takes the last one back")
