"""PredictionInputs: what the signals look at. SignalScores: what each of them says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from recollect.model.value import dataclass, field
from recollect.store.db import Db
from recollect.store.tables.file_visits import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionInputs:
    """A session about to begin or under way: what is asked, where, and what was seen before."""

    db: Db
    project_id: str
    prompt: str
    # Stems of the words of the prompt and of the branch, with the words themselves.
    words: Mapping[str, str]
    branch: str = ""
    folder: str = ""
    # The files it has touched so far, and those its prompt spells out.
    files: Sequence[str] = ()
    # Its own id, once it has one: it is no past of its own.
    session_id: str = ""
    # Earlier sessions of the project, the newest first.
    visits: Sequence[Visit] = ()
    # The files they met by number, and how many words were seen of each.
    paths: Mapping[int, str] = field(default_factory=dict)
    lengths: Mapping[int, int] = field(default_factory=dict)

    def sessions(self) -> list[int]:
        """The numbers of the earlier sessions."""
        return [visit.num for visit in self.visits]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalScores:
    """What one signal says: a weight for each file it knows of, and the reason for any of them."""

    scores: Mapping[str, float] = field(default_factory=dict)
    why: Callable[[str], str] = str
    # What a file would get that has every word of the text; 0 where the signal does not go by words.
    possible: float = 0.0


Signal = Callable[[PredictionInputs], SignalScores]
WeightedScores = Sequence[tuple[SignalScores, float]]


def add_up(signals: WeightedScores) -> dict[str, float]:
    """The scores of all signals together: the best file of each counts as much as the signal weighs."""
    scores: dict[str, float] = {}
    for hints, weight in signals:
        best = max(hints.scores.values(), default=0.0)
        for path, score in hints.scores.items():
            scores[path] = scores.get(path, 0.0) + weight * score / best
    return scores
