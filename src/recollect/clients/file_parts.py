"""What recollect puts into a file of somebody else's: a value per piece, and how a piece of ours is known again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from recollect.model.value import dataclass

HOOKS_MODULE = "recollect.hooks"
MCP_MODULE = "recollect.surfaces.mcp"


class Form(StrEnum):
    """How a file is written; `text` is a file that is ours as a whole."""

    JSON = "json"
    TOML = "toml"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One piece: a member at a path, or with `in_list` an element of the list at a path."""

    path: tuple[str, ...]
    value: Any
    in_list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a file should hold of ours."""

    # As the person knows it: it may be a link to where it really is.
    path: str
    form: Form
    parts: tuple[Part, ...] = ()
    # What a new file begins with.
    skeleton: Any = None
    # The whole of a file that is ours alone.
    text: str = ""


def is_ours(value: Any) -> bool:
    """Whether a value starts a process of ours and nothing else."""
    if isinstance(value, dict):
        if "hooks" in value and isinstance(value["hooks"], list):
            return bool(value["hooks"]) and all(map(is_ours, value["hooks"]))
        return any(
            module in _told(value.get(key))
            for key in ("command", "args")
            for module in (HOOKS_MODULE, MCP_MODULE)
        )
    return False


def commands_in(value: Any) -> list[tuple[str, ...]]:
    """The commands of ours in a value, each as its words."""
    if isinstance(value, list):
        return [command for item in value for command in commands_in(item)]
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("hooks"), list):
        return commands_in(value["hooks"])
    return [_words(value.get("command"), value.get("args"))] if is_ours(value) else []


def part_to_json(part: Part) -> dict[str, Any]:
    """A piece for the manifest."""
    return {"path": list(part.path), "value": part.value, "in_list": part.in_list}


def part_from_json(form: Mapping[str, Any]) -> Part:
    """A piece from the manifest."""
    return Part(path=tuple(form["path"]), value=form["value"], in_list=bool(form["in_list"]))


def _words(command: Any, args: Any) -> tuple[str, ...]:
    """A list of words, a program with its arguments, or a line for a shell."""
    if isinstance(command, list):
        return tuple(map(str, command))
    if isinstance(args, list):
        return (str(command), *map(str, args))
    try:
        return tuple(shlex.split(str(command)))
    except ValueError:  # a quotation mark that somebody forgot
        return (str(command),)


def _told(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
