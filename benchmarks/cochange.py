"""
Co-change: given one file of a commit, which others changed with it?

The log holds commits in order, one JSON object per line: `sha`, `time`, `subject`, and `files` as
`[status, path]` or `["R…", old, new]`. Only code counts. A commit is scored before it is learned; scored are those of
the last fifth that change 2 to 10 files known before. Every file in turn is the given one; a commit's score is the mean
over its files, the whole is the mean over commits, so that no large commit speaks louder than a small one.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import click

from benchmarks.questions import read_text
from recollect.errors import BadInput
from recollect.model.cochange import HALF_LIFE, ChangeOccasion, Ties
from recollect.model.value import dataclass, field
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

SCORED_SHARE = 0.2
FEWEST, MOST = 2, 10
CODE = frozenset(
    "py pyi js jsx mjs cjs ts tsx go rs java kt c h cc cpp hpp cs rb php swift scala ex exs vue svelte".split()
)
_SHAPE = 'A log has one commit per line: {"sha": …, "time": …, "files": [["M", "src/a.py"], …]}.'


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit: the code it touched, what was renamed, what is gone."""

    at: datetime
    touched: tuple[str, ...]
    renamed: Mapping[str, str]
    deleted: tuple[str, ...]


@dataclass(slots=True)
class Score:
    """Means over the commits scored."""

    hits: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, float]:
        """In percent."""
        count = len(self.hits) or 1
        return {
            "hit@5": round(100 * sum(self.hits) / count, 1),
            "r@10": round(100 * sum(self.recalls) / count, 1),
        }


class Guesser(Protocol):
    """Something that names files, and learns from each commit after it."""

    def near(self, seed: str) -> Sequence[str]: ...

    def learn(self, commit: Commit) -> None: ...

    def move(self, old: str, new: str) -> None: ...

    def remove(self, path: str) -> None: ...


