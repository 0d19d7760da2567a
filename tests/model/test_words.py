"""Words, normal forms and tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import words
from recollect.model.normal_form import normal_form, text_hash
from recollect.model.tokens import estimate_tokens
from recollect.model.words import index_words, query_words, split_identifier


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("refreshToken", ["refresh", "token"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("parseHTTPResponse", ["parse", "http", "response"]),
        ("refresh_token", ["refresh", "token"]),
        ("utf8", ["utf", "8"]),
        ("ABC", ["abc"]),
        ("größeWert", ["größe", "wert"]),
    ],
)
def test_an_identifier_comes_apart(name: str, parts: list[str]) -> None:
    assert split_identifier(name) == parts


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where is refreshToken?", ["where", "is", "refreshtoken", "refresh", "token"]),
        ("refresh_token", ["refresh", "token"]),
        ("src/auth/login.py", ["src", "auth", "login", "py"]),
        ("Don't panic, don’t!", ["don't", "panic", "don’t"]),
        ("Hello hello HELLO", ["hello"]),
        ("In 2026", ["in", "2026"]),
        ("", []),
        ("?!…", []),
        ("東京都", ["東京都", "東京", "京都"]),
        ("Café über Müller", ["café", "über", "müller"]),
        ("die ÜberKlasse", ["die", "überklasse", "über", "klasse"]),
        ("Python東京", ["python東京", "python", "東京"]),
    ],
)
def test_the_words_of_a_question(question: str, words: list[str]) -> None:
    assert query_words(question) == words


def test_the_index_spells_identifiers_out_once_more() -> None:
    assert index_words("call refreshToken now") == "call refreshToken now\nrefresh token"
    assert index_words("Nothing special here, said Ann in 2026") == "Nothing special here, said Ann in 2026"
    assert index_words("東京都へ") == "東京都へ\n東京 京都 都へ"


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("the refreshToken call", "token"),
        ("the refresh_token call", "refresh"),
        ("HTTPServer2 is slow", "server"),
        ("私は東京都に住んでいます", "東京"),
        ("서울에서 만나요", "서울"),
        ("กรุงเทพมหานคร", "กรุงเทพ"),
    ],
)
def test_a_question_shares_a_word_with_what_it_is_about(kept: str, asked: str) -> None:
    filed = set(query_words(index_words(kept)))
    assert filed & set(query_words(asked))


@given(st.text(max_size=200))
def test_any_text_has_words_in_lower_case_each_once(text: str) -> None:
    words = query_words(text)
    assert len(words) == len(set(words))
    assert all(word == word.lower() for word in words if word.isascii())
    assert index_words(text).startswith(text)


def test_a_very_long_name_is_not_taken_apart() -> None:
    assert index_words("aB" * 200) == "aB" * 200


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retries are capped at 3.", "retries are capped at 3"),
        ("Use  “tabs”", "use tabs"),
        ("it's - really - fine!", "it s really fine"),
        ("ﬁle", "file"),
        ("STRASSE", "straße"),
        ("end of line\n", "End of line..."),
    ],
)
def test_spelling_habits_do_not_make_two_texts(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Python 3.11", "Python 3 11"),
        ("C++", "C"),
        ("C#", "C"),
        ("a/b", "a b"),
        ("retry-after", "retry after"),
        ("do it", "do not it"),
        ("!!!", "???"),
    ],
)
def test_what_carries_meaning_stays(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


@given(st.text(max_size=100))
def test_case_and_spacing_never_count(text: str) -> None:
    assert normal_form(f"  {text}\n\n") == normal_form(text)
    if text.isascii():
        assert normal_form(text.upper()) == normal_form(text.lower())
        assert normal_form(normal_form(text)) == normal_form(text)


@given(st.text(max_size=50), st.text(max_size=50))
def test_a_fingerprint_tells_texts_apart(one: str, other: str) -> None:
    assert (text_hash(one) == text_hash(other)) == (one == other)
    assert len(text_hash(one)) == 32


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("x" * 4000, 1000)]
)
def test_tokens_are_characters_over_four(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_the_quick_look_misses_no_identifier(text: str) -> None:
    spelt_out = [part for name in words._find_identifiers(text) for part in words.split_identifier(name)]
    assert words.index_words(text) == (f"{text}\n{' '.join(spelt_out)}" if spelt_out else text)
