"""What two sides made of one note, put together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.vault.merge import choose_base, merge_texts

LINES = st.lists(st.sampled_from([f"line {letter}" for letter in "abcdefgh"]), max_size=8)


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_changes_in_different_places_are_both_there() -> None:
    merged = merge_texts(text("a", "b", "c", "d"), text("A", "b", "c", "d"), text("a", "b", "c", "D"))
    assert merged.text == text("A", "b", "c", "D")
    assert merged.outvoted == ()


def test_lines_that_both_add_at_one_place_are_both_kept() -> None:
    merged = merge_texts(text("a"), text("a", "ours"), text("a", "theirs"))
    assert merged.text == text("a", "theirs", "ours")
    assert merged.outvoted == ()


def test_where_both_changed_a_line_the_persons_stands_and_ours_is_given_back() -> None:
    merged = merge_texts(text("a", "b", "c"), text("a", "ours", "c"), text("a", "theirs", "c"))
    assert merged.text == text("a", "theirs", "c")
    assert merged.outvoted == ("ours\n",)


def test_a_line_added_beside_one_that_a_person_changed_is_kept() -> None:
    merged = merge_texts(text("a"), text("a", "ours"), text("a, said better"))
    assert merged.text == text("a, said better", "ours")


def test_what_a_person_deletes_stays_deleted() -> None:
    assert merge_texts(text("a", "b"), text("a", "b", "c"), text("a")).text == text("a", "c")


def test_line_ends_and_a_missing_last_one_stay_as_the_person_has_them() -> None:
    merged = merge_texts("a\nb", "a\nb\nours\n", "a\r\nb\r\ntheirs")
    assert merged.text == "a\r\nb\r\ntheirs\r\nours\r\n"


@given(base=LINES, ours=LINES, theirs=LINES)
def test_no_line_of_either_side_is_lost(base: list[str], ours: list[str], theirs: list[str]) -> None:
    """Each side writes lines nobody else has; afterwards every one is in the text or was given back."""
    mine = [f"{line} by us {place}" if place % 3 == 0 else line for place, line in enumerate(ours)]
    others = [f"{line} by them {place}" if place % 2 == 0 else line for place, line in enumerate(theirs)]
    merged = merge_texts(text(*base), text(*mine), text(*others))
    everywhere = merged.text + "".join(merged.outvoted)
    for line in (*mine, *others):
        if "by" in line:
            assert f"{line}\n" in everywhere
    for line in others:
        if "by them" in line:
            assert f"{line}\n" in merged.text, "what a person writes stays in the note"


@given(base=LINES, side=LINES)
def test_a_side_that_changed_nothing_has_no_say(base: list[str], side: list[str]) -> None:
    assert merge_texts(text(*base), text(*base), text(*side)).text == text(*side)
    assert merge_texts(text(*base), text(*side), text(*base)).text == text(*side)
    assert merge_texts(text(*base), text(*side), text(*side)).text == text(*side)


def test_an_editor_that_had_not_seen_our_last_write_does_not_delete_it() -> None:
    before, after = text("a", "b"), text("a", "b", "ours")
    stale = text("a", "b", "theirs")
    assert choose_base([after, before], stale) == before
    assert merge_texts(before, after, stale).text == text("a", "b", "theirs", "ours")


def test_a_person_who_goes_back_to_an_older_version_is_taken_at_their_word() -> None:
    before, after = text("a", "b"), text("a", "b", "ours")
    assert choose_base([after, before], before) == after


@pytest.mark.parametrize(
    ("added", "edited"),
    [
        ("- [ ] Buy milk ➕ 2026-05-08", "- [x] Buy milk ➕ 2026-05-08 ✅ 2026-05-09"),
        ("- deployed the shop", "- deployed the shop, twice"),
        (
            "- Prefers Firefox ^recollect-01kr3qayg0ybz59zy221rqdmxf",
            "- Vivaldi ^recollect-01kr3qayg0ybz59zy221rqdmxf",
        ),
        ("The gateway bans everybody who trys five times", "The gateway bans everybody who tries five times"),
    ],
)
def test_an_edit_of_the_newest_line_was_made_from_the_newest_version(added: str, edited: str) -> None:
    old = "# Notes\n- one\n- two\n"
    newest = f"{old}{added}\n"
    assert choose_base([newest, old], f"{old}{edited}\n") == newest


@pytest.mark.parametrize("line", ["- the gateway is up", "- person wrote 3 here", "- [ ] Buy bread"])
def test_another_line_in_its_place_was_made_without_seeing_it(line: str) -> None:
    old = "# Notes\n- one\n- two\n"
    newest = f"{old}- agent wrote 3 here\n"
    assert choose_base([newest, old], f"{old}{line}\n") == old


def test_a_block_id_goes_behind_the_words_that_a_person_changed_meanwhile() -> None:
    base = "# Preferences\n- likes tea\n- likes rye\n"
    ours = "# Preferences\n- likes tea ^recollect-1\n- likes rye ^recollect-2\n"
    theirs = "# Preferences\r\n- likes green tea\r\n- likes rye\r\n"
    merged = merge_texts(base, ours, theirs)
    assert merged.text == "# Preferences\r\n- likes green tea ^recollect-1\r\n- likes rye ^recollect-2\r\n"
    assert merged.outvoted == ()
