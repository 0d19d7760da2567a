"""How far a memory reaches inside its project, and how far the project itself reaches."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """Where a memory applies."""

    GLOBAL = "global"
    MODULE = "module"
    WORK_UNIT = "work_unit"
    SESSION = "session"
