"""Every text of the dashboard is there in every language, and says the same facts."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from recollect.model.kinds import BUILT_IN
from recollect.model.memory import MemoryState, RelationType
from recollect.model.phase import Phase
from recollect.model.provenance import Channel, Source
from recollect.model.review import CorrectionReason
from recollect.model.trust import Origin
from recollect.surfaces.ui.formats import format_bytes, format_number, format_percent
from recollect.surfaces.ui.labels import LABELS
from recollect.surfaces.ui.translate import LANGUAGES, choose_language, load_catalogue, parse_catalogue

sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "docs"))
from catalogues import collect_entries, write_catalogue

ENTRIES = collect_entries()
PLACE = re.compile(r"%\(\w+\)s")


def test_there_are_texts_to_translate() -> None:
    assert len(ENTRIES) > 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_lacks_no_text_and_has_none_too_many(language: str) -> None:
    catalogue = load_catalogue(language)
    missing = [one for one, many in ENTRIES if many is None and not catalogue.texts.get(one)]
    missing += [
        one for one, many in ENTRIES if many is not None and not all(catalogue.plurals.get(one, [""]))
    ]
    assert missing == []
    assert {one for one, _ in ENTRIES} == {*catalogue.texts, *catalogue.plurals}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_holds_the_same_values(language: str) -> None:
    catalogue = load_catalogue(language)
    for one, many in ENTRIES:
        texts = [catalogue.texts[one]] if many is None else catalogue.plurals[one]
        for text in texts:
            assert set(PLACE.findall(text)) <= set(PLACE.findall(one) + PLACE.findall(many or "")), text
            assert set(PLACE.findall(many or one)) == set(PLACE.findall(texts[-1])), text


def test_a_text_that_is_missing_is_noticed() -> None:
    whole = parse_catalogue("fr", write_catalogue("fr", ENTRIES, load_catalogue("fr")))
    assert whole == load_catalogue("fr")
    fewer = write_catalogue("fr", [*ENTRIES, ("A new text", None)], load_catalogue("fr"))
    assert parse_catalogue("fr", fewer).texts["A new text"] == ""


def test_every_name_of_the_domain_has_words() -> None:
    names = [kind.name for kind in BUILT_IN]
    names += [*MemoryState, *RelationType, *Phase, *Channel, *Source, *CorrectionReason]
    names += [f"origin.{origin}" for origin in Origin]
    assert [name for name in names if str(name) not in LABELS] == []


@pytest.mark.parametrize(
    ("wanted", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "fr-FR,fr;q=0.9,en;q=0.8", "fr"),
        ("", "de,en;q=0.8,fr;q=0.9", "fr"),
        ("en", "fr", "en"),
        ("xx", "fr", "fr"),
        ("", "de;q=oops, ,;;;", "en"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_browsers(wanted: str, accepted: str, language: str) -> None:
    assert choose_language(wanted, accepted) == language


def test_numbers_are_written_as_the_language_does() -> None:
    assert format_number(1234567.891, "en", digits=2) == "1,234,567.89"
    assert format_number(1234567.891, "fr", digits=2) == "1\u202f234\u202f567,89"
    assert (format_percent(0.5, "en"), format_percent(0.5, "fr")) == ("50%", "50\u202f%")
    assert (format_bytes(1_250_000, "en"), format_bytes(999, "fr")) == ("1.2\u202fMB", "999\u202fo")


def test_french_counts_nothing_as_one() -> None:
    catalogue = load_catalogue("fr")
    assert catalogue.ngettext("%(num)s session", "%(num)s sessions", 0) == "%(num)s session"
    assert load_catalogue("en").ngettext("%(num)s session", "%(num)s sessions", 0) == "%(num)s sessions"
