"""
Failures in groups: whether failures that one rule would serve are put together, and what that rule says.

Three sets of labelled failures in several phrasings, with groups that sound alike and failures that belong to none.
Weights and thresholds, ours and those of the baselines, come from `tuned.txt` and `held_out.txt`; `blind.txt` is about
other domains and tools, was written before any way of grouping had seen it, and is only scored. Every way is given what
went wrong and where; the baselines also what went wrong alone, for a place may mislead them. A second figure says what
ours makes of failures of which every second one was mended and the command that did it is known, as it often is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import combinations
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.run import open_chosen_embedder
from recollect.learn.error_fingerprint import fingerprint_fault
from recollect.learn.lessons.cluster import cluster_failures
from recollect.learn.lessons.learn_lessons import MIN_FAILURES
from recollect.learn.lessons.rule import write_rule
from recollect.model.failure import Failure, FailureSource, WayOut
from recollect.model.value import asdict, dataclass, replace
from recollect.observe.recognise.faults import read_fault
from recollect.providers.embed import Embedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

SETS = {"tuned": "tuned.txt", "tuned, second": "held_out.txt", "blind": "blind.txt"}
# Thresholds are chosen on these.
LOOKED_AT = ("tuned", "tuned, second")
F1_AT_LEAST = 0.85
_FOLDER = Path(__file__).with_name("failures")
_NO_GROUP = "-"
_NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
_WORD = re.compile(r"\w+")
_COMMAND = re.compile(
    r"^(?:docker|npm|npx|pnpm|nvm|python|make|cp|git|pip|go|cargo|yarn|uv|alembic|terraform|kubectl)\b"
)
Matrix = NDArray[np.float64]
Clusters = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledFailure:
    """A failure, the group it belongs to (empty: none), and what later worked for that group."""

    failure: Failure
    group: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingScore:
    """Pairs of failures that are together and should be, by one way of grouping on one set."""

    set_name: str
    way: str
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScore:
    """The rules of one set: clusters of three and more, those of one group, and those with that group's way out."""

    set_name: str
    rules: int
    of_one_group: int
    with_its_fix: int
    groups: int
    groups_served: int


Compare = Callable[[Sequence[LabelledFailure]], Matrix]


def read_set(path: Path) -> list[LabelledFailure]:
    """The labelled failures of a file, in its order."""
    labelled: list[LabelledFailure] = []
    group = fix = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("== "):
            group, fix = line[3:].strip(), ""
        elif line.startswith("fix: "):
            fix = line[5:].strip()
        elif line and not line.startswith("#"):
            number = len(labelled)
            source, where, what = line.split("|", 2)
            failure = Failure(
                id=f"f{number}",
                session_id=f"s{number}",
                at=_NOON + timedelta(hours=number),
                source=FailureSource(source),
                what=what.strip(),
                where=where,
                key=_find_key(source, what),
            )
            labelled.append(
                LabelledFailure(failure=failure, group="" if group == _NO_GROUP else group, fix=fix)
            )
    return labelled


def _find_key(source: str, what: str) -> str:
    """The fingerprint that the observer would give it."""
    fault = read_fault(what) if source == FailureSource.ERROR else None
    fingerprint = fingerprint_fault(fault) if fault else None
    return fingerprint.keys[0] if fingerprint else ""


def score_pairs(labelled: Sequence[LabelledFailure], clusters: Clusters) -> tuple[float, float, float]:
    """Precision, recall and F1 over pairs."""
    together = {pair for cluster in clusters for pair in combinations(sorted(cluster), 2)}
    by_group: dict[str, list[int]] = {}
    for number, one in enumerate(labelled):
        if one.group:
            by_group.setdefault(one.group, []).append(number)
    wanted = {pair for group in by_group.values() for pair in combinations(group, 2)}
    hits = len(together & wanted)
    precision = hits / len(together) if together else 1.0
    recall = hits / len(wanted) if wanted else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


# -- ways of grouping --------------------------------------------------------------------------------------


def group_by_us(labelled: Sequence[LabelledFailure], embedder: Embedder | None) -> Clusters:
    """As `recollect learn` does it."""
    numbers = {one.failure.id: number for number, one in enumerate(labelled)}
    clusters = cluster_failures([one.failure for one in labelled], embedder)
    return [[numbers[failure.id] for failure in cluster] for cluster in clusters]


