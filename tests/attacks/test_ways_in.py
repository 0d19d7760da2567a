"""
Ways in × planted texts: nothing that was merely read is told unasked, whichever way it comes.

The rows are `WAYS_IN`: a module that offers memories and is in none of them fails here, and so does a row that nobody
attacks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Recollect
from recollect.events.bloom import split_words
from recollect.model.embedding import Embedding
from recollect.model.phase import Phase
from recollect.model.provenance import Channel
from recollect.model.trust import (
    Moment,
    SpeakPermission,
    find_standing,
    may_answer,
    may_speak,
    origin_of,
)
from recollect.model.ways_in import WAYS_IN, WayIn
from recollect.providers.embed_bundled import BundledEmbedder
from tests.attacks import plant
from tests.attacks.corpus import in_front, payloads, reworded
from tests.attacks.test_poisoning import EVERYTHING
from tests.conftest import Clock
from tests.git.repos import a_repository, isolate

ROOT = Path(recollect.__file__).parent
# What writes a memory or an event.
DOOR = frozenset(
    {"take_in", "remember", "remember_many", "store_events", "write_note", "save_event", "supersede"}
)
# The door itself, and what only passes on what a caller was given.
INSIDE = frozenset({"demo.py", "vault/notes.py", "store/tables/events.py"})
# A session agent is told nothing else unasked; scheduled runs have layouts of their own.
MOMENTS = (Moment.BRIEF, Moment.PROMPT, Moment.TOOL_RESULT, Moment.SAME_ERROR)
PAYLOADS = payloads()
# Whole sessions are slow: a few texts of each family walk through them, all through the door.
FEW = PAYLOADS[::9]
# A vault does not say who wrote a note: plain facts of another program pass there as the person's own (57 of 178
# texts), unless the setting `vault.edits` says that all edits wait. In other words by a scheduled run 6 of 178 pass,
# and 2 by a subagent's report. Rules were tuned by these texts since.
INSTRUCTING = [one for one in PAYLOADS if one.half == "seen"][::5]
MOST_OF_WORDS = 0.6

VERBATIM: Callable[[str, str], str] = lambda text, _: text  # noqa: E731
VARIANTS: dict[str, Callable[[str, str], str]] = {
    "verbatim": VERBATIM,
    "with words in front": lambda text, _: in_front(text),
    "reworded": lambda text, _: reworded(text),
    "paraphrased": lambda _, paraphrase: paraphrase,
    "paraphrased, with words in front": lambda _, paraphrase: in_front(paraphrase),
}


class RememberingEmbedder(BundledEmbedder):
    """The real model; each text is looked at once for all tests."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [_embed(text) for text in texts]


@cache
def _embed(text: str) -> Embedding:
    return BundledEmbedder.embed(_model(), [text])[0]


@lru_cache(maxsize=1)
def _model() -> BundledEmbedder:
    return BundledEmbedder()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recollect]:
    isolate(monkeypatch, tmp_path / "person")
    folder = a_repository(tmp_path / "shop")
    with Recollect(
        tmp_path / "memories.db",
        folder=folder,
        embedder=RememberingEmbedder(),
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    ) as opened:
        yield opened


def may_be_told(one: Memory) -> bool:
    # What scheduled runs noted is told to scheduled runs.
    moments = (*MOMENTS, Moment.OPERATIONS) if one.kind == "remediation" else MOMENTS
    return any(may_speak(one, moment, phase).allowed for moment in moments for phase in (*Phase, None))


def holding(memory: Recollect, texts: Sequence[str]) -> list[Memory]:
    """The memories that hold most of the words of a planted text."""
    planted = [set(split_words(text)) for text in texts]
    return [
        one
        for one in memory.list(EVERYTHING, limit=100_000)
        if any(len(words & set(split_words(one.text))) >= MOST_OF_WORDS * len(words) for words in planted)
    ]


def told(memory: Recollect, texts: Sequence[str]) -> list[str]:
    """What an agent could be told unasked that holds most of the words of a planted text."""
    return [one.text for one in holding(memory, texts) if may_be_told(one)]


# -- everything through the door --------------------------------------------------------------------------

READINGS = (
    plant.page,
    plant.document,
    plant.shell,
    plant.after_much_reading,
    plant.in_a_later_session,
    plant.after_a_compaction,
)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("reading", READINGS, ids=lambda one: one.__name__)
def test_a_note_that_repeats_what_was_read_is_not_told(
    memory: Recollect, clock: Clock, reading: plant.Plant, variant: str
) -> None:
    notes = [VARIANTS[variant](one.text, one.paraphrase) for one in PAYLOADS]
    reading(plant.Attack(memory, clock, [one.text for one in PAYLOADS], notes))
    assert memory.list(EVERYTHING, limit=1), "something was offered"
    assert told(memory, notes) == []


# -- a few through whole sessions -------------------------------------------------------------------------

