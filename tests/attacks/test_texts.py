"""Rows A3, A8, A19, A20 and A21: hostile texts in every field stay texts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from recollect import Recollect, Remembered
from recollect.capture.evidence import find_carrying_prompt, find_repeated_texts, gives_orders
from recollect.errors import BadImport, RecollectError
from recollect.events.excluded import is_excluded
from recollect.inject.render import Block, escape, parse_blocks, render_block, to_item
from recollect.model.health import FindingLevel
from recollect.model.memory import MemoryDraft, MemoryState
from recollect.model.provenance import Channel
from recollect.model.subject import Subject
from tests.attacks.payloads import PLANTED
from tests.capture.test_standing import kept
from tests.inject.test_render import BREAKOUTS

BOUNDARY = "0badc0de99"


@pytest.mark.parametrize("field", ["text", "tags", "citation", "subject", "fields"])
def test_a3_no_stored_field_breaks_out_of_what_is_injected(memory: Recollect, field: str) -> None:
    items = []
    for number, payload in enumerate((*BREAKOUTS, *PLANTED)):
        if not payload.strip() or "\ud800" in payload:
            continue
        text = f"{number} {payload}" if field == "text" else f"An honest text {number}"
        details: dict[str, Any] = {
            "tags": {"tags": (payload,)},
            "citation": {"citation": payload},
            "subject": {"subjects": (Subject("file", payload), Subject("service", payload))},
            "fields": {"kind": "decision", "fields": {"rationale": payload}},
        }.get(field, {})
        [answer] = memory.remember_many([MemoryDraft(**({"text": text, "kind": "fact"} | details))])
        assert isinstance(answer, Remembered), answer
        items.append(to_item(memory.show(answer.memory.id)))
    block = Block(heading="What is known", items=tuple(items))
    text = render_block(block, BOUNDARY)
    assert parse_blocks(text) == [block]
    assert len(text.splitlines()) == len(items) + 2
    assert text.count(BOUNDARY) == 2
    assert "<" not in text
    assert "\x1b" not in text


HIDDEN = {
    "tags": range(0xE0020, 0xE007F),
    "variation selectors": range(0xE0100, 0xE01EF),
    "zero width": (0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF),
    "invisible operators": range(0x2061, 0x2065),
    "bidi": (*range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    "deprecated": range(0x206A, 0x2070),
    "soft hyphen": (0x00AD,),
    "annotation": range(0xFFF9, 0xFFFC),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_a8_hidden_characters_are_taken_out_counted_and_looked_at(memory: Recollect, name: str) -> None:
    letters = [chr(code) for code in HIDDEN[name]]
    few, many = letters[0], "".join(letters * 20)[:20]
    once = memory.remember(f"One {few} of {name}")
    assert isinstance(once, Remembered)
    assert (once.hidden, once.memory.state) == (1, MemoryState.ACTIVE)
    often = memory.remember(f"Twenty {many} of {name}")
    assert isinstance(often, Remembered)
    assert often.hidden == 20
    assert often.memory.state is MemoryState.QUARANTINED
    assert not set(letters) & set(once.memory.text + often.memory.text)


@pytest.mark.parametrize("text", ["Family 👨‍👩‍👧 and ❤️ ok", "نمی‌خواهم این را", "हिन्दी में क्‍ष", "שלום עולם"])
def test_a8_languages_and_emoji_stay_as_they_are(memory: Recollect, text: str) -> None:
    assert kept(memory, text).text == text


LONG = 200_000
HEAVY: dict[str, Callable[[], object]] = {
    "a page without spaces": lambda: find_repeated_texts("the quick brown fox jumps", ["x" * LONG]),
    "a page of one word": lambda: find_repeated_texts("fox " * 2000, ["fox " * (LONG // 4)]),
    "a prompt of commas": lambda: find_carrying_prompt("use tabs not spaces", ["," * LONG]),
    "a prompt of clauses": lambda: find_carrying_prompt(
        "use tabs not spaces always", ["use tabs, " * (LONG // 10)]
    ),
    "a prompt of fences": lambda: find_carrying_prompt("use tabs", ["```" * (LONG // 3)]),
    "a prompt of dots": lambda: find_carrying_prompt("a." * 2000, ["a." * (LONG // 2)]),
    "an order that never comes": lambda: gives_orders("do not " * (LONG // 7)),
    "a glob full of stars": lambda: is_excluded("a" * LONG, "*a" * 100 + "b"),
    "a glob full of folders": lambda: is_excluded("/".join("a" * 2000), "/".join(["**", "a"] * 100 + ["b"])),
    "brackets": lambda: escape("[" * LONG),
    "almost a chip": lambda: parse_blocks("- [↗ " + "a" * LONG),
    "almost a head": lambda: parse_blocks("[recollect " + "0" * LONG),
}


@pytest.mark.parametrize("name", HEAVY)
def test_a19_no_text_makes_the_door_hang(name: str) -> None:
    begun = time.process_time()
    HEAVY[name]()
    assert time.process_time() - begun < 20


HEADER = '{"format": "recollect-memories", "version": 1}'


@pytest.mark.parametrize(
    ("line", "cap"),
    [
        ('{"text": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested at most 20"),
        ('{"text": "' + "x" * 10_000_000 + '"}', "at most 1,000,000 characters"),
        ('{"text": "' + "x" * 900_000 + '"}', "64,000"),
        (json.dumps({"text": "a", "tags": ["t"] * 5000}), "256 tags"),
        (json.dumps({"text": "a", "fields": {"rationale": "x" * 70_000}, "kind": "decision"}), "64,000"),
        ("\x1f\x8b\x08 not text", "compressed"),
    ],
)
def test_a20_what_is_too_large_is_refused_by_the_name_of_its_cap(
    memory: Recollect, line: str, cap: str
) -> None:
    with pytest.raises(BadImport, match="line 2") as refused:
        memory.admin.import_memories(lambda: iter([HEADER, line]))
    assert cap in str(refused.value)
    assert memory.count() == 0


POLYGLOTS = (
    "' OR 1=1 --",
    '"; DROP TABLE memory; --',
    "x' UNION SELECT text FROM memory --",
    "*",
    '"',
    "NEAR(a b)",
    "text:secret OR 1",
    "a AND",
    "%_%",
    "$[0]",
    "')) OR (('a'='a",
    "[1]",
    "\\",
    ":name",
    "{filters}",
    "01' OR '1'='1",
)


@pytest.mark.parametrize("text", POLYGLOTS)
def test_a21_what_looks_like_sql_is_only_text(memory: Recollect, text: str) -> None:
    kept(memory, "The one that must stay", channel=Channel.OBSERVED, session="s1")
    asks: tuple[Callable[[], object], ...] = (
        lambda: memory.show(text),
        lambda: memory.reviews.pending(memory.filters(tags=(text,), sessions=(text,))),
        lambda: memory.reviews.session(text),
        lambda: memory.reviews.source(f"session:{text}"),
        lambda: memory.reviews.source(f"tool:{text}"),
        lambda: memory.reviews.source(f"event:{text}"),
        lambda: memory.reviews.source(f"https://x.example/{text}"),
        lambda: memory.reviews.forget_source(f"session:{text}"),
        lambda: memory.reviews.confirm(text),
    )
    for ask in asks:
        try:
            found = str(ask())
        except RecollectError as error:
            found = str(error)
        assert "must stay" not in found
    memory.recall(text)
    kept(memory, "Another", session=text, tags=[text])
    assert memory.count() == 2
    assert {finding.verdict for finding in memory.admin.verify()} <= {FindingLevel.PASS, FindingLevel.WARN}
