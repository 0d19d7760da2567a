"""
At a tool's result: what is known about the file that was opened, or a way out of the error that came.

An interruption has to earn its place: few things, only what a person stands by or what was asked for twice, nothing
that the agent was told before.
"""

from __future__ import annotations

from recollect.inject.citation_format import NAME_LENGTH, line
from recollect.inject.fill import filled
from recollect.inject.injection import Line, shortened, speak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from recollect.inject.injection import Spoken

    Row = dict[str, Any]

FILE = "file"
FAILURE = "failure"
# The bar is the lowest confidence that hooks/lookup.py lets through.
BAR = 0.65
MOST_ABOUT_A_FILE = 4
MOST_WAYS_OUT = 2
TOKENS = 450
_NOTE = "noted in this session"


def about_file(
    found: Sequence[Row], notes: Sequence[Row], file: str, *, told: Collection[str], boundary: str
) -> Spoken | None:
    """What is known about a file and was not told yet, with what the session itself noted about it."""
    lines = [
        *(_line(row, file, f"about {file}") for row in _chosen(found, told, MOST_ABOUT_A_FILE)),
        *(_line(row | {"mark": _NOTE}, file, _NOTE) for row in notes if row["id"] not in told),
    ]
    return speak(f"about {file}", lines, moment=FILE, bar=BAR, tokens=TOKENS, boundary=boundary)


def way_out(
    known: Sequence[Row],
    errors: Collection[str],
    normal: Callable[[str], str],
    *,
    told: Collection[str],
    boundary: str,
) -> Spoken | None:
    """What mended this error before; two errors are one when their normal lines are."""
    same = [row for row in known if row["error"] and normal(row["error"]) in errors]
    lines = [_line(row, "", "the same error came before") for row in _chosen(same, told, MOST_WAYS_OUT)]
    return speak("this error is known", lines, moment=FAILURE, bar=BAR, tokens=TOKENS, boundary=boundary)


def _chosen(found: Sequence[Row], told: Collection[str], places: int) -> list[Row]:
    fresh = [row for row in found if row["id"] not in told]
    return filled(fresh, places, lambda row: row["source"] or None)


def _line(row: Row, about: str, why: str) -> Line:
    text = line(row["kind"], row["id"][:NAME_LENGTH], shortened(row["text"]), about, row["mark"])
    return Line(id=row["id"], text=text, score=row.get("confidence", 1.0), why=why)
