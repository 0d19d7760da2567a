"""Keys of programs: made once, known again, and never written down by anything that cleans a text."""

from __future__ import annotations

from recollect.events.redact import redact
from recollect.server.keys import make_token, parse_token


def test_a_key_is_known_again_and_a_changed_one_is_none() -> None:
    key = make_token("acme-labs")
    assert parse_token(str(key)) == key
    assert parse_token(str(key)[:-1]) is None
    assert parse_token(str(key).replace("rct_", "abc_")) is None


def test_a_key_in_a_text_is_taken_out() -> None:
    key = str(make_token("acme-labs"))
    cleaned = redact(f"the agents on the build machine use {key} since May")
    assert key.rpartition("_")[2] not in cleaned.text
    assert cleaned.text.startswith("the agents on the build machine use ")
    assert cleaned.text.endswith(" since May")
