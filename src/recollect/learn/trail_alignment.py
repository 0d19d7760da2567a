"""
Sessions laid side by side: the acts that most of them did in the same order, what differs as slots.

Two acts may stand in one column when they change the same file or files of one sort, read the same file, run the same
command, or are checks of one kind. A sort (`src/commands/*.py`) is a file with a slot; of commands the arguments that
differ are slots (`alembic revision -m …`). Sessions that turn out to do something else are left out, and what is left
is laid side by side again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from recollect.learn.alignment import MIN_SHARE, StepRules, align_runs, merge_steps, tokenise
from recollect.model.event import ToolAction
from recollect.model.signal import SequencePart, Trail
from recollect.model.value import dataclass, replace
from recollect.observe.steps import CHANGES

# Of the acts of a recipe, so much must a session have done in order to be one that followed it.
MIN_FOLLOWED = 0.75
# Two files of one sort are less alike than one file: where there is a choice, the very file stands in the column.
_SAME_SORT = 0.6
_MAX_ACTS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedWay:
    """What sessions did in the same order, and which of them."""

    parts: tuple[SequencePart, ...]
    trails: tuple[Trail, ...]

    @property
    def acts(self) -> tuple[str, ...]:
        """Its acts by their names."""
        return tuple(name_act(part) for part in self.parts)


def name_act(part: SequencePart) -> str:
    """What an act is called: by its file or sort of file, by its command without arguments, or by its kind."""
    if _is_on_file(part):
        return f"{part.action} {part.exact}"
    return str(part)


def list_act_names(part: SequencePart) -> frozenset[str]:
    """All that an act may be called: by its very file, and by its sort. A file is read for itself, not as a sort."""
    if part.action in CHANGES:
        return frozenset({name_act(part), f"{part.action} {part.where}"})
    return frozenset({name_act(part)})


def measure_act_likeness(part: SequencePart, other: SequencePart) -> float:
    """From 0 (they never stand in one column) to 1 (the same)."""
    if part.action != other.action:
        return 0.0
    if _is_on_file(part):
        if part.exact == other.exact:
            return 1.0
        return _SAME_SORT if part.action in CHANGES and part.where == other.where else 0.0
    return 1.0 if part.where == other.where else 0.0


def merge_acts(part: SequencePart, other: SequencePart) -> SequencePart:
    """Two acts as one: a sort for two files, and for two commands what both say, with slots."""
    if part.exact == other.exact:
        return other
    if part.action in CHANGES:
        return replace(other, exact=part.where)
    if part.action == "run":
        return replace(other, exact="".join(merge_steps(tokenise(part.exact), tokenise(other.exact))))
    return other


def find_shared_way(trails: Sequence[Trail], *, fewest: int) -> SharedWay | None:
    """What at least so many of the trails, and most of them, did in the same order; the newest stands last."""
    together = list(trails)
    while len(together) >= fewest:
        least = MIN_SHARE * len(together)
        columns = align_runs(
            _drop_own_acts(together, least), StepRules(measure=measure_act_likeness, merge=merge_acts)
        )
        # Some file of a folder is little: enough sessions must have changed one.
        parts = _drop_repeats(
            [one.step for one in columns if one.runs >= (max(fewest, least) if _is_sort(one.step) else least)]
        )[:_MAX_ACTS]
        acts = [name_act(part) for part in parts]
        followers = [
            trail
            for trail in together
            if acts and len(find_places(trail.parts, acts)) >= MIN_FOLLOWED * len(acts)
        ]
        if len(followers) == len(together):
            return SharedWay(parts=parts, trails=tuple(followers))
        together = followers
    return None


def _drop_repeats(parts: Sequence[SequencePart]) -> tuple[SequencePart, ...]:
    """Each command once, where it was run last: one that lints and formats is two acts and one step."""
    last = {part.exact: place for place, part in enumerate(parts)}
    return tuple(part for place, part in enumerate(parts) if _is_on_file(part) or last[part.exact] == place)


def _is_sort(part: SequencePart) -> bool:
    return part.action in CHANGES and part.exact == part.where


def _is_on_file(part: SequencePart) -> bool:
    return part.action in CHANGES or part.action == ToolAction.READ


def _drop_own_acts(trails: Sequence[Trail], least: float) -> list[list[SequencePart]]:
    """The acts of each that enough of the others have by some name: what is its own alone only widens the table."""
    counts = Counter(
        name
        for trail in trails
        for name in frozenset().union(*(list_act_names(part) for part in trail.parts))
    )
    return [
        [part for part in trail.parts if any(counts[name] >= least for name in list_act_names(part))]
        for trail in trails
    ]


def find_places(parts: Sequence[SequencePart], acts: Sequence[str]) -> tuple[int, ...]:
    """Where acts stand among parts, in order: a longest common subsequence."""
    names = [list_act_names(part) for part in parts]
    lengths = [[0] * (len(names) + 1) for _ in range(len(acts) + 1)]
    for i in range(len(acts) - 1, -1, -1):
        for j in range(len(names) - 1, -1, -1):
            lengths[i][j] = (
                lengths[i + 1][j + 1] + 1
                if acts[i] in names[j]
                else max(lengths[i + 1][j], lengths[i][j + 1])
            )
    places: list[int] = []
    i = j = 0
    while i < len(acts) and j < len(names):
        if acts[i] in names[j]:
            places.append(j)
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return tuple(places)
