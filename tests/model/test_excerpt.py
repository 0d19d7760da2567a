"""Long texts in an answer are cut with a pointer, and contradictions are told on both sides."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect
from recollect.model.excerpt import LONG_TEXT, cut_long_text, find_contradictions


def test_a_long_text_is_cut_between_words_and_says_how_to_see_the_rest() -> None:
    text = "word " * 400
    cut = cut_long_text(text, "01M7NAZBR5W39ABCDEFGHJKMNP")
    assert len(cut) < LONG_TEXT
    assert cut.endswith("more characters: recollect show 01M7NAZBR5W39)")
    assert "wor …" not in cut
    assert cut_long_text("x" * LONG_TEXT, "01M7NAZBR5W39ABCDEFGHJKMNP") == "x" * LONG_TEXT


def test_a_contradiction_is_told_on_both_sides(tmp_path: Path) -> None:
    with Recollect(tmp_path / "a.db", folder=None) as memory:
        old = memory.remember("Retries are capped at 3").memory  # type: ignore[union-attr]
        new = memory.remember("Uploads are retried five times").memory  # type: ignore[union-attr]
        new = memory.edit(new.id, relations=[{"type": "conflicts_with", "memory_id": old.id}])
        assert find_contradictions([old, new]) == {old.id: (new.id,), new.id: (old.id,)}
        assert find_contradictions([new]) == {}
        block = memory.rendering.block("What is known", [old, new])
        assert f"contradicts {new.id[:13]}" in block and f"contradicts {old.id[:13]}" in block
