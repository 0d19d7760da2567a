"""Recipes become skills: proposed when they hold, written after a yes, by the specification, never over an edit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.errors import BadInput, OnlyAPerson
from recollect.learn.skills.skill_text import MAX_DESCRIPTION, MAX_NAME, make_name
from recollect.model.learned import SkillState
from recollect.model.memory import Memory
from recollect.model.provenance import Channel
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

STEPS = [{"description": "edit CHANGELOG.md"}, {"description": "run `make release`"}]


def add_recipe(
    memory: Recollect, *, good: int = 10, bad: int = 0, task: str = "Release the … package"
) -> Memory:
    fields: dict[str, Any] = {
        "task_pattern": task,
        "steps": STEPS,
        "success_count": good,
        "failure_count": bad,
    }
    return memory.remember(f"To {task}: edit, run", kind="workflow_recipe", fields=fields).memory  # type: ignore[union-attr]


def read_header(text: str) -> dict[str, str]:
    header = text.split("---\n")[1]
    lines = re.findall(r"^(\w+): (.+)$", header, re.MULTILINE)
    return {name: json.loads(value) if value.startswith('"') else value for name, value in lines}


@pytest.mark.parametrize(
    ("good", "bad", "is_proposed"), [(9, 0, False), (10, 0, True), (9, 1, True), (8, 2, False)]
)
def test_a_recipe_is_proposed_after_ten_runs_of_which_nine_went_well(
    memory: Recollect, good: int, bad: int, is_proposed: bool
) -> None:
    add_recipe(memory, good=good, bad=bad)
    assert [view.state for view in memory.skills.list()] == [SkillState.PROPOSED] * is_proposed


def test_the_file_keeps_to_the_specification(memory: Recollect, tmp_path: Path) -> None:
    recipe = add_recipe(memory, task="Release the “…” package: Größe & --- more\n# heading")
    view = memory.skills.promote(recipe.id, folder=tmp_path / "skills")
    path = Path(view.path)
    text = path.read_text("utf-8")
    header = read_header(text)
    assert path.name == "SKILL.md"
    assert header["name"] == path.parent.name == view.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", header["name"])
    assert len(header["name"]) <= MAX_NAME
    assert 0 < len(header["description"]) <= MAX_DESCRIPTION
    assert "1. edit CHANGELOG.md\n2. run `make release`" in text
    assert text.count("\n---\n") == 1, "what stands in a recipe cannot end the header"


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Release the … package", "release-the-package"),
        ("--Ä--B--", "a-b"),
        ("発売", "recipe"),
        ("x" * 80, "x" * 64),
    ],
)
def test_names_are_names_of_folders(task: str, name: str) -> None:
    assert make_name(task) == name


def test_nothing_is_written_without_a_person(memory: Recollect, tmp_path: Path, clock: Clock) -> None:
    recipe = add_recipe(memory)
    with (
        Recollect(
            tmp_path / "memories.db",
            folder=None,
            clock=clock,
            embedder=HashEmbedder(),
            actor="agent",
            channel=Channel.AGENT,
        ) as agent,
        pytest.raises(OnlyAPerson),
    ):
        agent.skills.promote(recipe.id, folder=tmp_path / "skills")
    assert not (tmp_path / "skills").exists()


def test_an_edited_file_is_never_overwritten_or_removed(memory: Recollect, tmp_path: Path) -> None:
    recipe = add_recipe(memory)
    path = Path(memory.skills.promote(recipe.id, folder=tmp_path / "skills").path)
    path.write_text(path.read_text("utf-8") + "\nMy own line.\n", "utf-8")
    mine = path.read_text("utf-8")
    assert memory.skills.show(recipe.id).state is SkillState.EDITED
    memory.edit(
        recipe.id, fields={**memory.show(recipe.id).fields, "steps": [*STEPS, {"description": "git tag"}]}
    )
    for act in (memory.skills.promote, memory.skills.retire):
        with pytest.raises(BadInput, match="stays"):
            act(recipe.id)
        assert path.read_text("utf-8") == mine


def test_a_file_that_was_there_before_is_not_taken_over(memory: Recollect, tmp_path: Path) -> None:
    recipe = add_recipe(memory)
    path = tmp_path / "skills" / "release-the-package" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("mine", "utf-8")
    with pytest.raises(BadInput, match="somebody else"):
        memory.skills.promote(recipe.id, folder=tmp_path / "skills")
    assert path.read_text("utf-8") == "mine"
    assert memory.skills.show(recipe.id).state is SkillState.PROPOSED


def test_a_recipe_that_changes_outdates_its_skill_until_it_is_promoted_again(
    memory: Recollect, tmp_path: Path
) -> None:
    recipe = add_recipe(memory)
    path = Path(memory.skills.promote(recipe.id, folder=tmp_path / "skills").path)
    assert memory.skills.show("release-the-package").state is SkillState.WRITTEN
    fields = {**memory.show(recipe.id).fields, "success_count": 11}
    memory.edit(recipe.id, fields=fields)
    assert memory.skills.show(recipe.id).state is SkillState.WRITTEN, "a count alone changes nothing"
    memory.edit(recipe.id, fields={**fields, "steps": [*STEPS, {"description": "git tag"}]})
    assert memory.skills.show(recipe.id).state is SkillState.OUTDATED
    assert memory.skills.promote(recipe.id).state is SkillState.WRITTEN
    assert "3. git tag" in path.read_text("utf-8")


def test_writing_and_retiring_can_be_taken_back(memory: Recollect, tmp_path: Path) -> None:
    recipe = add_recipe(memory)
    path = Path(memory.skills.promote(recipe.id, folder=tmp_path / "skills").path)
    text = path.read_text("utf-8")
    assert memory.skills.retire(recipe.id).state is SkillState.PROPOSED
    assert not path.parent.exists()
    assert memory.skills.undo(recipe.id).state is SkillState.WRITTEN
    assert path.read_text("utf-8") == text


def test_a_recipe_that_is_not_proved_needs_force(memory: Recollect, tmp_path: Path) -> None:
    recipe = add_recipe(memory, good=3)
    with pytest.raises(BadInput, match="10 runs"):
        memory.skills.promote(recipe.id, folder=tmp_path / "skills")
    assert (
        memory.skills.promote(recipe.id, folder=tmp_path / "skills", force=True).state is SkillState.WRITTEN
    )
