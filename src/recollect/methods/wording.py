"""Text of methodologies: markdown that is read (headings, status, checkboxes), sentences that are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from recollect.model.phase import ActionKind, AgentAction
from recollect.model.value import dataclass

MAX_QUOTE = 100
_HEADING = re.compile(r"^(#{1,6})\s+(.{1,200}?)\s*#*$")
_BOX = re.compile(r"^(?P<indent>[ \t]{0,12})[-*+] \[(?P<mark>[ xX])\]\s+(?P<text>.{1,500})$")
_STATUS = re.compile(
    r"^(?:#{1,6}\s+|\*\*)?Status(?:\*\*)?\s*:?\s*(?:\*\*)?\s*(?P<status>[\w -]{0,40})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkbox:
    """A line with a box to tick. `depth` is 0 for the outermost."""

    text: str
    done: bool
    depth: int


def read_title(text: str) -> str:
    """The first heading."""
    return next((match[2] for line in text.splitlines() if (match := _HEADING.match(line))), "")


def read_section(text: str, name: str) -> list[str]:
    """The lines under the first heading that begins with this name, up to the next one of its rank."""
    lines: list[str] = []
    rank = 0
    for line in text.splitlines():
        match = _HEADING.match(line)
        if rank and match and len(match[1]) <= rank:
            break
        if rank:
            lines.append(line)
        elif match and match[2].lower().startswith(name.lower()):
            rank = len(match[1])
    return lines


def read_checkboxes(lines: list[str]) -> Iterator[Checkbox]:
    """The boxes among these lines."""
    for line in lines:
        if match := _BOX.match(line.rstrip()):
            depth = len(match["indent"].expandtabs(4)) // 2
            yield Checkbox(text=match["text"].strip(), done=match["mark"] != " ", depth=depth)


def read_status(text: str) -> str:
    """The status a file gives itself: `Status: In Progress`, or the line under a heading `Status`; `in_progress`."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if match := _STATUS.match(line.strip()):
            status_text = match["status"] or next(
                (after for after in lines[number + 1 :] if after.strip()), ""
            )
            return normalize_status(status_text)
    return ""


def normalize_status(words: str) -> str:
    """`Ready for Review`, `ready-for-review` and `ReadyForReview` are the same: `ready_for_review`."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words)
    return "_".join(re.findall(r"[a-z0-9]+", parted.lower()))


def quote_line(text: str) -> str:
    """One line of a file's words, cut, as a quotation: what stands in a repository is shown, not said."""
    line = " ".join(text.split()).replace("“", '"').replace("”", '"')
    return f"“{line if len(line) <= MAX_QUOTE else line[: MAX_QUOTE - 1].rstrip() + '…'}”"


MAX_LISTED = 6
MAX_DECISIONS = 5


def read_texts(state: Mapping[str, object], name: str) -> list[str]:
    """A list of texts in a state that may have been written by another version."""
    value = state.get(name)
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def read_text(state: Mapping[str, object], name: str) -> str:
    """A text in a state."""
    value = state.get(name)
    return "" if value is None else str(value)


def list_sentence(words: str, names: Iterable[str]) -> str:
    """A sentence such as `Done: a, b and 3 more.`; empty for no names."""
    listed_names = list(dict.fromkeys(name for name in names if name))
    if not listed_names:
        return ""
    more = f" and {len(listed_names) - MAX_LISTED} more" if len(listed_names) > MAX_LISTED else ""
    return f"{words}: {', '.join(listed_names[:MAX_LISTED])}{more}."


def join_sentences(*parts: str) -> str:
    """Join the sentences that are not empty."""
    return " ".join(part for part in parts if part)


def list_decisions(deeds: Iterable[AgentAction]) -> list[str]:
    """Subjects of the session's newest commits: what was decided, in their own words."""
    subjects = [deed.text for deed in deeds if deed.kind is ActionKind.COMMITTED and deed.text]
    return subjects[-MAX_DECISIONS:]
