"""The agent that was there says a note better; what it says is checked, kept, and used when the note rises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import BadInput, NotFound
from recollect.model.note import Note, NoteOrigin
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, red
from tests.observe.session_story import tell

PRICE, TAX = "src/price.py", "src/tax.py"
ROUNDS = "E   DecimalException: quantize result has too many digits"
MENDED = (edit(PRICE), red(line=ROUNDS), edit(TAX), green())
WORDS = "Round in src/tax.py before summing: `pytest -q` fails with DecimalException, quantize has too many digits"


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def error_note(memory: Recollect, session: str) -> Note:
    return next(note for note in memory.observer.notes(session) if note.origin is NoteOrigin.ERROR_RETRY)


def test_the_words_given_to_a_note_are_those_of_its_memory(memory: Recollect, clock: Clock) -> None:
    for number in (1, 2, 3):
        tell(memory, clock, f"s{number}", *MENDED)
    note = error_note(memory, "s3")
    kept = memory.observer.reword(note.id[:8], WORDS, session="s3")
    assert kept.facts["words"] == WORDS
    assert error_note(memory, "s3").facts["words"] == WORDS
    learned = memory.observer.learn_due()
    [pattern] = [found for one in learned for found in one.memories if found.kind == "error_pattern"]
    assert pattern.text == WORDS
    assert pattern.trust.needs_review, "whose words they are does not make it surer"


def test_without_them_it_says_what_the_rule_says(memory: Recollect, clock: Clock) -> None:
    for number in (1, 2, 3):
        tell(memory, clock, f"s{number}", *MENDED)
    learned = memory.observer.learn_due()
    [pattern] = [found for one in learned for found in one.memories if found.kind == "error_pattern"]
    assert pattern.text.startswith("`pytest -q` fails with")


@pytest.mark.parametrize(
    "words",
    [
        "Always be careful with rounding",
        "Round in src/other.py: DecimalException, quantize result has too many digits",
        "src/tax.py is important",
        "x" * 2000,
    ],
)
def test_words_that_name_other_files_or_would_be_true_anywhere_are_refused(
    memory: Recollect, clock: Clock, words: str
) -> None:
    tell(memory, clock, "s1", *MENDED)
    note = error_note(memory, "s1")
    with pytest.raises(BadInput, match="the words must name"):
        memory.observer.reword(note.id, words, session="s1")
    assert "words" not in error_note(memory, "s1").facts


def test_a_secret_in_the_words_is_taken_out(memory: Recollect, clock: Clock) -> None:
    tell(memory, clock, "s1", *MENDED)
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    kept = memory.observer.reword(error_note(memory, "s1").id, f"{WORDS}, see {token}", session="s1")
    assert token not in kept.facts["words"]


def test_what_the_agent_noted_itself_keeps_its_words_and_an_unknown_note_is_named(
    memory: Recollect, clock: Clock
) -> None:
    tell(memory, clock, "s1", *MENDED)
    own = memory.observer.note("Prices are kept in cents", session="s1")
    with pytest.raises(BadInput, match="keeps its words"):
        memory.observer.reword(own.id, "Prices are kept in euros", session="s1")
    with pytest.raises(NotFound, match="note of this session"):
        memory.observer.reword("zz", WORDS, session="s1")
