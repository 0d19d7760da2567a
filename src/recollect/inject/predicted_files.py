"""Files to have at hand: foreseen from earlier sessions, named with a reason and never pasted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recollect.inject.calibrate import likely_files
from recollect.inject.citation_format import line
from recollect.inject.injection import FILE, Line
from recollect.inject.layout import Slot
from recollect.model.predicted_file import Foreseen
from recollect.model.tokens import estimate_tokens

_MOST_REASONS = 2


def lines_of(slot: Slot, foreseen: Sequence[Foreseen], told: Collection[str], question: str) -> list[Line]:
    """
    A line for each file that the session will open probably enough and was not told of.

    A file whose whole path stands in the question is foreseen like any other; naming it again tells nobody anything.
    """
    kept: list[Line] = []
    room = slot.tokens
    for one, probability in likely_files(foreseen):
        name = f"{FILE}{one.path}"
        if probability < slot.bar or name in told or one.path in question or len(kept) == slot.most:
            continue
        said = _line(slot, one, name, probability)
        room -= estimate_tokens(said.text)
        if room >= 0:
            kept.append(said)
    return kept


def _line(slot: Slot, one: Foreseen, name: str, probability: float) -> Line:
    reasons = "; ".join(one.reasons[:_MOST_REASONS])
    return Line(
        id=name,
        text=line("file", one.path, reasons),
        score=probability,
        slot=slot.name,
        why=f"{slot.name}: {reasons}",
    )
