"""
Impact against history: given one file of a commit, does impact name the others?

Commits are read in order and scored before they are learned from, as in `bench cochange`: the last fifth, those with
2 to 10 files that are in the graph. The graph is that of the tree as it is: a file that is gone since is not asked for,
and an import that a scored commit brought is there already. Beside impact at depth 2 stand those it is made of: import
neighbours both ways, and co-change alone. `named` is the share of the others that is named at all, `names` how many
files that takes, `r@10` the share among the first ten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.cochange import FEWEST, MOST, SCORED_SHARE, Commit
from recollect.codegraph.dependents import felt
from recollect.codegraph.traverse import CodeGraph
from recollect.git import history
from recollect.model.cochange import Occasion, Ties
from recollect.retrieve.impact import Asked, impact
from recollect.store.tables import cochange

_FIRST = 10
_MOST_COMMITS = 5_000

Named = Callable[[str], Sequence[str]]


def commits_of(root: Path) -> list[Commit]:
    """The history of a checkout, oldest first."""
    found = history.commits(str(root), limit=_MOST_COMMITS, renames=True)
    return [
        Commit(
            at=commit.at,
            touched=tuple(change.path for change in commit.changes if change.status != "D"),
            renamed={change.was: change.path for change in commit.changes if change.status == "R"},
            deleted=tuple(change.path for change in commit.changes if change.status == "D"),
        )
        for commit in reversed(list(found))
    ]


def against_history(asked: Asked, graph: CodeGraph, commits: Sequence[Commit]) -> dict[str, dict[str, float]]:
    """Scores by system, in percent; empty when no commit can be scored."""
    assert asked.project_id is not None
    learned = Ties()
    systems: Mapping[str, Named] = {
        "impact": lambda path: _by_impact(asked, graph, path),
        "imports": lambda path: _by_imports(graph, path),
        "cochange": lambda path: [other for other, _ in _company(learned, path)],
    }
    scores: dict[str, list[tuple[float, float, float]]] = {name: [] for name in systems}
    for number, commit in enumerate(commits):
        _follow(learned, commit)
        targets = [
            path for path in dict.fromkeys(commit.touched) if graph.held(path) and path in learned.files
        ]
        if number >= len(commits) * (1 - SCORED_SHARE) and FEWEST <= len(targets) <= MOST:
            _store(asked, learned, targets)
            for name, named in systems.items():
                scores[name].append(_score(named, targets))
        learned.learn(Occasion(files=commit.touched, at=commit.at))
        for gone in commit.deleted:
            learned.remove(gone)
    return {name: _means(found) for name, found in scores.items() if found}


def _follow(learned: Ties, commit: Commit) -> None:
    for old, new in commit.renamed.items():
        if old in learned.files:
            learned.move(old, new)


def _store(asked: Asked, learned: Ties, paths: Iterable[str]) -> None:
    """What is known of these files just before a commit goes where impact reads it."""
    part = Ties()
    part.occasion = learned.occasion
    for path in paths:
        part.files[path] = learned.files[path]
        for other in learned.around(path):
            part.put(path, other, learned.between(path, other))
    assert asked.project_id is not None
    with asked.db.transaction():
        cochange.forget(asked.db, asked.project_id)
        cochange.put(asked.db, asked.project_id, part, commit_sha="")


def _by_impact(asked: Asked, graph: CodeGraph, path: str) -> list[str]:
    found = impact(asked, graph, path, depth=2)
    scored = {one.path: one.likely for one in (*found.dependents, *found.tests)}
    scored |= {one.path: one.share for one in found.together}
    return sorted(scored, key=lambda other: (-scored[other], other))


def _by_imports(graph: CodeGraph, path: str) -> list[str]:
    near = [*felt(graph, path, depth=1).files, *felt(graph, path, depth=1, back=False).files]
    return list(dict.fromkeys(one.path for one in near if one.path != path))


def _company(learned: Ties, path: str) -> list[tuple[str, float]]:
    found = [(other, learned.strength(path, other)) for other in learned.around(path)]
    return sorted(found, key=lambda one: (-one[1], one[0]))[:20]


def _score(named: Named, targets: Sequence[str]) -> tuple[float, float, float]:
    """Shares named at all and among the first ten, and how many names that took; means over the files given."""
    totals = [0.0, 0.0, 0.0]
    for seed in targets:
        others = set(targets) - {seed}
        names = list(named(seed))
        totals[0] += len(others.intersection(names)) / len(others)
        totals[1] += len(others.intersection(names[:_FIRST])) / len(others)
        totals[2] += len(names)
    return totals[0] / len(targets), totals[1] / len(targets), totals[2] / len(targets)


def _means(found: Sequence[tuple[float, float, float]]) -> dict[str, float]:
    named, first, names = (sum(column) / len(found) for column in zip(*found, strict=True))
    return {
        "commits": len(found),
        "named": round(100 * named, 1),
        "r@10": round(100 * first, 1),
        "names": round(names, 1),
    }