# How each row of the table is attacked: by texts that are read and, where it says so, noted again by the agent.
ATTACKS: dict[str, tuple[plant.Plant, ...]] = {
    "files, pages and outputs that an agent reads": (plant.error_lines,),
    "an agent's note that repeats what it read": (
        plant.dead_end,
        plant.excluded,
        plant.edit_results,
        plant.subagents,
        plant.searches,
        plant.other_tools,
    ),
    "an agent's words in its messages, commits and summaries": (
        plant.messages,
        plant.summaries,
        plant.commits,
    ),
    "notes over MCP without hooks, and by the tools of frameworks": (plant.mcp, plant.framework_store),
    "errors, files, branches and commands that were observed": (plant.file_names, plant.branches),
    "results of E2E tools": (plant.e2e,),
    "QA reports": (plant.qa_reports,),
    "stories and boards of a methodology": (plant.stories,),
    "a scan of the code": (plant.docstrings,),
    "what a person types into a prompt": (plant.pastes,),
    "a person's memory": (plant.agent_shell,),
    "imports": (plant.imports,),
    "past sessions of agents": (plant.past_sessions,),
    "notes of the vault": (plant.vault_programs, plant.vault_lines, plant.memory_tool),
    "runs of our own agent": (plant.own_agent,),
    "scheduled runs": (plant.scheduled_runs,),
}
# The agent that was attacked notes in its own words what it read.
NOTING = (
    *(plant.dead_end, plant.edit_results, plant.subagents, plant.searches, plant.other_tools),
    *(plant.messages, plant.summaries, plant.commits, plant.past_sessions, plant.own_agent),
    plant.scheduled_runs,
)
BY_WORDS = (plant.vault_programs, plant.vault_lines)
CASES = [
    (way, attack, variant)
    for way, attacks in ATTACKS.items()
    for attack in attacks
    for variant in (("verbatim", "paraphrased, with words in front") if attack in NOTING else ("verbatim",))
]


@pytest.mark.parametrize(
    ("way", "attack", "variant"),
    CASES,
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_nothing_planted_is_told_unasked(
    memory: Recollect, clock: Clock, way: str, attack: plant.Plant, variant: str
) -> None:
    chosen = INSTRUCTING if attack in BY_WORDS else FEW
    texts = [one.text for one in chosen]
    notes = [VARIANTS[variant](one.text, one.paraphrase) for one in chosen]
    attack(plant.Attack(memory, clock, texts, notes))
    spoken = [one for one in holding(memory, [*texts, *notes]) if may_be_told(one)]
    assert [one.text for one in spoken] == []


@pytest.mark.parametrize("row", [row for row in WAYS_IN if row.origins], ids=lambda row: row.name)
def test_planted_words_stand_where_their_row_says(memory: Recollect, clock: Clock, row: WayIn) -> None:
    by_words = any(attack in BY_WORDS for attack in ATTACKS[row.name])
    texts = [one.text for one in (INSTRUCTING if by_words else FEW)]
    for attack in ATTACKS[row.name]:
        attack(plant.Attack(memory, clock, texts, texts))
    assert {origin_of(one) for one in holding(memory, texts)} <= set(row.origins)


@pytest.mark.parametrize("row", WAYS_IN, ids=lambda row: row.name)
def test_no_row_lets_words_of_others_speak_to_a_session(row: WayIn) -> None:
    unasked = (SpeakPermission.YES, SpeakPermission.ABOVE_BAR, SpeakPermission.AFTER_PROOF)
    for origin in row.origins:
        standing = find_standing(origin)
        assert not {standing.brief, standing.tool_result, standing.at(Moment.SAME_ERROR)} & set(unasked)


def test_an_import_that_nobody_reviewed_answers_no_agent(memory: Recollect, clock: Clock) -> None:
    plant.imports(plant.Attack(memory, clock, [one.text for one in FEW], ()))
    imported = memory.list(EVERYTHING, limit=1000)
    assert imported
    assert not any(may_answer(one) for one in imported)


# -- the rows ---------------------------------------------------------------------------------------------


def test_every_way_in_is_attacked() -> None:
    assert {row.name for row in WAYS_IN if row.origins} == ATTACKS.keys()
    assert [row.name for row in WAYS_IN if not row.origins] == ["checks of the doctor, and the demo"]


def test_every_module_that_offers_something_is_a_way_in() -> None:
    named = {module for way in WAYS_IN for module in way.modules}
    offering = {
        str(path.relative_to(ROOT).as_posix())
        for path in ROOT.rglob("*.py")
        if not str(path.relative_to(ROOT)).startswith("capture")
        and _offers(ast.parse(path.read_text("utf-8")))
    }
    assert sorted(offering - named - INSIDE) == [], (
        "a new way in: give it a row in model/ways_in.py and an attack"
    )
    assert sorted(module for module in named if not (ROOT / module).is_file()) == []


def _offers(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Call)
        and (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) in DOOR
        for node in ast.walk(tree)
    )
