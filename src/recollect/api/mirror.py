"""A mirror of what a server holds: the store of this machine says the same, to be read when nobody answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.api.recollect import Recollect
from recollect.capture.mirror import Mirrored, make_mirror
from recollect.model.memory import Memory
from recollect.model.policy import MIRRORED_AT
from recollect.store.tables import meta

__all__ = ["MIRROR_VERSION", "Mirrored", "mirror_memories", "read_mirror_age", "read_mirror_version"]

MIRROR_VERSION = "mirror.version"


def mirror_memories(memory: Recollect, memories: Sequence[Memory] | None, version: str) -> Mirrored | None:
    """Keep these memories and no others of the server's; None: nothing has changed, and that is known as of now."""
    wiring = memory._wiring
    context = wiring.write_context()
    done = None
    with context.db.transaction():
        if memories is not None:
            done = make_mirror(context, memories, wiring.ensure_project_id())
        key = f"{MIRROR_VERSION}:{wiring.project_id() or ''}"
        meta.save_meta(context.db, key, version)
        meta.save_meta(context.db, MIRRORED_AT, wiring.now().isoformat())
    return done


def read_mirror_version(memory: Recollect) -> str:
    """The version that was mirrored last for this project."""
    return meta.read_meta(memory._wiring.db, f"{MIRROR_VERSION}:{memory._wiring.project_id() or ''}") or ""


def read_mirror_age(memory: Recollect) -> float | None:
    """How many seconds ago the server was last heard; None: never."""
    at = meta.read_meta(memory._wiring.db, MIRRORED_AT)
    return (memory._wiring.now() - datetime.fromisoformat(at)).total_seconds() if at else None
