"""References to units of work."""

from __future__ import annotations

import pytest

from recollect.errors import BadInput
from recollect.model.scope import WorkRef, parse_workref


@pytest.mark.parametrize(
    ("text", "methodology", "hierarchy"),
    [
        ("native:spec_042/subtask_3", "native", ("spec_042", "subtask_3")),
        ("spec_042", "native", ("spec_042",)),
        ("bmad: epic 1 / story 2 ", "bmad", ("epic 1", "story 2")),
        ("tdd://a//b/", "tdd", ("a", "b")),
        ("native:a:b/c", "native", ("a:b", "c")),
    ],
)
def test_a_reference_is_read(text: str, methodology: str, hierarchy: tuple[str, ...]) -> None:
    ref = parse_workref(text)
    assert (ref.methodology, ref.hierarchy, ref.label) == (methodology, hierarchy, " / ".join(hierarchy))
    assert parse_workref(str(ref)) == ref


def test_a_label_of_its_own_is_kept() -> None:
    assert parse_workref("native:a/b", label="The second part").label == "The second part"


@pytest.mark.parametrize("text", ["", "native:", "native:/", ":a", "  :a", "native: / "])
def test_what_names_no_work_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="names no unit of work; write METHODOLOGY:OUTER/INNER"):
        parse_workref(text)


@pytest.mark.parametrize(("methodology", "hierarchy"), [("", ("a",)), ("native", ()), ("native", ("a", " "))])
def test_a_reference_cannot_be_empty(methodology: str, hierarchy: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="names no unit of work"):
        WorkRef(methodology=methodology, hierarchy=hierarchy, label="")
