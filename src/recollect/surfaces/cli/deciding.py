"""A person goes through what waits, one memory a key or many at once; every step can be taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from recollect.api import Recollect
from recollect.model.memory import Memory
from recollect.model.review import Correction, Waiting, badge_of
from recollect.model.value import dataclass, field
from recollect.surfaces.cli import grouping, keys, output

_QUESTION = "[c]onfirm  [e]dit  [r]eject  [g]roup  [l]ater  [u]ndo  [q]uit "
_KEYS = "cergluq"
_LATER = "left for later"
# A habit may be about every module there is.
_MOST_SUBJECTS = 5


@dataclass(slots=True, kw_only=True)
class _Progress:
    """What was decided so far, step by step: a word, and the memories it was said of."""

    waiting: Sequence[Waiting]
    steps: list[tuple[str, tuple[Waiting, ...]]] = field(default_factory=list)

    @property
    def left(self) -> list[Waiting]:
        done = {one.memory.id for _, ones in self.steps for one in ones}
        return [one for one in self.waiting if one.memory.id not in done]

    def add(self, word: str, *ones: Waiting) -> None:
        self.steps.append((word, ones))

    @property
    def counts(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for word, ones in self.steps:
            counts[word] += len(ones)
        counts[_LATER] += len(self.left)
        return counts


def decide(memory: Recollect, waiting: Sequence[Waiting]) -> None:
    """Show each memory and do what the key says, until all are seen or the person has had enough."""
    if not waiting:
        output.line("Nothing waits for you.")
        return
    progress = _Progress(waiting=waiting)
    while left := progress.left:
        output.line(f"\n{len(waiting) - len(left) + 1} of {len(waiting)}")
        card(left[0])
        key = keys.pressed(_QUESTION, _KEYS)
        if key == "q":
            break
        if key == "u":
            _take_back(memory, progress)
        elif key == "g":
            if decided := grouping.decide_group(memory, left):
                progress.add(*decided)
        else:
            progress.add(_done(memory, left[0].memory, key), left[0])
    _sum_up(progress)


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


def _take_back(memory: Recollect, progress: _Progress) -> None:
    """Go back to before the last step, be it one memory or many."""
    if not progress.steps:
        output.note("There is nothing to take back yet.")
        return
    word, ones = progress.steps.pop()
    if word != _LATER:
        undone = memory.undo(ones[0].memory.id)
        output.changed(undone.memories, f"Took back: {undone.action}")


def _sum_up(progress: _Progress) -> None:
    output.line("\n" + ", ".join(f"{count} {what}" for what, count in progress.counts.items() if count) + ".")
    if {word for word, _ in progress.steps} - {_LATER}:
        output.note("recollect undo takes the last one back")
