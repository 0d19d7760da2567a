"""The system prompt, put together from parts in files: ours, and in their place or beside them the person's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from recollect.errors import BadInput

_BUILT_IN = Path(__file__).parent / "parts"
_WORD = re.compile(r"\{([a-z_]+)\}")
# What can be filled in; a part that consists of one of them alone goes when there is nothing to fill in.
WORDS = (
    "user_name",
    "first_session",
    "now",
    "root",
    "memory_context",
    "tasks",
    "communication",
    "skills",
    "workspace",
    "completion_token",
)


def read_parts(own: Path | None = None) -> Mapping[str, str]:
    """The parts by file name, in order. An own file of the same name takes a part's place; an empty one removes it."""
    parts = {path.name: path.read_text(encoding="utf-8") for path in _BUILT_IN.glob("*.md")}
    if own is not None and own.is_dir():
        parts |= {path.name: path.read_text(encoding="utf-8") for path in own.glob("*.md")}
    return dict(sorted(parts.items()))


def copy_parts(folder: Path) -> Sequence[Path]:
    """Write the built-in parts into a folder to be edited; files that are there already stay as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    copied = []
    for name, text in read_parts().items():
        path = folder / name
        if not path.exists():
            path.write_text(text, encoding="utf-8")
            copied.append(path)
    return copied


def assemble_prompt(parts: Mapping[str, str], words: Mapping[str, str]) -> str:
    """The parts with their words filled in; a part whose words all say nothing is left out."""
    texts = (_fill(name, part, words) for name, part in parts.items())
    return "\n\n".join(text for text in texts if text)


def _fill(name: str, part: str, words: Mapping[str, str]) -> str:
    used = [match[1] for match in _WORD.finditer(part)]
    if unknown := [word for word in used if word not in WORDS]:
        raise BadInput(f"The prompt part {name} asks for {{{unknown[0]}}}; there is only {', '.join(WORDS)}.")
    is_optional = bool(used) and all(word in _OPTIONAL for word in used)
    if is_optional and not any(words.get(word, "").strip() for word in used):
        return ""
    # One pass: what is filled in may hold braces of its own.
    return _WORD.sub(lambda match: words.get(match[1], ""), part).strip()


_OPTIONAL = frozenset({"tasks", "communication", "skills", "workspace"})
