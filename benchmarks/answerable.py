"""
Questions with and without an answer: does memory say "nothing is known" where it should, and only there?

The sets are ours, made projects with memories and questions in two halves: `seen.txt` was fitted to, `held_out.txt` was
written at the same time and is scored only. Each project is a store of its own; the same questions are also asked of a
store of three memories (the one that answers and two others) and of a large one (all projects of the half among a
thousand other notes), with the bundled model and without any. BM25 and grep stand beside it in the same run; neither
can say that nothing is known except by finding no word at all.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.run import STOP_WORDS, EmbedOnce, open_chosen_embedder, rank_by_words
from recollect import config
from recollect.api import Recollect
from recollect.errors import BadInput
from recollect.model.memory import Remembered
from recollect.model.query import Recalled
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

FOLDER = Path(__file__).parent / "answerable_sets"
HALVES = ("seen", "held_out")
SIZES = ("small", "project", "large")
TIERS = ("bundled", "none")
SMALL = 3
OTHER_NOTES = 1_000
SEED = 11
_LANGUAGES = ("de", "fr", "es")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMemory:
    """A memory of a made project."""

    name: str
    kind: str
    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetQuestion:
    """A question: the memory that answers it, or nothing; and its sort."""

    text: str
    evidence: str
    sort: str

    @property
    def has_answer(self) -> bool:
        return bool(self.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProject:
    """A made project."""

    name: str
    memories: tuple[SetMemory, ...]
    questions: tuple[SetQuestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOutcome:
    """What came of one question: whether memory said it knows, and the names it answered with, by system."""

    question: SetQuestion
    known: bool
    rankings: Mapping[str, Sequence[str]]


def load_projects(path: Path) -> list[SetProject]:
    """The projects of a set; its head says how it is written."""
    projects: list[tuple[str, list[SetMemory], list[SetQuestion]]] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("project "):
            projects.append((line.removeprefix("project "), [], []))
            continue
        parts = [part.strip() for part in line.removeprefix("? ").split(" | ")]
        if line.startswith("? ") and len(parts) == 2:
            evidence, sort = parts[0].split()
            projects[-1][2].append(SetQuestion(text=parts[1], evidence=evidence.strip("-"), sort=sort))
        elif len(parts := [part.strip() for part in line.split("|", 3)]) == 4:
            projects[-1][1].append(SetMemory(name=parts[0], kind=parts[1], about=parts[2], text=parts[3]))
        else:
            raise BadInput(f"{path}:{number} is neither a memory nor a question.")
    return [
        SetProject(name=name, memories=tuple(memories), questions=tuple(questions))
        for name, memories, questions in projects
    ]


class SetStore:
    """Memories of a set in a memory of their own; a context manager."""

    def __init__(self, memories: Iterable[SetMemory], embedder: Embedder | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="recollect-answers-")
        settings = config.load_settings(flags={} if embedder else {"embedding.tier": "none"})
        self.memory = Recollect(
            Path(self._folder.name) / "a.db", folder=None, settings=settings, embedder=embedder
        )
        self.memories = list(memories)
        drafts = [
            self.memory.draft(
                one.text, kind=one.kind, about=[one.about] if one.about else [], everywhere=True
            )
            for one in self.memories
        ]
        outcomes = zip(self.memories, self.memory.remember_many(drafts), strict=True)
        self.names = {
            outcome.memory.id: one.name for one, outcome in outcomes if isinstance(outcome, Remembered)
        }
        self._words = rank_by_words({one.name: f"{one.text} {one.about}" for one in self.memories})

    def __enter__(self) -> SetStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.memory.close()
        self._folder.cleanup()

    def ask(self, question: SetQuestion) -> QuestionOutcome:
        """Ask memory and what stands beside it."""
        recalled = self.memory.recall(question.text)
        wide = self.memory.expanded_search.recall(self.memory.query(question.text))
        return QuestionOutcome(
            question=question,
            known=recalled.known,
            rankings={
                "recollect": self._names_of(recalled),
                "recollect --wide": self._names_of(wide),
                "bm25": self._words(question.text),
                "grep": self._grep(question.text),
            },
        )

    def _names_of(self, recalled: Recalled) -> list[str]:
        return [self.names[hit.memory.id] for hit in recalled if hit.memory.id in self.names]

    def _grep(self, question: str) -> list[str]:
        """Those that hold most of the question's words as they are typed, the first noted first."""
        words = {word for word in _WORD.findall(question.lower()) if word not in STOP_WORDS}
        counts = {one.name: sum(word in one.text.lower() for word in words) for one in self.memories}
        return sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])


def ask_half(
    projects: Sequence[SetProject], size: str, embedder: Embedder | None
) -> Iterator[QuestionOutcome]:
    """Every question of a half, asked of stores of a size."""
    chance = random.Random(SEED)
    if size == "large":
        everything = [one for project in projects for one in project.memories]
        with SetStore([*everything, *make_other_notes(OTHER_NOTES)], embedder) as store:
            yield from (store.ask(question) for project in projects for question in project.questions)
        return
    for project in projects:
        if size == "project":
            with SetStore(project.memories, embedder) as store:
                yield from (store.ask(question) for question in project.questions)
            continue
        for question in project.questions:
            wanted = [one for one in project.memories if one.name == question.evidence]
            others = [one for one in project.memories if one.name != question.evidence]
            with SetStore([*wanted, *chance.sample(others, SMALL - len(wanted))], embedder) as store:
                yield store.ask(question)


