"""The injection: the text an agent gets, its lines for the ledger, and the cutting of long texts."""

from __future__ import annotations

from recollect.inject.citation_format import frame_block
from recollect.model.tokens import CHARACTERS_PER_TOKEN, estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# Clients take 9,000 characters whole; above that, one was seen to put a file's name in the place of the text.
MAX_CHARACTERS = 9_000
# One memory may fill so much; the agent can ask for the rest by its name.
MAX_OF_ONE_MEMORY = 700
# A file that is named goes by its path in the ledger, after this.
FILE_PREFIX = "file:"
_ASK = "cite the chip of what you use"
# The border says how many lines it holds, and a line parts it from what stands before.
_DIGITS = 4


class InjectedLine:
    """One line of an injection: the id it stands for, its text, its score, the reason, and its slot in the layout."""

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


class InjectionText:
    """A text for an agent, and what of it belongs into the ledger."""

    __slots__ = ("aside", "lines", "min_probability", "moment", "text")

    def __init__(
        self,
        *,
        moment: str,
        min_probability: float,
        text: str,
        lines: Sequence[InjectedLine],
        aside: str = "",
    ) -> None:
        # For the person alone.
        self.aside = aside
        self.moment = moment
        self.min_probability = min_probability
        self.text = text
        self.lines = lines

    def message(self) -> str:
        """The one line a person sees."""
        files = sum(line.id.startswith(FILE_PREFIX) for line in self.lines)
        counted = (
            _write_count(len(self.lines) - files, "memory", "memories"),
            _write_count(files, "file", "files"),
        )
        tokens = f"{estimate_tokens(self.text)} tokens — recollect why" if self.lines else ""
        summary = ", ".join(filter(None, (*counted, tokens)))
        sentence = "; ".join(filter(None, (summary, self.aside)))
        return f"recollect: {sentence}" if sentence else ""

    def ledger(self) -> list[tuple[str, int, float, str]]:
        """A row for each line: id, tokens, score, why."""
        return [(line.id, line.tokens, line.score, line.why) for line in self.lines]


def write_injection(
    heading: str,
    lines: Iterable[InjectedLine],
    *,
    moment: str,
    min_probability: float,
    tokens: int,
    boundary: str,
    lead: Sequence[str] = (),
    aside: str = "",
) -> InjectionText | None:
    """Write as many lines as the budget allows, in their order; None when there is nothing to write."""
    room = min(tokens * CHARACTERS_PER_TOKEN, MAX_CHARACTERS - 1)
    before = "\n".join(_fit_lead(lead, room))
    heading = f"{heading}; {_ASK}"
    room -= len(before) + len(frame_block(heading, [], boundary)) + _DIGITS
    fitting: list[InjectedLine] = []
    for line in lines:
        if len(line.text) + 1 <= room:
            room -= len(line.text) + 1
            fitting.append(line)
    if not fitting and not before and not aside:
        return None
    block = frame_block(heading, [line.text for line in fitting], boundary) if fitting else ""
    text = "\n".join(filter(None, (before, block)))
    return InjectionText(
        moment=moment, min_probability=min_probability, text=text, lines=fitting, aside=aside
    )


def join_injections(first: InjectionText | None, second: InjectionText | None) -> InjectionText | None:
    """Two texts of one moment as one; each is in the ledger by itself."""
    if first is None or second is None:
        return first or second
    return InjectionText(
        moment=first.moment,
        min_probability=first.min_probability,
        text="\n".join(filter(None, (first.text, second.text))),
        lines=[*first.lines, *second.lines],
        aside=first.aside,
    )


def _write_count(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}" if count else ""


def shorten(text: str) -> str:
    """A memory's text at the length one may have."""
    return cut_text(text, MAX_OF_ONE_MEMORY)


def _fit_lead(lead: Sequence[str], room: int) -> list[str]:
    """As many of these lines as fit, whole."""
    fitting: list[str] = []
    for line in lead:
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        fitting.append(line)
    return fitting


_ENDS = (". ", "! ", "? ", ".\n", "\n", "。", "！", "？")
_MORE = " …"


def cut_text(text: str, most: int) -> str:
    """The text, or as many of its sentences as fit; what is missing is shown by a sign."""
    text = text.strip()
    if len(text) <= most:
        return text
    room = text[: max(0, most - len(_MORE))]
    at = max(room.rfind(end) + 1 for end in _ENDS)
    if at < len(room) // 2:
        at = _find_word_end(text, len(room))
    return (room[:at].rstrip() + _MORE).lstrip()


def _find_word_end(text: str, most: int) -> int:
    return next((at for at in range(most, 0, -1) if text[at].isspace() or text[at - 1] in "、，"), 0)
