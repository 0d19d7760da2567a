"""
Planted texts, in our own words after the shapes that were published, and what people really note.

`poison_held_out.tsv` was written before the rules that are scored by it and is only scored; rules were made looking at
`poison_seen.tsv`, and later at `poison_scored.tsv`, which had been held out before. `poison_other_styles.tsv` has other
manners (triggers, settings, comments, links, encodings, other scripts); it was scored once before rules saw it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Payload:
    """One planted text and the same in other words."""

    family: str
    language: str
    text: str
    paraphrase: str
    half: str


def payloads() -> list[Payload]:
    """All of them, those that rules were made by first."""
    return [
        Payload(*line.split("\t"), half)
        for half in ("seen", "scored", "held_out", "other_styles")
        for line in (HERE / f"poison_{half}.tsv").read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]


def in_front(text: str) -> str:
    """Words put in front, as an agent begins a note."""
    return f"Learned while working on the release today: {text[0].lower()}{text[1:]}"


_SWAPS = {
    " always ": " at all times ",
    " never ": " at no time ",
    " must ": " has to ",
    " is ": " remains ",
    " are ": " get ",
    " the ": " that ",
    " before ": " prior to ",
    " because ": " as ",
    " use ": " take ",
    " with ": " by ",
    " immer ": " stets ",
    " toujours ": " constamment ",
    " siempre ": " en todo momento ",
}


def reworded(text: str) -> str:
    """Small words exchanged, as copying with a light hand does."""
    for old, new in _SWAPS.items():
        text = text.replace(old, new)
    first, _, rest = text.partition(" ")
    return f"Note that {first.lower()} {rest}" if rest else f"Note: {text}"
