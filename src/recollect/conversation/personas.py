"""Personas: who an agent is, from TOML or JSON files: its prompt, the tools it may use, its temperature."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.errors import BadInput, NotFound
from recollect.model.value import dataclass

_NAME = re.compile(r"(?a)[A-Za-z0-9][\w-]{0,63}\Z")
_FIELDS = {"name", "prompt", "tools", "temperature", "model"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """Who an agent is. No tools named means all that there are; a name may be a glob."""

    name: str
    prompt: str = ""
    tools: tuple[str, ...] = ()
    temperature: float = 0.5
    model: str = ""

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise BadInput(reason=f"{self.name!r} is no name for a persona; use letters, digits, - and _")
        if not 0 <= self.temperature <= 2:
            raise BadInput(reason=f"the temperature of {self.name} is 0 to 2, not {self.temperature}")


def load_personas(folder: str | Path) -> dict[str, Persona]:
    """The personas of a folder, one for each .toml and .json file, by name."""
    paths = sorted(path for path in Path(folder).glob("*") if path.suffix in (".toml", ".json"))
    personas = [read_persona(path) for path in paths]
    return {persona.name: persona for persona in personas}


def read_persona(path: Path) -> Persona:
    """The persona of one file; a name that the file does not give is the file's own."""
    try:
        text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except FileNotFoundError:
        raise NotFound(what="persona", name=str(path)) from None
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read as a persona: {error}.") from error
    return parse_persona(table, name=path.stem, origin=str(path))


def parse_persona(table: object, *, name: str = "", origin: str = "the persona") -> Persona:
    """A persona from a table of a file; what it must not hold is named."""
    if not isinstance(table, Mapping):
        raise BadInput(f"{origin} is not a table of settings.")
    fields: Mapping[str, Any] = table
    if unknown := sorted(set(fields) - _FIELDS):
        raise BadInput(
            f"{origin}: a persona has no {', '.join(map(str, unknown))}; it has {', '.join(sorted(_FIELDS))}."
        )
    tools, temperature = fields.get("tools", []), fields.get("temperature", 0.5)
    texts = (fields.get("name", name), fields.get("prompt", ""), fields.get("model", ""))
    if not all(isinstance(text, str) for text in texts):
        raise BadInput(f"{origin}: name, prompt and model are texts.")
    if not isinstance(tools, list | tuple) or not all(isinstance(tool, str) for tool in tools):
        raise BadInput(f"{origin}: tools is a list of names.")
    if isinstance(temperature, bool) or not isinstance(temperature, int | float):
        raise BadInput(f"{origin}: temperature is a number.")
    label, prompt, model = texts
    return Persona(name=label, prompt=prompt, tools=tuple(tools), temperature=float(temperature), model=model)
