"""What may be said unasked at a tool's result: about a file, or about an error that was met before."""

from __future__ import annotations

import json

from recollect.store import hook_lookup as store
from recollect.store.hook_lookup import Glance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.store.hook_lookup import Row

__all__ = ["Glance", "about_file", "known_errors", "opened", "told_to"]

KINDS = ("gotcha", "error_pattern", "dead_end", "e2e_observation")
LEAST_CONFIDENCE = 0.65
# Looked at before one source is kept from filling all places.
LOOKED_AT = 24
MOST_NOTES = 2
_MOST_ERRORS = 400


def opened(db: str) -> Glance:
    """The store, to be read once."""
    return Glance(db)


def about_file(glance: Glance, folder: str, session_id: str, file: str) -> tuple[list[Row], list[Row]]:
    """Memories about a file and what stands in it, the surest first; and the session's own notes about it."""
    project_id = store.project_at(glance, folder)
    found = store.about_file(
        glance, project_id, file, kinds=json.dumps(KINDS), least=LEAST_CONFIDENCE, limit=LOOKED_AT
    )
    return found, store.notes_about(glance, session_id, file, limit=MOST_NOTES)


def known_errors(glance: Glance, folder: str) -> Sequence[Row]:
    """Every error with a known way out that may be spoken of here."""
    project_id = store.project_at(glance, folder)
    return store.known_errors(glance, project_id, least=LEAST_CONFIDENCE, limit=_MOST_ERRORS)


def told_to(glance: Glance, session_id: str, agent: str) -> set[str]:
    """What an agent still has before it."""
    return store.told(glance, session_id, agent)
