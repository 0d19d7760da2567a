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
from recollect.model.trust import Moment, may_answer, may_speak
from recollect.model.ways_in import WAYS_IN
from recollect.providers.embed_bundled import BundledEmbedder
from tests.attacks import plant
from tests.attacks.corpus import in_front, payloads, reworded
from tests.attacks.test_poisoning import EVERYTHING
from tests.conftest import Clock

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
HALF_OF_WORDS = 0.6

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
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = tmp_path / "shop"
    folder.mkdir()
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
    return any(may_speak(one, moment, phase).allowed for moment in MOMENTS for phase in (*Phase, None))


def told(memory: Recollect, texts: Sequence[str]) -> list[str]:
    """What an agent could be told unasked that holds most of the words of a planted text."""
    spoken = [
        (one.text, set(split_words(one.text)))
        for one in memory.list(EVERYTHING, limit=100_000)
        if may_be_told(one)
    ]
    return [
        text
        for text, words in spoken
        if any(
            len(words & own) >= HALF_OF_WORDS * len(own) for own in (set(split_words(text)) for text in texts)
        )
    ]


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

ATTACKS: dict[str, tuple[plant.Plant, ...]] = {
    "files, pages and outputs that an agent reads": (plant.error_lines,),
    "an agent's note that repeats what it read": (plant.dead_end, plant.excluded),
    "an agent's words in its messages, commits and summaries": (
        plant.messages,
        plant.summaries,
        plant.commits,
    ),
    "notes over MCP without hooks": (plant.mcp,),
    "errors, files, branches and commands that were observed": (plant.file_names, plant.branches),
    "results of E2E tools": (plant.e2e,),
    "QA reports": (plant.qa_reports,),
    "what a person types into a prompt": (plant.pastes,),
    "imports": (plant.imports,),
}
# Attacked elsewhere, or not a stranger's way.
ELSEWHERE = {
    "stories and boards of a methodology": "tests/attacks/test_checkout_prose.py",
    "a scan of the code": "tests/attacks/test_checkout_prose.py",
    "a person's memory": "tests/attacks/test_poisoning.py",
    "past sessions of agents": "tests/observe/test_import_sessions.py",
    "notes of the vault": "tests/capture/test_standing.py",
    "runs of our own agent": "tests/agent",
    "scheduled runs": "tests/ops",
    "checks of the doctor": "src/recollect/doctor.py",
}


@pytest.mark.parametrize(
    ("way", "attack"),
    [(way, attack) for way, attacks in ATTACKS.items() for attack in attacks],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_nothing_planted_is_told_unasked(
    memory: Recollect, clock: Clock, way: str, attack: plant.Plant
) -> None:
    texts = [one.text for one in FEW]
    attack(plant.Attack(memory, clock, texts, texts))
    assert told(memory, texts) == []


def test_an_import_that_nobody_reviewed_answers_no_agent(memory: Recollect, clock: Clock) -> None:
    plant.imports(plant.Attack(memory, clock, [one.text for one in FEW], ()))
    imported = memory.list(EVERYTHING, limit=1000)
    assert imported
    assert not any(may_answer(one) for one in imported)


# -- the rows ---------------------------------------------------------------------------------------------


def test_every_way_in_is_attacked() -> None:
    assert {way.name for way in WAYS_IN} == ATTACKS.keys() | ELSEWHERE.keys()


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
