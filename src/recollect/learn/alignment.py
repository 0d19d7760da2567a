"""
Multiple sequence alignment of what runs did: steps of one sort stand in one column, and what differs becomes a slot.

Pairwise by Needleman and Wunsch, folded over the runs: the profile so far is aligned with the next run. What makes two
steps alike, and what two become when they stand in one column, is the caller's to say: steps of runs are compared word
by word here, acts of sessions in `trail_alignment.py`. A column that most runs have is a step they have in common; of
its words those that all share stay, and each other place is a slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Generic, TypeVar

from recollect.model.value import dataclass

SLOT = "…"
# Of the runs, so many must have a step for it to be common to them.
MIN_SHARE = 2 / 3
# So much of two steps must be the same, once their tool is.
MIN_LIKENESS = 0.4
_GAP = -0.4
# A version is one word; marks stand alone.
_TOKEN = re.compile(r"v?\d[\w.]*|\w+|[^\w\s]|\s+")
_WORD = re.compile(r"\w")


class _Move(Enum):
    """Whose step stands in a column."""

    BOTH = "both"
    PROFILE = "profile"
    RUN = "run"


T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Generic[T]):
    """One place of an alignment: the step, with slots, and how many runs have it."""

    step: T
    runs: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRules(Generic[T]):
    """What makes two steps alike, 0 to 1 (0: they never stand in one column), and what two become together."""

    measure: Callable[[T, T], float]
    merge: Callable[[T, T], T]


def align_runs(runs: Sequence[Sequence[T]], rules: StepRules[T]) -> list[Column[T]]:
    """All columns of the alignment of the runs, in order."""
    if not runs:
        return []
    profile = [Column(step=step) for step in runs[0]]
    for run in runs[1:]:
        profile = _fold_in(profile, run, rules)
    return profile


def align_steps(runs: Sequence[Sequence[str]], *, min_share: float = MIN_SHARE) -> list[str]:
    """The steps that most runs have in the same order, what differs in them as slots."""
    rules = StepRules(measure=_measure_if_alike, merge=merge_steps)
    columns = align_runs([[tokenise(step) for step in run] for run in runs], rules)
    fewest = max(1, min_share * len(runs))
    return ["".join(one.step) for one in columns if one.runs >= fewest and _is_telling(one.step)]


def tokenise(step: str) -> tuple[str, ...]:
    """A step in words, marks and spaces, which together are the step again."""
    return tuple(_TOKEN.findall(" ".join(step.split())))


def measure_step_likeness(tokens: Sequence[str], others: Sequence[str]) -> float:
    """From 0 (other tools, or nothing shared) to 1 (the same): the share of words in a longest common subsequence."""
    if tokens[:1] != others[:1]:
        return 0.0
    pairs = _find_common(tokens, others)
    shared = sum(bool(_WORD.match(tokens[i])) for i, _ in pairs)
    most = max(_count_words(tokens), _count_words(others))
    return shared / most if most else 1.0


def merge_steps(tokens: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Two steps as one: what both have, and a slot for each stretch where they differ."""
    merged: list[str] = []
    at = at_other = 0
    for i, j in [*_find_common(tokens, others), (len(tokens), len(others))]:
        if (i > at or j > at_other) and merged[-1:] != [SLOT]:
            merged.append(SLOT)
        if i < len(tokens):
            merged.append(tokens[i])
        at, at_other = i + 1, j + 1
    return tuple(merged)


def _fold_in(profile: Sequence[Column[T]], run: Sequence[T], rules: StepRules[T]) -> list[Column[T]]:
    """The profile with one run more, by the best global alignment of the two."""
    moves = _find_moves(profile, run, rules)
    columns: list[Column[T]] = []
    i, j = len(profile), len(run)
    while i or j:
        move = moves[i][j]
        if move is _Move.BOTH:
            column = profile[i - 1]
            columns.append(Column(step=rules.merge(column.step, run[j - 1]), runs=column.runs + 1))
        else:
            columns.append(profile[i - 1] if move is _Move.PROFILE else Column(step=run[j - 1]))
        i -= move is not _Move.RUN
        j -= move is not _Move.PROFILE
    return columns[::-1]


def _find_moves(profile: Sequence[Column[T]], run: Sequence[T], rules: StepRules[T]) -> list[list[_Move]]:
    """For each pair of prefixes, whose step comes last in their best alignment: the profile's, the run's, or both's."""
    scores = [[_GAP * j for j in range(len(run) + 1)]]
    moves = [[_Move.RUN] * (len(run) + 1)]
    for i, column in enumerate(profile, start=1):
        row, row_moves = [_GAP * i], [_Move.PROFILE]
        for j, step in enumerate(run, start=1):
            # Worse than two gaps: such steps never stand in one column.
            match = rules.measure(column.step, step) or 3 * _GAP
            choices = (
                (scores[i - 1][j - 1] + match, _Move.BOTH),
                (scores[i - 1][j] + _GAP, _Move.PROFILE),
                (row[j - 1] + _GAP, _Move.RUN),
            )
            score, move = max(choices, key=lambda choice: choice[0])
            row.append(score)
            row_moves.append(move)
        scores.append(row)
        moves.append(row_moves)
    return moves


def _measure_if_alike(tokens: Sequence[str], others: Sequence[str]) -> float:
    likeness = measure_step_likeness(tokens, others)
    return likeness if likeness >= MIN_LIKENESS else 0.0


def _find_common(tokens: Sequence[str], others: Sequence[str]) -> list[tuple[int, int]]:
    """The places of a longest common subsequence, as pairs."""
    table = [[0] * (len(others) + 1) for _ in range(len(tokens) + 1)]
    for i in range(len(tokens) - 1, -1, -1):
        for j in range(len(others) - 1, -1, -1):
            is_same = tokens[i] == others[j] and tokens[i] != SLOT
            table[i][j] = table[i + 1][j + 1] + 1 if is_same else max(table[i + 1][j], table[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(tokens) and j < len(others):
        if tokens[i] == others[j] and tokens[i] != SLOT:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _count_words(tokens: Sequence[str]) -> int:
    return sum(bool(_WORD.match(token)) for token in tokens)


def _is_telling(tokens: Sequence[str]) -> bool:
    """A step of which only the tool is left says nothing."""
    return _count_words(tokens) > 1 or SLOT not in tokens
