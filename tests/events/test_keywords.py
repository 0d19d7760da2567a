"""What is kept of a text that was read or written: a few words and the names it defines, never the text."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.clients.claude_code.payload import finished
from recollect.clients.gemini import payload as gemini
from recollect.clients.opencode import payload as opencode
from recollect.events.keywords import MAX_NAMES, MAX_WORDS, list_defined_names, list_frequent_words
from recollect.events.places import paths_of_folder
from recollect.events.sanitize import sanitize_event

PRICE = """
def round_price(price, rate):
    # A price is rounded half up; see roundingMode.
    return price.quantize(rate, roundingMode)

class PriceList:
    pass
"""


def test_the_words_used_most_come_first_with_how_often() -> None:
    assert list_frequent_words(PRICE).split() == [
        "price:5",
        "rate:2",
        "roundingmode:2",
        "rounding:2",
        "mode:2",
    ]


def test_a_word_that_comes_once_is_not_kept() -> None:
    assert "hunter" not in list_frequent_words("user: kim\nuser: kim\npassword: hunterxyz")


def test_what_is_too_long_for_a_word_is_none() -> None:
    assert list_frequent_words("A1b2" * 20 + " cart " + "A1b2" * 20 + " cart") == "cart:2"


def test_names_are_those_defined_in_their_order() -> None:
    assert list_defined_names(PRICE) == "round_price PriceList"
    go = "func (s *Store) Save(x int) error {}\ntype Store struct{}\nconst Limit = 3"
    assert list_defined_names(go) == "Save Store Limit"


def test_both_are_bounded() -> None:
    long = " ".join(f"def name{'x' * (n % 40)}{n}(): word{chr(97 + n % 26)} " * 2 for n in range(500))
    assert len(list_frequent_words(long).split()) <= MAX_WORDS
    assert len(list_defined_names(long).split()) == MAX_NAMES


@pytest.mark.parametrize(
    ("tool", "given", "response"),
    [
        ("Read", {}, {"type": "text", "file": {"content": PRICE, "startLine": 1, "numLines": 8}}),
        ("Read", {}, [{"type": "text", "text": PRICE}]),
        ("Write", {"content": PRICE}, {"type": "create"}),
        ("Edit", {"old_string": "x", "new_string": PRICE}, {}),
        ("MultiEdit", {"edits": [{"old_string": "x", "new_string": PRICE}]}, {}),
    ],
)
def test_what_was_read_or_written_is_known_by_its_words(
    tool: str, given: dict[str, Any], response: object
) -> None:
    parts = finished(tool, {"file_path": "/srv/shop/price.py", **given}, response)
    data = sanitize_event({"data": parts["data"]}, paths_of_folder("/srv/shop"))["data"]
    assert data["words"].startswith("price:5 ")
    assert data["names"] == "round_price PriceList"


def test_a_secret_among_the_names_does_not_reach_the_event() -> None:
    key = "ghp_" + "a1B2" * 9
    parts = finished("Read", {"file_path": "/srv/shop/a.py"}, [{"type": "text", "text": f"var {key} = 1"}])
    assert key not in str(sanitize_event({"data": parts["data"]}, paths_of_folder("/srv/shop")))


def test_other_clients_tell_the_words_of_what_they_read_and_write() -> None:
    def read_of(parts: dict[str, Any]) -> tuple[str, str]:
        return parts["data"].get("words", "")[:7], parts["data"].get("names", "")

    told = ("price:5", "round_price PriceList")
    given = {"file_path": "price.py"}
    assert read_of(gemini.answer_parts("read_file", given, {"llmContent": PRICE})) == told
    assert read_of(gemini.answer_parts("read_file", given, {"llmContent": PRICE, "error": "no"})) == ("", "")
    assert (
        read_of(gemini.answer_parts("write_file", given | {"content": PRICE}, {"llmContent": "ok ok"}))
        == told
    )
    assert read_of(opencode.answer_parts("read", {"filePath": "price.py"}, {"output": PRICE})) == told
    assert (
        read_of(opencode.answer_parts("edit", {"filePath": "p", "newString": PRICE}, {"output": "ok"}))
        == told
    )
    assert read_of(opencode.answer_parts("bash", {"command": "cat p"}, {"output": PRICE})) == ("", "")


def test_a_secret_that_comes_twice_is_no_word_of_a_file() -> None:
    secret = "hunter" + "xyzzy42"
    text = f"password = '{secret}'\nretry(password='{secret}')\nconnect('bob', '{secret}')\nconnect('kim')"
    for tool, arguments, response in (
        ("Read", {"file_path": "/p/a.py"}, {"file": {"content": text}}),
        ("Write", {"file_path": "/p/a.py", "content": text}, {"type": "create"}),
    ):
        words = finished(tool, arguments, response)["data"]["words"]
        assert "connect:2" in words
        assert "hunter" not in words
        assert "redacted" not in words
