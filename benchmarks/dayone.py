"""
Day one: the message of a commit, and which files it changes, with no session to learn from.

A folder holds one folder a repository: `log.jsonl` (commits in order: `time`, `subject`, perhaps `body`, `files` as
`[status, path]` or `["R…", old, new]`) and `trees/YYYY-MM-DD/`, releases of that day. Without a log, the ChangeLogs of
the releases are read (`changelogs.py`). Scored is every commit after the first release that changes one to ten files
which were there before it. Known are the commits before it and the newest release before it, whose code graph is built;
where the log says what was added, deleted and renamed, the files are those of the moment, else those of the release.
`Acc@k` is the share of commits with at least one of their files among the first k; `R@10` the share of their files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import click

from benchmarks.changelogs import parse_changelog
from benchmarks.cochange import CODE
from benchmarks.questions import read_text
from recollect.codegraph.build import build_graph
from recollect.errors import BadInput
from recollect.events.bounded_read import read_beginning
from recollect.model.commit import Commit, CommitChange
from recollect.model.ids import make_id
from recollect.model.path_kinds import is_handwritten
from recollect.model.value import dataclass, field
from recollect.predict_files.checkout_view import MAX_COMMITS, CheckoutView
from recollect.predict_files.content import score_word_holders
from recollect.predict_files.day_one import score_checkout
from recollect.predict_files.predict import PredictionRequest, predict_files
from recollect.predict_files.stems import count_stems, prompt_stems
from recollect.store.db import Db
from recollect.store.open import open_db
from recollect.store.tables import code_files, code_nodes, projects
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

OURS, BM25 = "recollect", "BM25, paths and identifiers"
MOST_TARGETS = 10
MOST_BYTES = 400_000
OPENING = 1_500
PREDICTED = 10
# Made by build systems and translators, in release archives.
_MADE = frozenset("configure aclocal.m4 Makefile.in config.guess config.sub ltmain.sh PKG-INFO".split())
_NO_TEXT = frozenset(
    "gmo png jpg gif ico info pdf gz xz woff woff2 svg po pot sig asc mo ttf eot zip ogg wav mp3".split()
)


@dataclass(slots=True)
class Score:
    """What one system reached, commit by commit."""

    at: dict[int, list[bool]] = field(default_factory=lambda: {1: [], 5: [], 10: []})
    recalls: list[float] = field(default_factory=list)

    def add(self, ranked: Sequence[str], targets: frozenset[str]) -> None:
        """Ten files were named, best first."""
        for k, hits in self.at.items():
            hits.append(not targets.isdisjoint(ranked[:k]))
        self.recalls.append(len(targets.intersection(ranked[:10])) / len(targets))

    def as_json(self) -> dict[str, float]:
        """In percent."""
        count = len(self.recalls) or 1
        rates = {f"Acc@{k}": round(100 * sum(hits) / count, 1) for k, hits in self.at.items()}
        return {**rates, "R@10": round(100 * sum(self.recalls) / count, 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What a release says of its files."""

    names: Mapping[str, str]
    openings: Mapping[str, str]
    links: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One commit to be foreseen: its message, its files, and what was known before it."""

    message: str
    targets: frozenset[str]
    view: CheckoutView


def walk_cases(folder: Path, *, code_only: bool = False) -> Iterator[Case]:
    """Every commit of one repository that is scored, in time order."""
    commits, has_statuses = load_commits(folder)
    releases = _list_releases(folder)
    before: list[Commit] = []
    existing: set[str] = set()
    release = Release(names={}, openings={}, links={})
    started = False
    for commit in commits:
        while releases and releases[0][0] <= commit.at:
            release, started = read_release(releases.pop(0)[1]), True
            existing = existing if has_statuses else set(release.openings)
        existing = _follow_renames(existing, commit)
        files = [path for path in existing if _counts(path, code_only=code_only)]
        targets = frozenset(change.path for change in commit.changes if change.status != "D").intersection(
            files
        )
        if started and 1 <= len(targets) <= MOST_TARGETS:
            yield Case(
                message=f"{commit.subject}\n{commit.body}".strip(),
                targets=targets,
                view=_make_view(release, before, sorted(files)),
            )
        before.append(commit)
        if has_statuses:
            existing.update(change.path for change in commit.changes if change.status != "D")
            existing.difference_update(change.path for change in commit.changes if change.status == "D")


def load_commits(folder: Path) -> tuple[list[Commit], bool]:
    """The commits of a repository, oldest first, and whether they say what was added and deleted."""
    log = folder / "log.jsonl"
    if log.exists():
        return [_parse_commit(json.loads(line)) for line in read_text(log).splitlines() if line.strip()], True
    commits: dict[tuple[str, tuple[str, ...]], Commit] = {}
    for changelog in sorted(folder.glob("trees/*/ChangeLog")):
        for commit in parse_changelog(changelog.read_text("utf-8", "replace")):
            commits.setdefault((commit.subject, commit.files), commit)
    if not commits:
        raise BadInput(f"{folder} has neither a log.jsonl nor a ChangeLog in trees/*/.")
    return sorted(commits.values(), key=lambda commit: commit.at), False


def read_release(root: Path) -> Release:
    """The code graph of a release, and the first words of its files."""
    now = datetime.now(UTC)
    db = open_db(":memory:", now)
    try:
        project = projects.ensure_project(db, "release", "release", make_id(now, 0), now)
        build_graph(db, root, project.id, now)
        tree = code_files.find_tree(db, str(root))
        names: dict[str, list[str]] = {}
        links: dict[str, dict[str, float]] = {}
        if tree is not None:
            for path, name in code_nodes.list_definition_names(db, tree):
                names.setdefault(path, []).append(name)
            for (one, other), count in code_nodes.count_file_links(db, tree).items():
                links.setdefault(one, {})[other] = links.get(one, {}).get(other, 0.0) + count
                links.setdefault(other, {})[one] = links.get(other, {}).get(one, 0.0) + count
    finally:
        db.close()
    return Release(
        names={path: " ".join(defined) for path, defined in names.items()},
        openings=dict(_read_openings(root)),
        links=links,
    )


def rank_by_bm25(view: CheckoutView, message: str) -> list[str]:
    """The baseline: BM25 over one text a file, its path and the names it defines."""
    words = prompt_stems(message, "")
    holders: dict[str, dict[str, float]] = {}
    lengths: dict[str, float] = {}
    for path in view.paths:
        stems = _count_cached(f"{path} {view.names.get(path, '')}")
        lengths[path] = float(sum(stems.values()))
        for stem, times in stems.items():
            if stem in words:
                holders.setdefault(stem, {})[path] = times
    parts = score_word_holders(holders, lengths)
    totals = {path: sum(added.values()) for path, added in parts.items()}
    return sorted(totals, key=lambda path: (-totals[path], path))[:PREDICTED]


@lru_cache(maxsize=50_000)
def _count_cached(text: str) -> Mapping[str, int]:
    return count_stems(text)


def make_predictor() -> tuple[Db, Callable[[Case], Sequence[Any]]]:
    """Recollect with an empty store: no session was ever heard of."""
    now = datetime.now(UTC)
    db = open_db(":memory:", now)
    project = projects.ensure_project(db, "dayone", "dayone", make_id(now, 0), now)

    def predict(case: Case) -> Sequence[Any]:
        request = PredictionRequest(prompt=case.message)
        signals = score_checkout(case.view, case.message)
        return predict_files(db, project.id, request, limit=PREDICTED, without_sessions=signals)

    return db, predict


def run(folder: Path, *, code_only: bool = False) -> dict[str, Any]:
    """Score both systems on one repository."""
    scores = {OURS: Score(), BM25: Score()}
    db, predict = make_predictor()
    try:
        for case in walk_cases(folder, code_only=code_only):
            scores[OURS].add([file.path for file in predict(case)], case.targets)
            scores[BM25].add(rank_by_bm25(case.view, case.message), case.targets)
    finally:
        db.close()
    return {
        "systems": {name: score.as_json() for name, score in scores.items()},
        "scored": len(scores[OURS].recalls),
    }


@click.command("dayone")
@click.argument("path", metavar="FOLDER", type=click.Path(file_okay=False, exists=True, path_type=Path))
@click.option("--repository", "only", multiple=True, metavar="NAME", help="Only this one (repeatable).")
@click.option("--code-only", is_flag=True, help="Only files of code count, as targets and as candidates.")
@json_option
def dayone_(path: Path, only: tuple[str, ...], code_only: bool) -> None:
    """How well the message of a commit tells its files before any session, beside BM25 over paths and identifiers.

    FOLDER holds a folder a repository, with its commits and some of its releases: benchmarks/dayone.py says how.

    \b
    python -m benchmarks dayone histories
    python -m benchmarks dayone histories --repository coreutils --repository grep --code-only --json
    """
    folders = sorted(one for one in path.iterdir() if one.is_dir() and (not only or one.name in only))
    if not folders:
        raise BadInput(f"{path} holds no folder of a repository.")
    outcomes: dict[str, Any] = {}
    with output.show_progress("Repositories") as step:
        for number, folder in enumerate(folders, start=1):
            outcomes[folder.name] = run(folder, code_only=code_only)
            step(number, len(folders))
    if output.is_json():
        output.print_json({"benchmark": "dayone", "code_only": code_only, "repositories": outcomes})
        return
    headings = ("repository", "commits", "", *next(iter(outcomes.values()))["systems"][OURS])
    output.print_table(
        headings,
        [
            (name, str(outcome["scored"]), system, *(f"{value:.1f}" for value in scores.values()))
            for name, outcome in outcomes.items()
            for system, scores in outcome["systems"].items()
        ],
    )


def _make_view(release: Release, before: Sequence[Commit], files: Sequence[str]) -> CheckoutView:
    present = frozenset(files)
    return CheckoutView(
        commits=before[: -MAX_COMMITS - 1 : -1],
        paths=files,
        names={path: text for path, text in release.names.items() if path in present},
        openings={path: text for path, text in release.openings.items() if path in present},
        links=release.links,
    )


def _list_releases(folder: Path) -> list[tuple[datetime, Path]]:
    """Each release with the end of its day: what was committed on that day may already be in it."""
    days = sorted((folder / "trees").iterdir())
    return [(datetime.fromisoformat(f"{day.name}T00:00:00+00:00") + timedelta(days=1), day) for day in days]


def _read_openings(root: Path) -> Iterator[tuple[str, str]]:
    for place in sorted(root.rglob("*")):
        path = place.relative_to(root).as_posix()
        if place.is_symlink() or not place.is_file() or not _counts(path, code_only=False):
            continue
        raw = read_beginning(place, OPENING)
        if b"\0" not in raw and place.stat().st_size <= MOST_BYTES:
            yield path, raw.decode("utf-8", "replace")


def _counts(path: str, *, code_only: bool) -> bool:
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower()
    if code_only and ending not in CODE | {"sh", "pl"}:
        return False
    is_made = name in _MADE or name.startswith("ChangeLog") or ".egg-info/" in path
    return is_handwritten(path) and not is_made and ending not in _NO_TEXT


def _follow_renames(existing: set[str], commit: Commit) -> set[str]:
    for change in commit.changes:
        if change.was and change.was in existing:
            existing = (existing - {change.was}) | {change.path}
    return existing


def _parse_commit(form: Mapping[str, Any]) -> Commit:
    return Commit(
        sha=str(form.get("sha", "")),
        at=datetime.fromtimestamp(form["time"], UTC),
        subject=form["subject"],
        body=form.get("body", ""),
        changes=tuple(
            CommitChange(entry[0][0], entry[-1], entry[1] if len(entry) > 2 else "")
            for entry in form["files"]
        ),
    )
