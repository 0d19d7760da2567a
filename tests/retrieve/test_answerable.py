"""When a search says that nothing is known: with a model and without, in small stores and other languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.config import load_settings
from recollect.retrieve.answer_types import holds_answer_type
from recollect.retrieve.concepts import find_concepts, split_compound, translate_word
from recollect.retrieve.stopwords import detect_language

THREE = (
    "Carts are kept in Redis for 30 days; after that the nightly job deletes them.",
    "Priya Raman owns the search service and reviews every change to the ranking.",
    "Stripe is the only payment provider; PayPal was dropped because of the chargeback fees.",
)


@pytest.fixture(params=["bundled", "none"])
def shop(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Recollect]:
    settings = load_settings(flags={"embedding.tier": request.param})
    with Recollect(tmp_path / "shop.db", folder=None, settings=settings) as memory:
        for text in THREE:
            memory.remember(text)
        yield memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how long do we keep carts?", THREE[0]),
        ("who owns search?", THREE[1]),
        ("what does Priya do?", THREE[1]),
        ("which payment provider do we use?", THREE[2]),
        ("do we support PayPal?", THREE[2]),
        ("chargbeack fees", THREE[2]),
        ("Wie lange werden Warenkörbe aufbewahrt?", THREE[0]),
        ("Quel fournisseur de paiement utilisons-nous ?", THREE[2]),
    ],
)
def test_what_is_known_is_answered_at_three_memories(shop: Recollect, question: str, answer: str) -> None:
    recalled = shop.recall(question)
    assert recalled.known
    assert recalled.answers[0].memory.text == answer


@pytest.mark.parametrize(
    "question",
    [
        "zzz qqq",
        "what is the capital of Mongolia?",
        "kubernetes ingress timeout",
        "how old is Priya?",
        "what is Priya's phone number?",
        "how do we encrypt backups?",
        "Wie melde ich mich im VPN an?",
        "Où se trouve la documentation de l'imprimante ?",
    ],
)
def test_what_is_not_known_is_said_and_counts_no_access(shop: Recollect, question: str) -> None:
    recalled = shop.recall(question)
    assert not recalled.known
    assert recalled.answers == ()
    # Who goes through the hits still gets what comes nearest.
    assert all(hit.probability is not None for hit in recalled)
    shop.remember("Something that writes down what was asked for")
    assert [memory.access_count for memory in shop.list()] == [0] * 4


def test_only_what_answers_is_counted_as_asked_for(shop: Recollect) -> None:
    (answer,) = shop.recall("who owns search?").answers
    shop.remember("Something that writes down what was asked for")
    assert {memory.text: memory.access_count for memory in shop.list()}[answer.memory.text] == 1
    assert sum(memory.access_count for memory in shop.list()) == 1


def test_a_wide_search_keeps_what_answers_first(shop: Recollect) -> None:
    query = shop.query("who owns search?")
    wide = shop.expanded_search.recall(query)
    assert wide.known
    assert wide[0].memory.id == shop.recall(query)[0].memory.id
    assert not shop.expanded_search.recall(shop.query("zzz qqq")).known


def test_a_german_memory_is_found_by_an_english_question_among_many(tmp_path: Path) -> None:
    with Recollect(
        tmp_path / "many.db", folder=None, settings=load_settings(flags={"embedding.tier": "none"})
    ) as memory:
        for number in range(120):
            memory.remember(f"The gadget number {number} is painted in colour {number * 7}")
        memory.remember("Die Datenbank wird jede Nacht gelöscht und neu erstellt")
        recalled = memory.recall("when is the database deleted?")
        assert recalled.known
        assert recalled[0].memory.text.startswith("Die Datenbank")


def test_a_question_without_a_topic_is_not_judged(shop: Recollect) -> None:
    recalled = shop.recall("what is there?")
    assert all(hit.probability is None for hit in recalled)
    assert recalled.known == bool(recalled.hits)


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("how long does it take?", "It takes 50 to 70 minutes", False),
        ("how long does it take?", "Images larger than 4 MB are rejected", True),
        ("who reviews it?", "Lena and Omar review it", False),
        ("who reviews it?", "It is reviewed on the server", True),
        ("what does it cost?", "The fee is 3 euros", False),
        ("what does it cost?", "It was fixed until 2033", True),
        ("which version of Airflow do we run?", "Airflow runs on composer-eu", True),
        ("when is it deleted?", "It is deleted on the first Sunday of each month", False),
        ("why is it so?", "It is blue", False),
    ],
)
def test_an_answer_is_of_the_sort_that_is_asked_for(question: str, text: str, lacks: bool) -> None:
    assert (holds_answer_type(question, text, ()) is False) is lacks


def test_languages_are_told_by_their_small_words() -> None:
    assert detect_language("wie lange werden die körbe aufbewahrt".split()) == "de"
    assert detect_language("quel est le prix de la livraison".split()) == "fr"
    assert detect_language("cómo se guardan los precios".split()) == "es"
    assert detect_language("the war was lost by die hard fans".split()) == "en"
    assert detect_language("nginx reload".split()) == "en"


def test_words_of_one_meaning_meet_across_languages() -> None:
    assert find_concepts("löschen", "de") & find_concepts("deleted", "en")
    assert find_concepts("supprimé", "fr") & find_concepts("remove", "en")
    assert not find_concepts("löschen", "de") & find_concepts("printer", "en")
    assert split_compound("Datenbankverbindung") == ("datenbank", "verbindung")
    assert split_compound("Datenbank") is None
    assert "printer" in translate_word("drucker", "de")
    assert translate_word("zyxw", "de") == ()
