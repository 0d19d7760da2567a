"""The system prompt comes from parts that a person may edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.agent.prompt_parts import WORDS, assemble_prompt, copy_parts, read_parts
from recollect.errors import BadInput


def words(**given: str) -> dict[str, str]:
    return {name: given.get(name, "") for name in WORDS}


def test_all_parts_are_there_in_order() -> None:
    filled = words(**{name: f"<{name}>" for name in WORDS})
    prompt = assemble_prompt(read_parts(), filled)
    places = [prompt.index(text) for text in ("<user_name>", "## Your memory", "<memory_context>", "<tasks>")]
    places += [prompt.index(text) for text in ("<communication>", "<skills>", "## Planning", "## Safety")]
    places += [prompt.index(text) for text in ("<workspace>", "<completion_token>")]
    assert places == sorted(places)
    assert "<first_session>" in prompt
    assert "<now>" in prompt


def test_a_part_with_nothing_to_say_is_left_out() -> None:
    prompt = assemble_prompt(read_parts(), words(user_name="Alex"))
    assert "## Tasks" not in prompt
    assert "## Skills" not in prompt
    assert "## Safety" in prompt


def test_an_own_part_takes_the_place_of_ours(tmp_path: Path) -> None:
    copied = copy_parts(tmp_path)
    assert len(copied) == len(read_parts())
    (tmp_path / "10-role.md").write_text("You belong to {user_name}.", "utf-8")
    (tmp_path / "70-safety.md").write_text("", "utf-8")
    (tmp_path / "99-mine.md").write_text("Answer in German.", "utf-8")
    assert copy_parts(tmp_path) == []
    prompt = assemble_prompt(read_parts(tmp_path), words(user_name="Alex"))
    assert prompt.startswith("You belong to Alex.")
    assert "## Safety" not in prompt
    assert prompt.endswith("Answer in German.")


def test_what_is_filled_in_is_not_read_as_a_part() -> None:
    assert assemble_prompt({"a.md": "{memory_context}"}, words(memory_context="{root} {x}")) == "{root} {x}"


def test_a_word_that_does_not_exist_is_named() -> None:
    with pytest.raises(BadInput, match="username"):
        assemble_prompt({"a.md": "{username}"}, words())
