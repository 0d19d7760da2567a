"""What the scripted model says: turns of text and tool calls, the same for every wire form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. Free text as input is a call of a tool without a schema; only Codex has such tools."""

    tool: str
    input: Mapping[str, Any] | str
    namespace: str = ""


Turn = Sequence[Say | Call]
# Stands in a text for whatever memory the client was handed.
CITATION = "<citation>"
_CITATION = re.compile(r"\[↗ \w+ ([0-9A-Z]{10,})[^\[\]]*\]")
# What is said when the script is over, and what is said aside (a title, a guess at the topic).
AT_THE_END: Turn = (Say("Done."),)
ASIDE: Turn = (Say("A small job"),)


def as_json(script: Sequence[Turn]) -> list[list[dict[str, Any]]]:
    return [[asdict(part) for part in turn] for turn in script]


def from_json(written: Sequence[Sequence[Mapping[str, Any]]]) -> list[Turn]:
    return [[Say(**part) if "text" in part else Call(**part) for part in turn] for turn in written]


def citing(turn: Turn, body: Mapping[str, Any]) -> Turn:
    """The turn with the first citation that the client was handed, as a model does that relies on it."""
    found = _handed(body)
    cited = found[0] if found else ""
    return [Say(part.text.replace(CITATION, cited)) if isinstance(part, Say) else part for part in turn]


def cited_name(body: Mapping[str, Any]) -> str:
    """The name of the first memory that a request hands to the model; `none` where there is none."""
    found = _handed(body)
    return found[1] if found else "none"


def _handed(body: Mapping[str, Any]) -> re.Match[str] | None:
    return _CITATION.search("\n".join(strings_in(dict(body))))


def strings_in(value: Any) -> Iterator[str]:
    """Every text in what a client sent, but not the descriptions of its tools."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name != "tools":
                yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)
