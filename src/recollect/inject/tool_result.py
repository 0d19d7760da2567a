"""
At a tool's result: what is known about the file that was opened, or a way out of the error that came.

An interruption has to earn its place: few things, only what a person stands by or what two sessions bore out, nothing
that the agent was told before. At the very error again, what mended it once is enough, marked so.
"""

from __future__ import annotations

from recollect.inject.citation_format import NAME_LENGTH, write_line
from recollect.inject.injection import InjectedLine, shorten, write_injection
from recollect.inject.source_quota import fill_places
from recollect.model.policy import MIN_TOOL_RESULT_CONFIDENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from recollect.inject.injection import InjectionText

    Row = dict[str, Any]

FILE = "file"
FAILURE = "failure"
COMMAND = "command"
MAX_ABOUT_A_FILE = 4
MAX_KNOWN_FIXES = 2
MAX_SAID = 2
TOKENS = 450
_NOTE = "noted in this session"


def write_file_notes(
    rows: Sequence[Row], notes: Sequence[Row], file: str, *, told_ids: Collection[str], boundary: str
) -> InjectionText | None:
    """What is known about a file and was not told yet, with what the session itself noted about it."""
    lines = [
        *(_write_row(row, file, f"about {file}") for row in _choose(rows, told_ids, MAX_ABOUT_A_FILE)),
        *(_write_row(row | {"mark": _NOTE}, file, _NOTE) for row in notes if row["id"] not in told_ids),
    ]
    return write_injection(
        f"about {file}",
        lines,
        moment=FILE,
        min_probability=MIN_TOOL_RESULT_CONFIDENCE,
        tokens=TOKENS,
        boundary=boundary,
    )


def write_known_fixes(
    rows: Sequence[Row], *, told_ids: Collection[str], boundary: str
) -> InjectionText | None:
    """What mended this very error before."""
    lines = [
        _write_row(row, "", "the same error came before") for row in _choose(rows, told_ids, MAX_KNOWN_FIXES)
    ]
    return write_injection(
        "this error is known",
        lines,
        moment=FAILURE,
        min_probability=MIN_TOOL_RESULT_CONFIDENCE,
        tokens=TOKENS,
        boundary=boundary,
    )


def write_said(rows: Sequence[Row], *, told_ids: Collection[str], boundary: str) -> InjectionText | None:
    """What a person said of a command that was run."""
    lines = [_write_row(row, "", "names the command") for row in _choose(rows, told_ids, MAX_SAID)]
    return write_injection(
        "a person said about this command",
        lines,
        moment=COMMAND,
        min_probability=0.0,
        tokens=TOKENS,
        boundary=boundary,
    )


def _choose(rows: Sequence[Row], told_ids: Collection[str], places: int) -> list[Row]:
    fresh = [row for row in rows if row["id"] not in told_ids]
    return fill_places(fresh, places, lambda row: row["source"] or None)


def _write_row(row: Row, about: str, why: str) -> InjectedLine:
    text = write_line(row["kind"], row["id"][:NAME_LENGTH], shorten(row["text"]), about, row["mark"])
    return InjectedLine(id=row["id"], text=text, score=row.get("confidence", 1.0), why=why)
