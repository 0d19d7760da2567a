"""
The files of skills: written after a yes, updated while they are as we wrote them, and never over a person's edit.

What we wrote last is known by its hash, kept with the recipe. A file with another hash is a person's from then on.
"""

from __future__ import annotations

import os
from pathlib import Path

from recollect.errors import BadInput
from recollect.learn.skills.skill_text import SkillText
from recollect.model.learned import SkillState
from recollect.model.normal_form import text_hash

SKILL_FILE = "SKILL.md"
_MAX_BYTES = 1_000_000


def find_state(path: str, written_hash: str, text: str) -> SkillState:
    """Where a skill stands, by its file and the hash of what we wrote last."""
    if not path:
        return SkillState.PROPOSED
    current = read_skill_file(Path(path))
    if current is None:
        return SkillState.MISSING
    if text_hash(current) != written_hash:
        return SkillState.EDITED
    return SkillState.WRITTEN if current == text else SkillState.OUTDATED


def write_skill_file(folder: Path, skill: SkillText, *, path: str = "", written_hash: str = "") -> Path:
    """Write or update the file of a skill, whole or not at all. Refused where a person's own words stand."""
    place = Path(path) if path else folder / skill.name / SKILL_FILE
    current = read_skill_file(place)
    if current is not None and text_hash(current) != written_hash and current != skill.text:
        raise BadInput(
            reason=f"{place} was written or changed by somebody else and stays as it is; move it away to write this one"
        )
    if place.is_symlink() or place.parent.is_symlink():
        raise BadInput(reason=f"{place} is a link; a skill is written to a real folder")
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name}.new")
    with beside.open("w", encoding="utf-8", newline="\n") as file:
        file.write(skill.text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(place)
    return place


def remove_skill_file(path: str, written_hash: str) -> bool:
    """Take away a file that is as we wrote it, and its folder if nothing else is in it; False if it was changed."""
    place = Path(path)
    current = read_skill_file(place)
    if current is None:
        return True
    if text_hash(current) != written_hash:
        return False
    place.unlink()
    if not any(place.parent.iterdir()):
        place.parent.rmdir()
    return True


def read_skill_file(path: Path) -> str | None:
    """The text of a skill's file; None where there is none. What cannot be read is somebody else's."""
    try:
        with path.open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
