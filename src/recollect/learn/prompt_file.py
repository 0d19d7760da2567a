"""Prompts for a writing model: small files beside the code, a system text and a prompt with places to fill in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from recollect.model.value import dataclass

_FOLDER = Path(__file__).with_name("prompts")
_BORDER = "\n---\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFile:
    """A prompt as its file has it."""

    system: str
    text: str

    def fill(self, **values: str) -> str:
        """The prompt with `{name}` replaced; what is filled in is not looked at again."""
        parts = self.text.split("{")
        filled = [parts[0]]
        for part in parts[1:]:
            name, closed, rest = part.partition("}")
            filled.append(f"{values[name]}{rest}" if closed and name in values else f"{{{part}")
        return "".join(filled)


@cache
def read_prompt(name: str) -> PromptFile:
    """The prompt of this name."""
    system, _, text = (_FOLDER / f"{name}.md").read_text("utf-8").partition(_BORDER)
    return PromptFile(system=system.strip(), text=text.strip())
