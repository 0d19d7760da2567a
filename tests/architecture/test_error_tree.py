"""Every error has a sentence, a code, and its place in the drawing."""

from __future__ import annotations

import re
import string

import pytest

from recollect import errors
from recollect.errors import RecollectError

CLASSES = [
    value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, RecollectError)
]


def drawn() -> dict[str, str]:
    """Each class in the drawing at the top of the file, with the one it hangs on."""
    parents: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"((?:│   |    |├── |└── )*)([A-Z]\w+)(?:\s{2,}.*)?$", line)
        if match:
            depth = len(match[1]) // 4
            above[depth:] = [match[2]]
            parents[match[2]] = above[depth - 1] if depth else ""
    return parents


def test_the_drawing_is_the_tree() -> None:
    assert drawn() == {
        error.__name__: error.__bases__[0].__name__ if error is not RecollectError else ""
        for error in CLASSES
    }
    assert len(CLASSES) > 20


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_every_error_has_a_sentence_and_a_code(error: type[RecollectError]) -> None:
    assert (error.__doc__ and error.__doc__.strip()[-1] in ".}e") or error.__name__ == "MissingExtra"
    assert re.fullmatch(r"[a-z][a-z_]*", error.code)
    assert "code" in vars(error), f"{error.__name__} shares the code of its parent"
    assert error.exit_code in (1, 2, 3, 4)


def test_no_two_errors_share_a_code() -> None:
    codes = [error.code for error in CLASSES]
    assert sorted(codes) == sorted(set(codes))


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_the_sentence_is_filled_in_with_the_facts(error: type[RecollectError]) -> None:
    names = [name for _, name, _, _ in string.Formatter().parse(error.__doc__ or "") if name]
    made = error(**dict.fromkeys(names, 7))
    assert "{" not in str(made)
    assert "\n" not in str(made)
    assert made.facts == dict.fromkeys(names, 7)


def test_a_message_of_its_own_is_taken_as_it_is() -> None:
    assert str(errors.NotFound("There is no {such} thing.")) == "There is no {such} thing."


def test_a_fix_may_come_with_the_error() -> None:
    assert errors.StoreError(path="a", reason="b", fix="recollect doctor").fix == "recollect doctor"
    assert errors.StoreError(path="a", reason="b").fix == ""
