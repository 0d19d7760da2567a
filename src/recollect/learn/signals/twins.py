"""Twins: two files that get the same edits, such as a manifest and its copy, or two translations of one list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from recollect.model.path_kinds import is_handwritten
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.steps import is_change

# The same edit in many files is a rename or a sweep, and ties no two of them together.
MAX_FILES_ALIKE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinFiles:
    """Two files, in alphabetical order, and how many edits they got alike."""

    files: tuple[str, str]
    alike: int
    event_ids: tuple[str, ...]


def find_twins(steps: Sequence[Step]) -> list[TwinFiles]:
    """Every two files that got the very same edits in these steps: the same passage put in the place of the same."""
    by_edit: dict[tuple[str, str], dict[str, Step]] = {}
    for step in steps:
        if not is_change(step) or step.agent:
            continue
        for edit in step.edits:
            if edit.added and edit.removed != edit.added and is_handwritten(edit.file):
                by_edit.setdefault((edit.removed, edit.added), {}).setdefault(edit.file, step)
    pairs: dict[tuple[str, str], list[Step]] = {}
    alike: dict[tuple[str, str], int] = {}
    for places in by_edit.values():
        if not 2 <= len(places) <= MAX_FILES_ALIKE:
            continue
        for one, other in combinations(sorted(places), 2):
            alike[one, other] = alike.get((one, other), 0) + 1
            pairs.setdefault((one, other), []).extend((places[one], places[other]))
    return [
        TwinFiles(
            files=pair,
            alike=alike[pair],
            event_ids=tuple(dict.fromkeys(event_id for step in own for event_id in step.event_ids)),
        )
        for pair, own in pairs.items()
    ]
