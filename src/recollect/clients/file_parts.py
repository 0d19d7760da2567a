"""What recollect puts into a file of another program: a value for each part, and how a part of ours is recognised."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from recollect.model.value import dataclass

HOOKS_MODULE = "recollect.hooks"
MCP_MODULE = "recollect.surfaces.mcp"
# What commands of ours name; the last is what earlier versions installed, so that it is replaced and removed too.
OUR_MODULES = (HOOKS_MODULE, MCP_MODULE, "recollect.surfaces.hooks")


class FileFormat(StrEnum):
    """How a file is written; `text` is a file that is ours as a whole."""

    JSON = "json"
    TOML = "toml"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """One part: a member at a path, or with `in_list` an element of the list at a path."""

    path: tuple[str, ...]
    value: Any
    in_list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFile:
    """What a file should hold of ours."""

    # As the person knows it: it may be a link to where it really is.
    path: str
    form: FileFormat
    parts: tuple[FilePart, ...] = ()
    # What a new file begins with.
    skeleton: Any = None
    # The whole of a file that is ours alone.
    text: str = ""
    # What was put there for another project stays.
    adds_up: bool = False


def is_ours(value: Any) -> bool:
    """Whether a value starts a process of ours and nothing else."""
    if isinstance(value, dict):
        if "hooks" in value and isinstance(value["hooks"], list):
            return bool(value["hooks"]) and all(map(is_ours, value["hooks"]))
        return any(
            module in _join_words(value.get(key)) for key in ("command", "args") for module in OUR_MODULES
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


def python_in(words: tuple[str, ...]) -> str:
    """The Python that a command of ours starts, whatever stands before it."""
    return words[words.index("-P") - 1] if "-P" in words[1:] else words[0]


def part_to_json(part: FilePart) -> dict[str, Any]:
    """A part as the manifest keeps it."""
    return {"path": list(part.path), "value": part.value, "in_list": part.in_list}


def part_from_json(form: Mapping[str, Any]) -> FilePart:
    """A part from the manifest."""
    return FilePart(path=tuple(form["path"]), value=form["value"], in_list=bool(form["in_list"]))


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


def _join_words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
