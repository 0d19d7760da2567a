"""Recipes and one session: those that it followed or made known, and those that it followed and failed."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.recipes import count_failure
from recollect.capture.write_context import Act, WriteContext
from recollect.learn.recipes import MAX_TRAILS, TRAIL_WINDOW, find_failed_recipes, mine_recipes
from recollect.learn.scratchpad import merge_notes, to_note
from recollect.model.memory import Memory, MemoryState
from recollect.model.note import Note
from recollect.model.query import Filters
from recollect.model.session import Session
from recollect.model.signal import Trail
from recollect.model.value import replace
from recollect.store.tables import memories, scratchpad

MAX_KNOWN = 200


def note_recipes(door: WriteContext, session: Session, trails: Sequence[Trail]) -> list[Note]:
    """The recipes this session followed or made known, by what earlier ones that passed did."""
    if not trails:
        return []
    since = session.last_at - TRAIL_WINDOW
    earlier = scratchpad.list_trails(door.db, session.project_id, since, session.last_at, MAX_TRAILS)
    # Those that were put away too: they must not come back in other words.
    known = _list_recipes(door, session, tuple(MemoryState))
    return merge_notes(
        to_note(seen, session, trail.work, session.last_at)
        for trail in trails
        for seen in mine_recipes(trail, earlier, known)
    )


def count_failed_recipes(door: WriteContext, act: Act, session: Session, trails: Sequence[Trail]) -> None:
    """Count recipes that work which failed had followed, each once a session. Inside a transaction."""
    if not trails:
        return
    known = _list_recipes(door, session, (MemoryState.ACTIVE,))
    followed = {recipe.id: recipe for trail in trails for recipe in find_failed_recipes(trail, known)}
    for recipe in followed.values():
        why = f"session {session.id} followed it and its checks failed"
        count_failure(door, replace(act, action="recipe failed", why=why), recipe)


def _list_recipes(door: WriteContext, session: Session, states: tuple[MemoryState, ...]) -> list[Memory]:
    filters = Filters(kinds=("workflow_recipe",), project_id=session.project_id, states=states)
    recipes = memories.list_memories(door.db, filters, limit=MAX_KNOWN)
    return [recipe for recipe in recipes if recipe.project_id == session.project_id]
