"""Notes are found by title, headings, tags, links and text, with the line where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from recollect import Recollect
from recollect.config import load_settings
from recollect.model.embedding import Embedding
from recollect.vault.outline import parse_outline
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.vault.corpus import WRITTEN


@pytest.fixture
def shop(vaulted: Recollect, root: Path) -> Recollect:
    for path, text in {
        "Notes/Deploying.md": "---\naliases: [Going live]\ntags: [ops/release]\n---\n# Deploying\n\nIntro.\n\n"
        "## Rolling back\n\nRun the rollback script,\nthen tell [[Alex Kim]].\n",
        "Notes/Alex Kim.md": "Designs the shop. #people\n",
        "Notes/Gateway.md": "The gateway bans clients. See [[Deploying#Rolling back|how]].\n",
        "Other/Deploying.md": "Another note of that name about the refreshToken.\n",
    }.items():
        place = root / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")
    vaulted.vault.sync()
    return vaulted


def paths(memory: Recollect, query: str, **how: str) -> list[str]:
    return [hit.path for hit in memory.vault.search(query, **how)]  # type: ignore[arg-type]


def test_an_excerpt_says_its_line_and_heading(shop: Recollect) -> None:
    (hit, *_) = shop.vault.search("rollback script")
    assert (hit.path, hit.line, hit.heading) == ("Notes/Deploying.md", 11, "Deploying > Rolling back")
    assert hit.excerpt == "Run the rollback script,\nthen tell [[Alex Kim]]."


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("going live", "Notes/Deploying.md"),
        ("release", "Notes/Deploying.md"),
        ("people", "Notes/Alex Kim.md"),
        ("bans", "Notes/Gateway.md"),
        ("token", "Other/Deploying.md"),
        ("designing", "Notes/Alex Kim.md"),
    ],
)
def test_aliases_tags_text_identifiers_and_endings_are_found(shop: Recollect, query: str, path: str) -> None:
    assert paths(shop, query)[0] == path


def test_a_folder_narrows_the_search(shop: Recollect) -> None:
    assert paths(shop, "deploying", folder="Other") == ["Other/Deploying.md"]
    assert set(paths(shop, "deploying")) >= {"Notes/Deploying.md", "Other/Deploying.md"}


def test_links_make_neighbours_in_both_directions(shop: Recollect) -> None:
    assert [one.path for one in shop.vault.neighbours("Notes/Deploying.md")] == [
        "Notes/Alex Kim.md",
        "Notes/Gateway.md",
    ]
    (hit,) = shop.vault.search("rollback")
    assert hit.neighbours == ("Notes/Alex Kim.md", "Notes/Gateway.md")


def test_a_changed_note_is_found_by_its_new_words_and_not_by_its_old(shop: Recollect, root: Path) -> None:
    (root / "Notes" / "Gateway.md").write_text("The proxy lets everybody in.\n", "utf-8")
    shop.vault.sync(["Notes/Gateway.md"])
    assert paths(shop, "proxy") == ["Notes/Gateway.md"]
    assert paths(shop, "bans") == []
    (root / "Notes" / "Gateway.md").unlink()
    shop.vault.sync(["Notes/Gateway.md"])
    assert paths(shop, "proxy") == []


@pytest.mark.parametrize(
    "query", ["it's", "c++", "foo-bar", "AND", '"', "\0", "", "*", "NEAR(", "a" * 5_000, "()"]
)
def test_whatever_is_asked_nothing_breaks(shop: Recollect, query: str) -> None:
    shop.vault.search(query)


def test_what_is_code_or_comment_is_neither_tag_nor_link() -> None:
    outline = parse_outline(WRITTEN["Code/Fences.md"], "Fences.md")
    assert (outline.tags, outline.links) == ((), ())
    hidden = parse_outline(WRITTEN["Comments/Percent.md"], "Percent.md")
    assert (hidden.tags, hidden.links) == ((), ())
    tags = parse_outline(WRITTEN["Tags/Everywhere.md"], "Tags.md").tags
    assert set(tags) == {
        "at-the-start", "nested/tag/deep", "ende", "日本語", "with_underscore", "with-dash", "émigré"
    }  # fmt: skip


def test_every_kind_of_link_is_read() -> None:
    targets = {target for target, _ in parse_outline(WRITTEN["Links/Kinds of links.md"], "x.md").links}
    assert targets >= {"home", "active tasks", "picture.png", "a note", "note", "übung", "日本語"}
    assert "home" in {target for target, _ in parse_outline(WRITTEN["Links/In tables.md"], "x.md").links}


# -- by meaning ------------------------------------------------------------------------------------------

HOUSE = {
    "House/Kitchen.md": "The dishwasher leaks when the filter is not cleaned.\n",
    "House/Groceries.md": "Milk, eggs, two loaves of bread and some cheese for the weekend.\n",
    "House/Dentist.md": "Appointment on Tuesday at nine, bring the insurance card.\n",
    "Work/Release.md": "# Release\n\n## Rolling back\n\nRun the rollback script, then tell Alex.\n",
}


@pytest.fixture
def house(tmp_path: Path, root: Path, clock: Clock) -> Iterator[Recollect]:
    """A vault searched with the model that ships with the package."""
    with Recollect(tmp_path / "house.db", folder=None, clock=clock) as memory:
        memory.vault.init(root)
        for path, text in HOUSE.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text, "utf-8")
        memory.vault.sync()
        yield memory


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("which machine loses water", "House/Kitchen.md"),
        ("tooth doctor", "House/Dentist.md"),
        ("what to buy for breakfast", "House/Groceries.md"),
        ("how do I revert a bad deployment", "Work/Release.md"),
    ],
)
def test_a_note_that_shares_no_word_with_the_question_is_found_by_meaning(
    house: Recollect, query: str, path: str
) -> None:
    assert path not in paths(house, query), "words alone do not find it"
    assert house.vault.embed(seconds=60) == 0
    assert paths(house, query)[0] == path
    assert paths(house, query)[0] == path, "also by the matrix that a second search is made with"
    assert paths(house, query, folder="Nowhere") == []


def test_nonsense_is_answered_by_no_note(house: Recollect) -> None:
    house.vault.embed(seconds=60)
    assert [paths(house, query) for query in ("zzz qwertz", "asdf", "xyzzy plugh")] == [[], [], []]


def test_what_a_note_no_longer_says_is_not_found_by_meaning(house: Recollect, root: Path) -> None:
    house.vault.embed(seconds=60)
    assert paths(house, "tooth doctor") == ["House/Dentist.md"]
    (root / "House/Dentist.md").write_text("Vacation in Portugal, the flight leaves at six.\n", "utf-8")
    (root / "House/Kitchen.md").unlink()
    house.vault.sync()
    assert house.vault.embed(seconds=60) == 0
    assert paths(house, "tooth doctor") == []
    assert paths(house, "which machine loses water") == []
    assert paths(house, "travelling abroad by plane") == ["House/Dentist.md"]


def test_notes_are_embedded_as_far_as_the_time_allows_and_the_rest_later(house: Recollect) -> None:
    unseen = house.vault.status().unseen_parts
    assert house.vault.embed(seconds=0) == unseen > 0
    assert house.vault.embed(seconds=60) == house.vault.status().unseen_parts == 0


def test_notes_are_not_shown_to_a_model_elsewhere_unless_a_person_says_so(
    tmp_path: Path, root: Path, clock: Clock
) -> None:
    class Elsewhere(HashEmbedder):
        seen: ClassVar[list[str]] = []

        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            self.seen.extend(texts)
            return super().embed(texts)

    how = {"embedding.tier": "openai", "embedding.url": "https://models.example", "embedding.model": "m"}
    for wanted, is_shown in (("auto", False), ("off", False), ("on", True)):
        settings = load_settings(flags={**how, "vault.meaning": wanted})
        file = tmp_path / f"{wanted}.db"
        with Recollect(file, folder=None, settings=settings, embedder=Elsewhere(), clock=clock) as memory:
            memory.vault.init(root)
            (root / "Diary.md").write_text("Dear diary\n", "utf-8")
            memory.vault.sync()
            memory.vault.embed(seconds=60)
            memory.vault.search("what did I write?")
        assert any("Dear diary" in text for text in Elsewhere.seen) == is_shown