def list_texts(labelled: Sequence[LabelledFailure], *, with_place: bool) -> list[str]:
    """What a baseline is given of each failure."""
    return [
        f"{one.failure.where}: {one.failure.what}" if with_place else one.failure.what for one in labelled
    ]


def compare_by_cosine(texts: Sequence[str], embedder: Embedder) -> Matrix:
    """The plain cosine of the texts' embeddings."""
    embeddings = embedder.embed(list(texts))
    rows = np.stack([np.frombuffer(one.vector, "<f4") for one in embeddings]).astype(np.float64)
    return _multiply(rows)


def compare_by_tfidf(texts: Sequence[str]) -> Matrix:
    """The cosine of TF-IDF over lower-case words."""
    split = [[word.lower() for word in _WORD.findall(text)] for text in texts]
    shares = Counter(word for words in split for word in set(words))
    places = {word: place for place, word in enumerate(shares)}
    rows = np.zeros((len(texts), len(places)))
    for row, words in zip(rows, split, strict=True):
        for word, count in Counter(words).items():
            row[places[word]] = (1 + math.log(count)) * math.log(len(texts) / shares[word])
    return _multiply(rows)


def _multiply(rows: Matrix) -> Matrix:
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    product: Matrix = unit @ unit.T
    return product


def group_by_threshold(likeness: Matrix, threshold: float, *, chained: bool) -> Clusters:
    """Whatever is alike enough together: chained through others, or by the average of whole clusters."""
    links = likeness.astype(np.float64).copy()
    np.fill_diagonal(links, -1.0)
    clusters: list[list[int]] = [[number] for number in range(len(links))]
    while len(clusters) > 1:
        a, b = divmod(int(links.argmax()), len(links))
        if links[a, b] < threshold:
            break
        sizes = len(clusters[a]), len(clusters[b])
        mean = (links[a] * sizes[0] + links[b] * sizes[1]) / sum(sizes)
        links[a] = links[:, a] = np.maximum(links[a], links[b]) if chained else mean
        links[b] = links[:, b] = links[a, a] = -1.0
        clusters[a] += clusters[b]
        clusters[b] = []
    return [cluster for cluster in clusters if cluster]


def choose_threshold(sets: Sequence[Sequence[LabelledFailure]], compare: Compare, *, chained: bool) -> float:
    """The threshold that is best on the sets that may be looked at: a baseline gets all that it can give."""
    compared = [(labelled, compare(labelled)) for labelled in sets]

    def sum_f1(threshold: float) -> float:
        return sum(
            score_pairs(labelled, group_by_threshold(likeness, threshold, chained=chained))[2]
            for labelled, likeness in compared
        )

    return max((round(0.1 + 0.05 * number, 2) for number in range(17)), key=sum_f1)


# -- the runs ----------------------------------------------------------------------------------------------


def run_grouping(
    sets: dict[str, list[LabelledFailure]], embedder: Embedder | None
) -> Iterator[GroupingScore]:
    """Each way on each set; thresholds of the baselines are chosen on those that may be looked at."""
    looked_at = [sets[name] for name in LOOKED_AT]
    ways: dict[str, Callable[[Sequence[LabelledFailure]], Clusters]] = {
        "ours": lambda labelled: group_by_us(labelled, embedder),
        "ours, knowing what mended every second one": lambda labelled: group_by_us(
            _mend_set(labelled), embedder
        ),
        "ours, without a model": lambda labelled: group_by_us(labelled, None),
    }
    for name, compare in _list_baselines(embedder).items():
        for chained in (True, False):
            threshold = choose_threshold(looked_at, compare, chained=chained)
            name_of_way = f"{name} {'above' if chained else 'on average above'} {threshold:.2f}"
            ways[name_of_way] = _make_way(compare, threshold, chained=chained)
    for way, group in ways.items():
        for set_name, labelled in sets.items():
            precision, recall, f1 = score_pairs(labelled, group(labelled))
            yield GroupingScore(
                set_name=set_name,
                way=way,
                precision=round(precision, 3),
                recall=round(recall, 3),
                f1=round(f1, 3),
            )


