"""
Agent skills: folders with a SKILL.md that says how something is done here.

Names and descriptions stand in the prompt; the whole text is read with a tool when it is needed. A skill that comes
with a clone was written by whoever wrote the repository, so the prompt says where each is from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.events.hidden import strip_hidden
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments, one_of
from recollect.model.value import dataclass
from recollect.vault.properties import read_properties, split_note

SKILL_FILE = "SKILL.md"
# Where a project has its skills, seen from its root.
PROJECT_FOLDERS = (".recollect/skills", ".claude/skills", ".agents/skills")
_MAX_SKILLS = 40
_MAX_DESCRIPTION = 300
_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSkill:
    """One skill: its name, when to use it, where it is from, and its file."""

    name: str
    description: str
    origin: str
    path: Path


def find_skills(root: Path, user_folder: Path) -> tuple[AgentSkill, ...]:
    """The skills of a user and a project, by name; of two with one name the user's own counts."""
    skills: dict[str, AgentSkill] = {}
    for folder, origin in [
        (user_folder, "yours"),
        *((root / name, "this project's") for name in PROJECT_FOLDERS),
    ]:
        for path in sorted(folder.glob(f"*/{SKILL_FILE}")):
            skill = _read_skill(path, origin)
            if skill is not None:
                skills.setdefault(skill.name, skill)
    return tuple(skills.values())[:_MAX_SKILLS]


def list_skills(skills: Sequence[AgentSkill]) -> str:
    """The skills as the prompt names them; empty if there are none."""
    if not skills:
        return ""
    lines = [f"- {skill.name} ({skill.origin}): {skill.description}" for skill in skills]
    return "\n".join(("Before a task that one of these is for, read it with `read_skill`.", *lines))


def skill_tools(skills: Sequence[AgentSkill]) -> tuple[AgentTool, ...]:
    """The tool `read_skill`; none if there is nothing to read."""
    if not skills:
        return ()
    paths = {skill.name: skill.path for skill in skills}

    def read_skill(arguments_sent: Mapping[str, Any]) -> ToolOutput:
        text = _read_text(paths[arguments_sent["name"]])
        if text is None:
            return ToolOutput(text="The file of this skill cannot be read any more.", ok=False)
        return ToolOutput(text=split_note(text).body.strip())

    return (
        AgentTool(
            name="read_skill",
            description="Read how something is done here: the whole text of a skill that the prompt names.",
            parameters=arguments("name", name=one_of("The skill.", *paths)),
            example={"name": next(iter(paths))},
            reads_only=True,
            run=read_skill,
        ),
    )


def _read_skill(path: Path, origin: str) -> AgentSkill | None:
    text = _read_text(path)
    if text is None:
        return None
    note = split_note(text)
    properties = read_properties(note.block)
    name = str(properties.get("name") or path.parent.name)
    first_line = next((line.strip("# ") for line in note.body.splitlines() if line.strip("# ")), "")
    description = _one_line(str(properties.get("description") or first_line))
    return AgentSkill(name=_one_line(name)[:64], description=description, origin=origin, path=path)


def _read_text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError:
        return None
    return strip_hidden(data.decode("utf-8", "replace")).text


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_DESCRIPTION else line[: _MAX_DESCRIPTION - 1] + "…"
