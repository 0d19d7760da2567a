"""What is said to an agent in the end: the text, and a line for the ledger about each thing in it."""

from __future__ import annotations

from recollect.inject.citation_format import framed
from recollect.inject.cut import cut
from recollect.model.tokens import CHARACTERS_PER_TOKEN, estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Clients take 9,000 characters whole; above that, one was seen to put a file's name in the place of the text.
MOST_CHARACTERS = 9_000
# One memory may fill so much; the agent can ask for the rest by its name.
MOST_OF_ONE = 700
# A file that is named goes by its path in the ledger, after this.
FILE = "file:"
_ASK = "cite the chip of what you use"
# The border says how many lines it holds, and a line parts it from what stands before.
_DIGITS = 4


class Line:
    """One thing to be said: its id, its line, how well it fits, why it is said, and in which slot of a layout."""

    __slots__ = ("id", "score", "slot", "text", "why")

    # By hand: a hook after a tool's result has no time to load dataclasses.
    def __init__(self, *, id: str, text: str, score: float, why: str, slot: str = "") -> None:
        self.id = id
        self.slot = slot
        self.text = text
        self.score = score
        self.why = why

    @property
    def tokens(self) -> int:
        """What it costs."""
        return estimate_tokens(self.text)


class Spoken:
    """A text for an agent, and what of it belongs into the ledger."""

    __slots__ = ("aside", "bar", "lines", "moment", "text")

    def __init__(self, *, moment: str, bar: float, text: str, lines: Sequence[Line], aside: str = "") -> None:
        # For the person alone.
        self.aside = aside
        self.moment = moment
        self.bar = bar
        self.text = text
        self.lines = lines

    def message(self) -> str:
        """The one line a person sees."""
        files = sum(line.id.startswith(FILE) for line in self.lines)
        counted = (_counted(len(self.lines) - files, "memory", "memories"), _counted(files, "file", "files"))
        tokens = f"{estimate_tokens(self.text)} tokens — recollect why" if self.lines else ""
        told = ", ".join(filter(None, (*counted, tokens)))
        both = "; ".join(filter(None, (told, self.aside)))
        return f"recollect: {both}" if both else ""

    def ledger(self) -> list[tuple[str, int, float, str]]:
        """Each thing that was said: id, tokens, score, why."""
        return [(line.id, line.tokens, line.score, line.why) for line in self.lines]


def speak(
    heading: str,
    lines: Iterable[Line],
    *,
    moment: str,
    bar: float,
    tokens: int,
    boundary: str,
    lead: Sequence[str] = (),
    aside: str = "",
) -> Spoken | None:
    """Say as many lines as the budget allows, in their order; None when there is nothing to say to anybody."""
    room = min(tokens * CHARACTERS_PER_TOKEN, MOST_CHARACTERS - 1)
    before = "\n".join(_fitting(lead, room))
    heading = f"{heading}; {_ASK}"
    room -= len(before) + len(framed(heading, [], boundary)) + _DIGITS
    kept: list[Line] = []
    for line in lines:
        if len(line.text) + 1 <= room:
            room -= len(line.text) + 1
            kept.append(line)
    if not kept and not before and not aside:
        return None
    block = framed(heading, [line.text for line in kept], boundary) if kept else ""
    text = "\n".join(filter(None, (before, block)))
    return Spoken(moment=moment, bar=bar, text=text, lines=kept, aside=aside)


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}" if count else ""


def shortened(text: str) -> str:
    """A memory's text at the length one may have."""
    return cut(text, MOST_OF_ONE)


def _fitting(lead: Sequence[str], room: int) -> list[str]:
    """As many of these lines as fit, whole."""
    kept: list[str] = []
    for line in lead:
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        kept.append(line)
    return kept
