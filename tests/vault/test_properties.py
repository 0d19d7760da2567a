"""Properties are edited line by line: what is not ours stays byte for byte."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.vault.properties import edit_properties, find_fault, read_properties, split_note

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff"), max_size=40)
VALUES = st.one_of(WORDS, st.booleans(), st.integers(-(10**6), 10**6), st.lists(WORDS, max_size=4).map(tuple))
HARD = """---
# a comment of mine
title:   'It''s   mine'   # and why
aliases: [ "one, two",  three ]
cssclasses:
- wide
- dark
nested:
  deep:
    - a: 1
date: 2026-01-15
link: "[[Other Note#Heading|alias]]"
long: |
  recollect_id: not mine
  ---not the end
empty:
recollect_kind: fact # ours, with a comment

---
# Body
"""


def loaded(block: str) -> Any:
    yaml = pytest.importorskip("ruamel.yaml").YAML(typ="safe", pure=True)
    return yaml.load(io.StringIO(block)) or {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no properties\n",
        "---\n---\nempty block\n",
        "---\na: 1\n---",
        "\ufeff---\r\na: 1\r\n---\r\nbody\r\n",
        "---\nnever closed\n",
        "---",
        "----\na: 1\n----\n",
        HARD,
    ],
)
def test_a_note_is_cut_and_put_together_without_losing_a_byte(text: str) -> None:
    assert split_note(text).text == text


def test_a_changed_property_changes_its_own_line_and_no_other() -> None:
    edited = edit_properties(split_note(HARD), {"recollect_kind": "decision"}).text
    before, after = HARD.splitlines(), edited.splitlines()
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [
        ("recollect_kind: fact # ours, with a comment", "recollect_kind: decision")
    ]


def test_a_property_that_has_the_value_already_is_not_written_again() -> None:
    assert edit_properties(split_note(HARD), {"recollect_kind": "fact"}).text == HARD


def test_a_new_property_comes_last_and_one_taken_out_leaves_the_others() -> None:
    edited = edit_properties(split_note(HARD), {"recollect_about": ("file:a.py",)}).text
    assert edited == HARD.replace("\n---\n# Body", '\nrecollect_about:\n  - "file:a.py"\n---\n# Body')
    assert edit_properties(split_note(edited), {"recollect_about": None}).text == HARD


def test_a_note_without_properties_gets_them_in_its_own_line_ends() -> None:
    edited = edit_properties(split_note("\ufeffbody\r\n"), {"recollect_id": "01A"}).text
    assert edited == "\ufeff---\r\nrecollect_id: 01A\r\n---\r\nbody\r\n"


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("a: 1\na: 2\n", "twice"),
        ("a:\n\t- b\n", "tab"),
        ("a: b: c\n", "second colon"),
        ("a: &x 1\nb: *x\n", "anchor"),
        ("<<: {a: 1}\n", "merge"),
        ("a: !!python/object:os.system x\n", "tag"),
        ('a: "open\n', "quotation"),
        ("just words\n", "name: value"),
        ("a: " + "[" * 30 + "\n", "deeper"),
        ("a: " + "x" * 20_000 + "\n", "16 KB"),
    ],
)
def test_properties_that_cannot_be_edited_safely_are_named(block: str, says: str) -> None:
    assert says in find_fault(f"---\n{block}---\nbody\n")


@pytest.mark.parametrize("text", [HARD, "no properties", "---\n\n---\nx", "---\n", "text\n---\nmore"])
def test_sound_notes_have_no_fault(text: str) -> None:
    assert find_fault(text) == ""


def test_the_usual_forms_are_read_as_obsidian_reads_them() -> None:
    block = 'a: text\nb: "[[Note]]"\nc: [x, "y, z"]\nd:\n  - one\n  - "two"\ne: true\nf: 0.5\ng: 3\nh: \'it\'\'s\'\n'
    assert read_properties(block) == {
        "a": "text",
        "b": "[[Note]]",
        "c": ("x", "y, z"),
        "d": ("one", "two"),
        "e": True,
        "f": 0.5,
        "g": 3,
        "h": "it's",
    }


@given(value=VALUES)
def test_what_is_written_is_read_back_by_us_and_by_a_yaml_library(value: Any) -> None:
    edited = edit_properties(split_note(HARD), {"recollect_x": value})
    assert read_properties(edited.block)["recollect_x"] == value
    theirs = loaded(edited.block)
    assert theirs["recollect_x"] == (list(value) if isinstance(value, tuple) else value)
    assert {key: theirs[key] for key in loaded(split_note(HARD).block)} == loaded(split_note(HARD).block)


@given(block=st.text(st.sampled_from("ab:- #'\"[]{}&*|>\n\r\t,1"), max_size=60), value=VALUES)
def test_whatever_stands_there_only_our_lines_change(block: str, value: Any) -> None:
    note = split_note(f"---\n{block}\n---\nbody\n")
    edited = edit_properties(note, {"recollect_x": value})
    assert edit_properties(edited, {"recollect_x": None}).body == note.body
    assert edited.text.startswith(note.head + note.block) or not note.has_properties
