"""A habit detector is a row: what is counted, how a file votes, and the share from which on it is a habit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from recollect.codegraph.habits.source import HabitProject, SourceFile
from recollect.model.survey import Habit
from recollect.model.value import dataclass

# A habit holds nearly everywhere; two thirds are a leaning, and a leaning is not said.
USUAL_SHARE = 0.8
USUAL_MIN_VOTES = 5
# A part that has this much to count and does mostly otherwise is named.
_MAX_EXCEPTION_SHARE = 0.5

Votes = Callable[[SourceFile, HabitProject], Iterable[str]]
# The votes of each part.
Tally = Mapping[str, Counter[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """
    One thing to count. `votes` gives a value for each unit in a file; an empty one is counted and never said.

    `says` is the end of the sentence "148 of 150 Python test files …", with `{value}` in it.
    """

    topic: str
    units: str
    says: str
    votes: Votes
    share: float = USUAL_SHARE
    fewest: int = USUAL_MIN_VOTES


def state_habit(detector: Detector, language: str, by_part: Tally) -> Habit | None:
    """The habit these votes show; None where no value has enough of them."""
    cast: Counter[str] = sum(by_part.values(), Counter())
    total = cast.total()
    value, count = min(cast.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    if not value or count < detector.fewest or count < detector.share * total:
        return None
    otherwise = {
        part: (votes[value], votes.total())
        for part, votes in sorted(by_part.items())
        if votes.total() >= detector.fewest and votes[value] < _MAX_EXCEPTION_SHARE * votes.total()
    }
    units = f"{language} {detector.units}".strip()
    return Habit(
        topic=f"{detector.topic}, {language}" if language else detector.topic,
        value=value,
        counted=count,
        of=total,
        text=f"{count:,} of {total:,} {units} {detector.says.format(value=value)}." + _except(otherwise),
        parts=tuple(
            part for part, votes in sorted(by_part.items()) if part and part not in otherwise and votes[value]
        ),
    )


def _except(otherwise: Mapping[str, tuple[int, int]]) -> str:
    if not otherwise:
        return ""
    named = ", ".join(f"`{part}` ({count} of {total})" for part, (count, total) in otherwise.items())
    return f" Not so in {named}."
