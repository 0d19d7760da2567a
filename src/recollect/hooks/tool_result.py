"""
What a hook says at a tool's result: what is known about the file that was opened, or about the error that came.

Such a hook runs at every step of an agent, so it loads the database driver and none of the API.
"""

from __future__ import annotations

import json
import os

from recollect.events.event_dict import as_text
from recollect.hooks.inject_once import inject_once
from recollect.inject import tool_result
from recollect.model.policy import MIN_TOOL_RESULT_CONFIDENCE
from recollect.store import hook_lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict
    from recollect.hooks.hook_context import HookContext
    from recollect.hooks.inject_once import WriteText
    from recollect.inject.injection import InjectionText
    from recollect.store.hook_lookup import HookStore

KINDS = ("gotcha", "error_pattern", "dead_end", "e2e_observation")
# Looked at before one source is kept from filling all places.
MAX_LOOKED_AT = 24
MAX_NOTES = 2
_MAX_ERRORS = 400


def answer_tool_result(context: HookContext, event: EventDict) -> InjectionText | None:
    """Say what is known about the file that was opened, or about the error that came."""
    if not os.path.exists(context.db):  # noqa: PTH110
        return None
    store = hook_lookup.HookStore(context.db)
    try:
        write = _about_file if event.get("files") else _about_error
        write_text = write(context, store, event)
        if write_text is None:
            return None
        return inject_once(
            context,
            write_text,
            lambda: hook_lookup.list_visible_ids(store, context.session_id, context.agent),
        )
    finally:
        store.close()


def _about_file(context: HookContext, store: HookStore, event: EventDict) -> WriteText | None:
    """Memories about a file and what stands in it, the surest first; and the session's own notes about it."""
    file = as_text(event["files"][0])
    project_id = hook_lookup.find_project(store, context.top)
    memories = hook_lookup.list_about_file(
        store,
        project_id,
        file,
        kinds=json.dumps(KINDS),
        least=MIN_TOOL_RESULT_CONFIDENCE,
        limit=MAX_LOOKED_AT,
    )
    notes = hook_lookup.list_notes_about(store, context.session_id, file, limit=MAX_NOTES)
    if not memories and not notes:
        return None
    return lambda told: tool_result.write_file_notes(
        memories, notes, file, told_ids=told, boundary=context.boundary()
    )


def _about_error(context: HookContext, store: HookStore, event: EventDict) -> WriteText | None:
    """The errors with a known way out that are the one in a command's output."""
    project_id = hook_lookup.find_project(store, context.top)
    known_errors = hook_lookup.list_known_errors(
        store, project_id, least=MIN_TOOL_RESULT_CONFIDENCE, limit=_MAX_ERRORS
    )
    if not known_errors:
        return None
    # Loaded only where an error is known at all: their patterns cost more than the rest of the hook.
    from recollect.observe.recognise.faults import read_fault
    from recollect.observe.recognise.normal_line import normalize_line

    fault = read_fault(as_text(event.get("output")), tool=as_text(event.get("tool")), root=context.top)
    if fault is None:
        return None
    return lambda told: tool_result.write_known_fixes(
        known_errors, fault.lines, normalize_line, told_ids=told, boundary=context.boundary()
    )
