"""Recipes that hold as Agent Skills, as `memory.skills`: proposed, written after a yes, taken back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect import config
from recollect.api.learned_memories import LearnedMemories
from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.capture import change, rights
from recollect.capture.write_context import begin_act
from recollect.errors import BadInput, NotFound
from recollect.learn.skills.readiness import MIN_RATE, MIN_RUNS, is_skill_ready
from recollect.learn.skills.skill_files import find_state, remove_skill_file, write_skill_file
from recollect.learn.skills.skill_text import write_skill
from recollect.model.learned import SkillState, SkillView
from recollect.model.memory import Memory, MemoryState
from recollect.model.normal_form import text_hash

__all__ = ["SkillState", "SkillView", "Skills"]

_USER_CLIENT, _PROJECT_CLIENT, _PROJECT = ".claude/skills", ".claude/skills", ".agents/skills"


@public_api
class Skills:
    """What recipes became: files that coding agents read. Nothing is written without a person's yes."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._memories = LearnedMemories(wiring, "workflow_recipe")

    def list(self, *, every_project: bool = False) -> Sequence[SkillView]:
        """The skills that are written, and the recipes that are good enough to become one."""
        states = (MemoryState.ACTIVE, MemoryState.INACTIVE, MemoryState.ARCHIVED)
        recipes = self._memories.list(states=states, every_project=every_project)
        return [make_skill_view(one) for one in recipes if _read_path(one) or is_skill_ready(one)]

    def show(self, name: str) -> SkillView:
        """One skill, by its name or its recipe's id."""
        named = [view for view in self.list() if view.name == name]
        return named[0] if named else make_skill_view(self._memories.get(name))

    def promote(
        self, name: str, *, folder: str | Path | None = None, user: bool = False, force: bool = False
    ) -> SkillView:
        """
        A person's yes: write the skill, or bring its file up to date. A file that somebody changed stays as it is.

        Into the project's folder of skills, the user's, or the one that is named. `force` takes a recipe that is not
        proved yet.
        """
        view = self.show(name)
        recipe = view.recipe
        context = self._wiring.begin_writing()
        rights.check_person(begin_act(context, "promote", self._wiring.actor), "write a skill")
        if view.state is SkillState.PROPOSED and not force and not is_skill_ready(recipe):
            raise BadInput(
                reason=f"a recipe becomes a skill after {MIN_RUNS} runs of which {MIN_RATE:.0%} went well;"
                " --force writes it all the same"
            )
        place = write_skill_file(
            self._find_folder(folder, user=user),
            write_skill(recipe),
            path=_read_path(recipe) if folder is None else "",
            written_hash=_read_hash(recipe),
        )
        self._keep(recipe, str(place), text_hash(view.text), "promote")
        return self.show(recipe.id)

    def retire(self, name: str, *, why: str = "") -> SkillView:
        """Take the file away, if it is as we wrote it; the recipe stays."""
        view = self.show(name)
        if not view.path:
            raise NotFound(what="written skill", name=name)
        context = self._wiring.begin_writing()
        rights.check_person(begin_act(context, "retire", self._wiring.actor), "retire a skill")
        if not remove_skill_file(view.path, _read_hash(view.recipe)):
            raise BadInput(reason=f"{view.path} was changed by somebody and stays; remove it yourself")
        self._keep(view.recipe, "", "", "retire", why)
        return self.show(view.recipe.id)

    def undo(self, name: str) -> SkillView:
        """Take back the last act on a skill: what was written goes, what was retired is written again."""
        view = self.show(name)
        before = self._memories.undo(view.recipe.id)
        if view.path and not _read_path(before):
            remove_skill_file(view.path, _read_hash(view.recipe))
        elif _read_path(before) and not view.path:
            write_skill_file(Path(), write_skill(before), path=_read_path(before))
        return make_skill_view(before)

    def _find_folder(self, folder: str | Path | None, *, user: bool) -> Path:
        if folder is not None:
            return Path(folder)
        place = self._wiring.identity()
        if user or place is None:
            client = Path.home() / _USER_CLIENT
            return client if client.parent.is_dir() else config.user_file().parent / "skills"
        root = Path(place.root)
        return root / (_PROJECT_CLIENT if (root / ".claude").is_dir() else _PROJECT)

    def _keep(self, recipe: Memory, path: str, written_hash: str, action: str, why: str = "") -> None:
        fields = {**recipe.fields, "skill_path": path, "skill_hash": written_hash}
        if recipe.fields.get("skill_path") == path and recipe.fields.get("skill_hash") == written_hash:
            return
        change.edit_memory(
            self._wiring.begin_writing(),
            recipe.id,
            {"fields": fields},
            actor=self._wiring.actor,
            why=why,
            action=action,
        )


def make_skill_view(recipe: Memory) -> SkillView:
    """The skill of a recipe as people look at it."""
    skill, path = write_skill(recipe), _read_path(recipe)
    return SkillView(
        name=Path(path).parent.name if path else skill.name,
        description=skill.description,
        state=find_state(path, _read_hash(recipe), skill.text),
        recipe=recipe,
        text=skill.text,
        path=path,
    )


def _read_path(recipe: Memory) -> str:
    return str(recipe.fields.get("skill_path") or "")


def _read_hash(recipe: Memory) -> str:
    return str(recipe.fields.get("skill_hash") or "")
