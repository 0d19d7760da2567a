"""The story of the demo, told by the real hooks and commands."""

from __future__ import annotations

import pytest

from recollect.demo import STORY, tell_story

WIDTH = 80


@pytest.fixture(scope="module")
def scenes() -> dict[str, str]:
    """What each scene showed, by its heading; and what was said at the end."""
    shown: dict[str, list[str]] = {}
    lines: list[str] = []

    def say(text: str) -> None:
        nonlocal lines
        if not text.startswith("$ "):
            lines = shown.setdefault(text.strip().partition(". ")[2], [])

    assert tell_story(say, lambda line: lines.append(line))
    return {heading: "\n".join(texts) for heading, texts in shown.items()}


def told(scene: str) -> str:
    """What memory said in a scene."""
    return " ".join(scene.partition("\nmemory")[2].split())


def test_what_monday_taught_is_told_on_tuesday_at_the_prompt_and_at_the_failure(
    scenes: dict[str, str],
) -> None:
    monday, tuesday, wednesday = (scenes[scene.says] for scene in STORY if scene.session)
    assert "[recollect" not in monday
    at_prompt, _, at_failure = tuesday.partition("$ pytest -q")
    assert "Never raise MAX_ATTEMPTS in src/retry.py: the bank blocks cards." in told(at_prompt)
    assert "an edit of src/clock.py made it pass" in told(at_failure)
    assert "seen once" in told(at_failure)
    assert "tokens)" in at_prompt and "tokens)" in at_failure
    assert "[recollect" not in wednesday


def test_what_it_cost_is_said_at_the_end(scenes: dict[str, str]) -> None:
    last = scenes[STORY[-1].says]
    assert "hooks ran" in last
    assert "0 tokens" not in last.replace("10 tokens", "").partition(" tokens")[0]


def test_all_of_it_is_read_at_eighty_columns(scenes: dict[str, str]) -> None:
    lines = [line for text in scenes.values() for line in text.splitlines()]
    assert [line for line in (*lines, *(scene.says for scene in STORY)) if len(line) > WIDTH] == []
