"""What a memory is about, as people write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import BadSubject
from recollect.model.subject import MAX_NAME, SUBJECT_TYPES, Subject, parse_subject, parse_subjects


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("file:src/auth.py", Subject("file", "src/auth.py")),
        ("  file: src/auth.py ", Subject("file", "src/auth.py")),
        ("src/auth.py", Subject("file", "src/auth.py")),
        ("./src/auth.py", Subject("file", "src/auth.py")),
        ("././a.py", Subject("file", "a.py")),
        ("src\\auth.py", Subject("file", "src/auth.py")),
        ("README.md", Subject("file", "README.md")),
        (".gitignore", Subject("file", ".gitignore")),
        ("src/auth.py::refresh", Subject("symbol", "src/auth.py::refresh")),
        ("auth.py::Session.refresh", Subject("symbol", "auth.py::Session.refresh")),
        ("src/auth.py::", Subject("file", "src/auth.py::")),
        ("symbol:src\\auth.py::refresh", Subject("symbol", "src/auth.py::refresh")),
        ("symbol:src/auth.py::A\\B", Subject("symbol", "src/auth.py::A\\B")),
        ("module:auth", Subject("module", "auth")),
        ("service:caddy", Subject("service", "caddy")),
        ("app:chrome", Subject("app", "chrome")),
        ("person:Alex Kim", Subject("person", "Alex Kim")),
        ("project:site", Subject("project", "site")),
        ("tool:click_by_text", Subject("tool", "click_by_text")),
        ("person:a:b", Subject("person", "a:b")),
        ("team_2:core", Subject("team_2", "core")),
        ("https://example.org/a.html", Subject("file", "https://example.org/a.html")),
    ],
)
def test_a_subject_is_read_as_it_is_meant(text: str, subject: Subject) -> None:
    assert parse_subject(text) == subject


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("payments", "module:payments, service:payments or person:payments"),
        ("", "module:payments"),
        ("person:", "the name is empty"),
        ("person:   ", "the name is empty"),
        ("person:" + "x" * (MAX_NAME + 1), "longer than 1024"),
    ],
)
def test_what_is_no_subject_is_refused_with_a_way_out(text: str, why: str) -> None:
    with pytest.raises(BadSubject) as error:
        parse_subject(text)
    assert why in str(error.value)
    assert "Write TYPE:NAME" in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("kind", ["Person", "1st", "", "a b", "x" * 33, "a\n"])
def test_a_type_is_a_short_plain_word(kind: str) -> None:
    with pytest.raises(BadSubject, match="no type of subject"):
        Subject(kind, "name")


@given(
    st.sampled_from(SUBJECT_TYPES),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).map(str.strip).filter(bool),
)
def test_writing_and_reading_again_gives_the_same(kind: str, name: str) -> None:
    try:
        subject = parse_subject(f"{kind}:{name}")
    except BadSubject:  # nothing is left of "./", and a name of // is an address
        return
    if not subject.name.startswith("//"):
        assert parse_subject(str(subject)) == subject


def test_subjects_come_once_each_in_order() -> None:
    given_ = ["module:b", Subject("module", "a"), "module:b", "a.py", "file:a.py"]
    assert [str(subject) for subject in parse_subjects(given_)] == ["module:b", "module:a", "file:a.py"]