def _list_baselines(embedder: Embedder | None) -> dict[str, Compare]:
    """A plain cosine and TF-IDF, of what went wrong alone and with the place it happened in."""
    baselines: dict[str, Compare] = {}
    for with_place in (False, True):
        ending = ", with the place," if with_place else ""
        baselines[f"TF-IDF{ending}"] = partial(_compare_texts, compare_by_tfidf, with_place)
        if embedder is not None:
            by_cosine = partial(compare_by_cosine, embedder=embedder)
            baselines[f"cosine{ending}"] = partial(_compare_texts, by_cosine, with_place)
    return baselines


def _compare_texts(
    compare: Callable[[Sequence[str]], Matrix], with_place: bool, labelled: Sequence[LabelledFailure]
) -> Matrix:
    return compare(list_texts(labelled, with_place=with_place))


def _make_way(
    compare: Compare, threshold: float, *, chained: bool
) -> Callable[[Sequence[LabelledFailure]], Clusters]:
    return lambda labelled: group_by_threshold(compare(labelled), threshold, chained=chained)


def run_rules(set_name: str, labelled: Sequence[LabelledFailure], embedder: Embedder | None) -> RuleScore:
    """The rules that the clusters of texts give, with the way out known for one failure in two."""
    rules = of_one_group = with_fix = 0
    served: set[str] = set()
    for cluster in group_by_us(labelled, embedder):
        if len(cluster) < MIN_FAILURES:
            continue
        rules += 1
        groups = Counter(labelled[number].group for number in cluster)
        group, count = groups.most_common(1)[0]
        is_one = bool(group) and count * 4 >= len(cluster) * 3
        of_one_group += is_one
        rule = write_rule([_mend(labelled[number], number) for number in cluster])
        fix = next((labelled[number].fix for number in cluster if labelled[number].group == group), "")
        if is_one and fix and fix in rule.text:
            with_fix += 1
            served.add(group)
    sizes = Counter(one.group for one in labelled if one.group)
    return RuleScore(
        set_name=set_name,
        rules=rules,
        of_one_group=of_one_group,
        with_its_fix=with_fix,
        groups=sum(size >= MIN_FAILURES for size in sizes.values()),
        groups_served=len(served),
    )


def _mend_set(labelled: Sequence[LabelledFailure]) -> list[LabelledFailure]:
    return [replace(one, failure=_mend(one, number)) for number, one in enumerate(labelled)]


def _mend(one: LabelledFailure, number: int) -> Failure:
    if number % 2 or not one.fix:
        return one.failure
    is_command = _COMMAND.match(one.fix) is not None
    way_out = WayOut(commands=(one.fix,)) if is_command else WayOut(words=one.fix)
    return replace(one.failure, way_out=way_out)


@click.command("failures")
@common
def failures_() -> None:
    """Whether failures that one rule would serve are put together, beside a plain cosine and TF-IDF.

    \b
    python -m benchmarks failures
    python -m benchmarks failures --json
    """
    sets = {set_name: read_set(_FOLDER / name) for set_name, name in SETS.items()}
    embedder = open_chosen_embedder()
    groupings = list(run_grouping(sets, embedder))
    rules = [run_rules(set_name, labelled, embedder) for set_name, labelled in sets.items()]
    if output.is_json():
        output.print_json(
            {
                "benchmark": "failures",
                "failures": {set_name: len(labelled) for set_name, labelled in sets.items()},
                "grouping": [asdict(score) for score in groupings],
                "rules": [asdict(score) for score in rules],
                "goal": F1_AT_LEAST,
            }
        )
        return
    for set_name, labelled in sets.items():
        groups = {one.group for one in labelled if one.group}
        output.print_line(f"{set_name}: {len(labelled)} failures, {len(groups)} groups")
    output.print_table(
        ["way", "set", "precision", "recall", "F1"],
        [
            [score.way, score.set_name, f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}"]
            for score in groupings
        ],
    )
    output.print_table(
        ["set", "rules", "of one group", "with its way out", "groups of three and more", "served"],
        [[str(value) for value in asdict(score).values()] for score in rules],
    )