def run(path: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> dict[str, Any]:
    """Score every system on one log, in percent, with how many commits were scored."""
    commits = load(path)
    systems = {name: make() for name, make in SYSTEMS.items()}
    scores = {name: Score() for name in systems}
    existing: set[str] = set()
    for number, commit in enumerate(commits):
        progress(number + 1, len(commits))
        for old, new in commit.renamed.items():
            if old in existing:
                existing.discard(old)
                existing.add(new)
                for system in systems.values():
                    system.move(old, new)
        targets = [file for file in commit.touched if file in existing]
        if number >= len(commits) * (1 - SCORED_SHARE) and FEWEST <= len(targets) <= MOST:
            for name, system in systems.items():
                _score(scores[name], system, targets)
        for system in systems.values():
            system.learn(commit)
            for gone in commit.deleted:
                system.remove(gone)
        existing.update(commit.touched)
        existing.difference_update(commit.deleted)
    scored = len(scores["recollect"].hits)
    if not scored:
        raise BadInput(
            f"{path} has no commit to score: none of the last fifth changes 2 to 10 known code files."
        )
    return {
        "systems": {name: score.as_json() for name, score in scores.items()},
        "counts": {"commits": len(commits), "scored": scored},
    }


def load(path: Path) -> list[Commit]:
    """Read a log, oldest commit first."""
    commits = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            commits.append(_commit(json.loads(line)))
        except (
            ValueError,
            RecursionError,
            KeyError,
            TypeError,
            IndexError,
            AttributeError,
            OverflowError,
        ) as error:
            raise BadInput(f"{path}, line {number}: {error!r}. {_SHAPE}") from error
    return commits


def _commit(form: Mapping[str, Any]) -> Commit:
    files = [entry for entry in form["files"] if _is_code(entry[-1])]
    return Commit(
        at=datetime.fromtimestamp(form["time"], UTC),
        touched=tuple(entry[-1] for entry in files if entry[0][0] != "D"),
        renamed={entry[1]: entry[2] for entry in files if entry[0][0] == "R" and len(entry) > 2},
        deleted=tuple(entry[-1] for entry in files if entry[0][0] == "D"),
    )


def _is_code(path: str) -> bool:
    return path.rpartition(".")[2].lower() in CODE


def _score(score: Score, system: Guesser, targets: Sequence[str]) -> None:
    hits, recalls = [], []
    for seed in targets:
        others = set(targets) - {seed}
        guessed = list(system.near(seed))[:10]
        hits.append(bool(others.intersection(guessed[:5])))
        recalls.append(len(others.intersection(guessed)) / len(others))
    score.hits.append(sum(hits) / len(hits))
    score.recalls.append(sum(recalls) / len(recalls))


class _Ours:
    """What recollect itself keeps."""

    def __init__(self) -> None:
        self._ties = Ties()

    def near(self, seed: str) -> Sequence[str]:
        return [path for path, _ in self._ties.near([seed], 10)]

    def learn(self, commit: Commit) -> None:
        self._ties.learn(ChangeOccasion(files=commit.touched, at=commit.at))

    def move(self, old: str, new: str) -> None:
        self._ties.move(old, new)

    def remove(self, path: str) -> None:
        self._ties.remove(path)


class _Counts:
    """Raw counts of being changed together; with a half-life in commits, decayed ones."""

    def __init__(self, half_life: float | None = None) -> None:
        self._pairs: dict[str, dict[str, float]] = defaultdict(dict)
        # Instead of fading all counts at each commit, later ones weigh more.
        self._growth = 2 ** (1 / half_life) if half_life else 1.0
        self._vote = 1.0

    def near(self, seed: str) -> Sequence[str]:
        return _best(self._pairs[seed], without=seed)

    def learn(self, commit: Commit) -> None:
        self._vote *= self._growth
        for one in commit.touched:
            for other in commit.touched:
                if one != other:
                    self._pairs[one][other] = self._pairs[one].get(other, 0.0) + self._vote

    def move(self, old: str, new: str) -> None:
        for other, count in self._pairs.pop(old, {}).items():
            self._pairs[new][other] = self._pairs[new].get(other, 0.0) + count
        for row in self._pairs.values():
            if old in row:
                row[new] = row.get(new, 0.0) + row.pop(old)

    def remove(self, path: str) -> None:
        self._pairs.pop(path, None)
        for row in self._pairs.values():
            row.pop(path, None)


class _Popularity:
    """The files changed most often, whatever was given."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def near(self, seed: str) -> Sequence[str]:
        return _best(self.counts, without=seed)

    def learn(self, commit: Commit) -> None:
        self.counts.update(commit.touched)

    def move(self, old: str, new: str) -> None:
        self.counts[new] += self.counts.pop(old, 0)

    def remove(self, path: str) -> None:
        self.counts.pop(path, None)


class _Directory:
    """The files of the same folder, those changed most often first."""

    def __init__(self) -> None:
        self._all = _Popularity()
        self.learn, self.move, self.remove = self._all.learn, self._all.move, self._all.remove

    def near(self, seed: str) -> Sequence[str]:
        folder = seed.rpartition("/")[0]
        beside = {p: count for p, count in self._all.counts.items() if p.rpartition("/")[0] == folder}
        return _best(beside, without=seed)


def _best(counts: Mapping[str, float], *, without: str) -> list[str]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [path for path, _ in ordered if path != without][:10]


SYSTEMS: Mapping[str, Callable[[], Guesser]] = {
    "recollect": _Ours,
    "counts": _Counts,
    "decay": lambda: _Counts(HALF_LIFE),
    "directory": _Directory,
    "popularity": _Popularity,
}


@click.command("cochange")
@click.argument("path", metavar="LOG", type=click.Path(dir_okay=False, path_type=Path))
@json_option
def cochange_(path: Path) -> None:
    """How well one file of a commit tells the others, over the history in LOG; each commit is learned after it.

    \b
    python -m benchmarks cochange commits.jsonl --json
    """
    with output.show_progress("Commits") as progress:
        outcome = run(path, progress)
    if output.is_json():
        output.print_json({"benchmark": "cochange", **outcome})
        return
    output.print_table(
        ("", *next(iter(outcome["systems"].values()))),
        [
            (name, *(f"{value:.1f}" for value in scores.values()))
            for name, scores in outcome["systems"].items()
        ],
    )
    output.print_line(f"{outcome['counts']['scored']} of {outcome['counts']['commits']} commits scored")
