"""The interactive part of `review`: one memory a key, or a group at once; every step can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import click

from recollect.api import Recollect
from recollect.model.memory import Memory, MemoryState
from recollect.model.review import CorrectionReason, WaitingMemory, find_badge
from recollect.model.value import dataclass, field
from recollect.surfaces.cli import keys, output
from recollect.surfaces.cli.editor import edit_text, is_editor_set

# A key, what makes a memory one of the group, and how the group is called.
_GROUPS: tuple[tuple[str, Callable[[Memory], object], Callable[[Memory], str]], ...] = (
    ("k", lambda memory: memory.kind, lambda memory: f"of the kind {memory.kind}"),
    ("t", lambda memory: memory.tags[:1], lambda memory: f"with the tag {', '.join(memory.tags[:1])}"),
    ("b", find_badge, lambda memory: f"with the badge {find_badge(memory)}"),
    (
        "s",
        lambda memory: memory.provenance.session_id,
        lambda memory: f"of session {memory.provenance.session_id}",
    ),
    ("a", lambda memory: True, lambda memory: "in all"),
)
_NO_GROUP = (None, ())


def decide_group(
    memory: Recollect, left: Sequence[WaitingMemory]
) -> tuple[str, *tuple[WaitingMemory, ...]] | None:
    """Ask which of those left are meant, show them, and do what the person says: the word for it, and of which."""
    groups = _find_groups(left)
    if not groups:
        output.print_note("It stands alone: none of those left is like it.")
        return None
    choices = "  ".join(f"[{key}] {len(ones)} {name}" for key, (name, ones) in groups.items())
    key = keys.read_key(f"{choices}  [n]one ", "".join(groups) + "n")
    if key == "n":
        return None
    _, ones = groups[key]
    print_preview([one.memory for one in ones])
    act = keys.read_key(f"[c]onfirm or [r]eject these {len(ones)}?  [n]either ", "crn")
    if act == "n":
        return None
    if act == "r":
        output.print_changed(memory.reviews.reject(*(one.memory.id for one in ones)), "Rejected")
        return "rejected", *ones
    wanted = [one for one in ones if not needs_own_look(one.memory)]
    if len(wanted) < len(ones):
        output.print_note(explain_left_apart(len(ones) - len(wanted)))
    if not wanted:
        return None
    output.print_changed(memory.reviews.confirm(*(one.memory.id for one in wanted)), "Confirmed")
    return "confirmed", *wanted


def print_preview(memories: Sequence[Memory]) -> None:
    """Each in a line."""
    for memory in memories:
        state = f" [{memory.state}]" if memory.state is not MemoryState.ACTIVE else ""
        output.print_line(
            f"  {output.short_id(memory)}  [{memory.kind}] [{find_badge(memory)}]{state} {output.summary_line(memory)}"
        )


def needs_own_look(memory: Memory) -> bool:
    """Whether a yes to many is none to this one: what was only read, or flagged, is looked at for itself."""
    return memory.state is not MemoryState.ACTIVE


def explain_left_apart(count: int) -> str:
    """Why some of a group were left as they are."""
    waits = "1 waits" if count == 1 else f"{count} wait"
    return f"{waits} apart, not in use before a yes: confirm one by one, or with --state."


def _find_groups(left: Sequence[WaitingMemory]) -> dict[str, tuple[str, list[WaitingMemory]]]:
    """What the first can be decided with: each group by its key, none twice."""
    first = left[0].memory
    groups: dict[str, tuple[str, list[WaitingMemory]]] = {}
    for key, sort, name in _GROUPS:
        ones = [one for one in left if sort(one.memory) == sort(first)]
        if sort(first) not in _NO_GROUP and len(ones) > 1:
            groups[key] = (name(first), ones)
    return groups


_QUESTION = "[c]onfirm  [e]dit  [r]eject  [g]roup  [l]ater  [u]ndo  [q]uit "
_KEYS = "cergluq"
_LATER = "left for later"
# A habit may be about every module there is.
_MAX_SUBJECTS = 5


@dataclass(slots=True, kw_only=True)
class _Progress:
    """What was decided so far, step by step: a word, and the memories it was said of."""

    waiting: Sequence[WaitingMemory]
    steps: list[tuple[str, tuple[WaitingMemory, ...]]] = field(default_factory=list)

    @property
    def left(self) -> list[WaitingMemory]:
        done = {one.memory.id for _, ones in self.steps for one in ones}
        return [one for one in self.waiting if one.memory.id not in done]

    def add(self, word: str, *ones: WaitingMemory) -> None:
        self.steps.append((word, ones))

    @property
    def counts(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for word, ones in self.steps:
            counts[word] += len(ones)
        counts[_LATER] += len(self.left)
        return counts


def decide(memory: Recollect, waiting: Sequence[WaitingMemory]) -> None:
    """Show each memory and do what the key says, until all are seen or the person has had enough."""
    if not waiting:
        output.print_line("Nothing waits for you.")
        return
    progress = _Progress(waiting=waiting)
    while left := progress.left:
        output.print_line(f"\n{len(waiting) - len(left) + 1} of {len(waiting)}")
        print_card(left[0])
        key = keys.read_key(_QUESTION, _KEYS)
        if key == "q":
            break
        if key == "u":
            _undo_step(memory, progress)
        elif key == "g":
            if decided := decide_group(memory, left):
                progress.add(*decided)
        elif word := _carry_out(memory, left[0].memory, key):
            progress.add(word, left[0])
    _print_summary(progress)


def print_card(one: WaitingMemory) -> None:
    """A memory that waits, with where it comes from and the evidence for it."""
    memory = one.memory
    origin = memory.provenance
    places = (
        f"session {origin.session_id}" if origin.session_id else "",
        f"phase {origin.phase}" if origin.phase else "",
        f"commit {origin.commit_sha[:10]}" if origin.commit_sha else "",
        _about(memory),
    )
    output.print_line(
        f"{output.short_id(memory)}  [{memory.kind}] [{find_badge(memory)}] {memory.confidence:.2f}  {memory.text}"
    )
    output.print_line(f"    by the way {origin.channel}; {one.why}")
    if any(places):
        output.print_line(f"    {' · '.join(filter(None, places))}")
    for quote in one.quotes:
        output.print_line(f"    from {quote.what}: “{quote.text}”")


def _about(memory: Memory) -> str:
    more = len(memory.subjects) - _MAX_SUBJECTS
    subjects = ", ".join(map(str, memory.subjects[:_MAX_SUBJECTS]))
    return f"{subjects} and {more} more" if more > 0 else subjects


def _carry_out(memory: Recollect, item: Memory, key: str) -> str:
    """Do what a key stands for; what was done, in a word, or no word if nothing was."""
    if key == "l":
        return _LATER
    if key == "c":
        output.print_changed(memory.reviews.confirm(item.id), "Confirmed")
        return "confirmed"
    if key == "r":
        output.print_changed(memory.reviews.reject(item.id), "Rejected")
        return "rejected"
    text = _ask_for_text(item.text)
    if not text:
        output.print_note("Nothing was changed.")
        return ""
    output.print_changed(
        [memory.reviews.correct(item.id, CorrectionReason.INACCURATE, text=text)], "Corrected"
    )
    return "corrected"


def _ask_for_text(text: str) -> str:
    """The text as the person wants it: from their editor if they have named one, else typed; empty if unchanged."""
    keys.drop_typed_ahead()
    if is_editor_set():
        return edit_text(text)
    typed = click.prompt(
        "New text (Enter alone leaves it as it is)", default="", show_default=False, err=True
    ).strip()
    return typed if typed != text.strip() else ""


def _undo_step(memory: Recollect, progress: _Progress) -> None:
    """Go back to before the last step, be it one memory or many."""
    if not progress.steps:
        output.print_note("There is nothing to take back yet.")
        return
    word, ones = progress.steps.pop()
    if word != _LATER:
        undone = memory.undo(ones[0].memory.id)
        output.print_changed(undone.memories, f"Took back: {undone.action}")


def _print_summary(progress: _Progress) -> None:
    output.print_line(
        "\n" + ", ".join(f"{count} {what}" for what, count in progress.counts.items() if count) + "."
    )
    if {word for word, _ in progress.steps} - {_LATER}:
        output.print_note("recollect undo takes the last one back")