_PARTS = (
    "importer exporter resolver renderer scheduler tokenizer planner allocator crawler mixer ledger".split()
)
_OWNERS = "north south amber cobalt willow cedar falcon heron granite basalt maple juniper".split()
_LIMITS = "retries entries frames threads snapshots segments shards tickets".split()


def make_other_notes(count: int) -> list[SetMemory]:
    """Notes about parts that no question is about, written like the others."""
    chance = random.Random(SEED)
    notes: dict[str, SetMemory] = {}
    while len(notes) < count:
        owner, part, limit = chance.choice(_OWNERS), chance.choice(_PARTS), chance.choice(_LIMITS)
        number = chance.randrange(2, 900)
        text = chance.choice(
            (
                f"The {owner} {part} holds at most {number} {limit}, because more made it slower.",
                f"In the {owner} {part}, {limit} are counted from {number} on; the reason is the old protocol.",
                f"Do not touch the {limit} of the {owner} {part} while number {number} is busy.",
                f"The {part} of {owner} was rewritten; it keeps {number} {limit} for each tenant.",
            )
        )
        notes.setdefault(text, SetMemory(name=f"note-{len(notes)}", kind="fact", about="", text=text))
    return list(notes.values())


def score_outcomes(outcomes: Sequence[QuestionOutcome]) -> dict[str, Any]:
    """How often "nothing is known" was right and wrong, and how often the answer came first and among three."""
    without = [one for one in outcomes if not one.question.has_answer]
    answerable = [one for one in outcomes if one.question.has_answer]
    scores: dict[str, Any] = {
        "nothing, rightly": _share([not one.known for one in without]),
        "nothing, wrongly": _share([not one.known for one in answerable]),
        "unanswerable": len(without),
        "answerable": len(answerable),
    }
    for system in outcomes[0].rankings:
        for name, most in (("first", 1), ("top 3", 3)):
            scores[f"{system} {name}"] = _share(
                [one.question.evidence in one.rankings[system][:most] for one in answerable]
            )
    return scores


def _share(values: Sequence[bool]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def group_by_sort(outcomes: Iterable[QuestionOutcome]) -> dict[str, list[QuestionOutcome]]:
    """The outcomes by the sort of question."""
    groups: dict[str, list[QuestionOutcome]] = {}
    for one in outcomes:
        name = one.question.sort if one.question.has_answer else f"none: {one.question.sort}"
        groups.setdefault(name, []).append(one)
    return dict(sorted(groups.items()))


@click.command("questions")
@click.option("--half", type=click.Choice(HALVES), help="Only this half.")
@click.option("--size", "sizes", type=click.Choice(SIZES), multiple=True, help="Only stores of this size.")
@click.option("--tier", "tiers", type=click.Choice(TIERS), multiple=True, help="Only with this model.")
@json_option
def questions_(half: str | None, sizes: tuple[str, ...], tiers: tuple[str, ...]) -> None:
    """How often memory says "nothing is known" rightly and wrongly, and how often the answer comes first.

    \b
    python -m benchmarks questions
    python -m benchmarks questions --half seen --size project --tier bundled
    """
    bundled = open_chosen_embedder(config.load_settings(flags={"embedding.tier": "bundled"}))
    assert bundled is not None, "the bundled model is in the package"
    once = EmbedOnce(bundled)
    results: list[dict[str, Any]] = []
    for name in (half,) if half else HALVES:
        projects = load_projects(FOLDER / f"{name}.txt")
        for tier in tiers or TIERS:
            for size in sizes or SIZES:
                outcomes = list(ask_half(projects, size, once if tier == "bundled" else None))
                sorts = {sort: score_outcomes(group) for sort, group in group_by_sort(outcomes).items()}
                results.append(
                    {"half": name, "tier": tier, "size": size, **score_outcomes(outcomes), "sorts": sorts}
                )
    if output.is_json():
        output.print_json({"benchmark": "questions", "results": results})
        return
    _print_results(results)


def _print_results(results: Sequence[Mapping[str, Any]]) -> None:
    systems = ("recollect", "recollect --wide", "bm25", "grep")
    output.print_table(
        ("half", "model", "store", "nothing, rightly", "wrongly", *(f"{one} 1st/3" for one in systems)),
        [
            (
                row["half"],
                row["tier"],
                row["size"],
                f"{row['nothing, rightly']:.1f}",
                f"{row['nothing, wrongly']:.1f}",
                *(f"{row[f'{one} first']:.1f}/{row[f'{one} top 3']:.1f}" for one in systems),
            )
            for row in results
        ],
    )
    languages = [
        (row["half"], row["size"], sort, scores)
        for row in results
        if row["tier"] == "bundled"
        for sort, scores in row["sorts"].items()
        if sort in _LANGUAGES
    ]
    output.print_line()
    output.print_table(
        ("half", "store", "language", "questions", "1st", "top 3", "nothing, wrongly"),
        [
            (
                half,
                size,
                sort,
                str(scores["answerable"]),
                f"{scores['recollect first']:.1f}",
                f"{scores['recollect top 3']:.1f}",
                f"{scores['nothing, wrongly']:.1f}",
            )
            for half, size, sort, scores in languages
        ],
    )
