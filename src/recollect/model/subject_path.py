"""Paths as people and agents write them, turned into the one form relative to the project."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Patterns as text: hooks load this file at every event, and most paths are plain.
_DRIVE = r"([A-Za-z]:)(?:/|\Z)"
_DRIVE_LETTER = r"[A-Za-z]:"
_SHARE = r"//[^/?.][^/]*/[^/]+"
_LONG_DRIVE = r"//[?.]/(?=[A-Za-z]:/)"
_LONG_SHARE = r"(?i)//[?.]/UNC/"
# Git Bash on Windows writes C:\src as /c/src.
_BASH_DRIVE = r"/([A-Za-z])(?=/|\Z)"


def relative(path: str, root: str) -> str | None:
    r"""
    PATH seen from ROOT, with `/` between its parts and "." for ROOT itself; None when it lies outside.

    PATH may be absolute or relative to ROOT, with `.` and `..`, either kind of slash, or a drive letter. ROOT
    is absolute. `\` always separates, and `~` is a name like any other. Links are not followed: resolve both
    first if one may be a link. Case counts, except under a ROOT on a drive or a share.
    """
    drive, base = _split_root(_to_slashes(root))
    place = _split(_to_slashes(path), drive)
    if not path or place is None:
        return None
    anchor, rest = place
    if anchor is not None and anchor.lower() != drive.lower():
        return None
    home = _resolve_parts(base.split("/"))
    steps = _resolve_parts([*(home if anchor is None else ()), *rest.split("/")])
    if _fold_case(steps[: len(home)], drive) != _fold_case(home, drive):
        return None
    return _join_parts(steps[len(home) :], drive)


def _to_slashes(path: str) -> str:
    path = path.replace("\\", "/")
    if match := re.match(_LONG_DRIVE, path):
        return path[match.end() :]
    if match := re.match(_LONG_SHARE, path):
        return "//" + path[match.end() :]
    return path


def _split_root(root: str) -> tuple[str, str]:
    """The drive or share of ROOT, empty where paths begin with a plain slash, and the rest of it."""
    if drive := re.match(_DRIVE, root):
        return drive[1], root[2:]
    share = re.match(_SHARE, root)
    return (share[0], root[len(share[0]) :]) if share else ("", root)


def _split(path: str, drive: str) -> tuple[str | None, str] | None:
    """The drive PATH starts from (None: from the root) and the rest; None if that cannot be told."""
    if match := re.match(_DRIVE, path):
        return match[1], path[2:]
    if not drive:
        return ("", path) if path.startswith("/") else (None, path)
    if re.match(_DRIVE_LETTER, path):
        # C:name continues from wherever that drive's current folder is.
        return None
    if match := re.match(_SHARE, path):
        return match[0], path[len(match[0]) :]
    if match := re.match(_BASH_DRIVE, path):
        return f"{match[1]}:", path[2:]
    return (drive, path) if path.startswith("/") else (None, path)


def _resolve_parts(parts: Iterable[str]) -> list[str]:
    steps: list[str] = []
    for part in parts:
        if part == "..":
            del steps[-1:]
        elif part not in ("", "."):
            steps.append(part)
    return steps


def _fold_case(steps: list[str], drive: str) -> list[str]:
    return [step.lower() for step in steps] if drive else steps


def _join_parts(steps: list[str], drive: str) -> str | None:
    if steps and re.match(_DRIVE_LETTER, steps[0]) and (drive or len(steps[0]) == 2):
        # The result would read as another place: a folder named "C:" can only be reached by a longer way.
        return None
    return "/".join(steps) or "."
