"""Skills: named in the prompt, read when they are needed, the user's own before a clone's."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.agent.loop import Loop
from recollect.agent.loop_parts import LoopSettings
from recollect.agent.model_client import ModelReply, ModelRequest
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.agent.skills import find_skills, list_skills, skill_tools
from recollect.errors import BadInput
from tests.agent.test_loop import DONE


def write_skill(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(text, "utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write_skill(
        root / ".claude/skills",
        "release",
        "---\nname: release\ndescription: How we release\n---\nTag first.\n",
    )
    write_skill(root / ".recollect/skills", "plain", "# Draw a chart\n\nUse SVG.\n")
    write_skill(tmp_path / "mine", "release", "---\ndescription: My own way\n---\nAsk Kim.\n")
    return root


def test_skills_are_found_and_the_users_own_comes_first(project: Path, tmp_path: Path) -> None:
    assert list_skills(find_skills(project, tmp_path / "mine")).splitlines()[1:] == [
        "- release (yours): My own way",
        "- plain (this project's): Draw a chart",
    ]
    assert list_skills(find_skills(tmp_path / "nowhere", tmp_path / "nowhere")) == ""
    assert skill_tools(()) == ()


def test_the_text_of_a_skill_is_read_with_a_tool(project: Path, tmp_path: Path) -> None:
    (read_skill,) = skill_tools(find_skills(project, tmp_path / "none"))
    assert read_skill.call({"name": "release"}).text == "Tag first."
    with pytest.raises(BadInput):
        read_skill.call({"name": "../../secret"})


def test_what_hides_in_a_skill_is_not_shown(tmp_path: Path) -> None:
    write_skill(tmp_path, "odd", "---\ndescription: fine\u200b\u202e\n---\nvisible\U000e0041\n")
    skills = find_skills(tmp_path / "none", tmp_path)
    assert skills[0].description == "fine"
    assert skill_tools(skills)[0].call({"name": "odd"}).text == "visible"


def test_the_prompt_names_them(project: Path, tmp_path: Path) -> None:
    prompts: list[str] = []

    class Listening(ScriptedClient):
        def send(self, request: ModelRequest) -> ModelReply:
            prompts.append(request.system)
            return super().send(request)

    skills = find_skills(project, tmp_path / "none")
    turns = [{"calls": [{"tool": "read_skill", "arguments": {"name": "release"}}]}, DONE]
    store = RunStore(tmp_path / "runs")
    settings = LoopSettings(skills=list_skills(skills))
    result = Loop(Listening(turns), skill_tools(skills), run_store=store, settings=settings).run(
        "Release it."
    )
    assert "release (this project's): How we release" in prompts[0]
    assert "Tag first." in str(store.state(result.run_id).messages)
