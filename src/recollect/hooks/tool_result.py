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
from recollect.model.policy import MIN_TOOL_RESULT_CONFIDENCE, TOOL_RESULT_KINDS
from recollect.store import hook_lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recollect.events.event_dict import EventDict
    from recollect.hooks.hook_context import HookContext
    from recollect.hooks.inject_once import WriteText
    from recollect.inject.injection import InjectionText
    from recollect.store.hook_lookup import HookStore

# Looked at before one source is kept from filling all places.
MAX_LOOKED_AT = 24
MAX_NOTES = 2
_MAX_ERRORS = 400
_MAX_SAID = 200
_MAX_NOTES_OF_ERROR = 5


def answer_tool_result(context: HookContext, event: EventDict) -> InjectionText | None:
    """Say what is known about the file that was opened, the error that came, or the command that was run."""
    if not os.path.exists(context.db):  # noqa: PTH110
        return None
    store = hook_lookup.HookStore(context.db)
    try:
        write_text = _choose_text(context, store, event)
        if write_text is None:
            return None
        return inject_once(
            context,
            write_text,
            lambda: hook_lookup.list_visible_ids(store, context.session_id, context.agent),
        )
    finally:
        store.close()


def _choose_text(context: HookContext, store: HookStore, event: EventDict) -> WriteText | None:
    if event.get("files") and (text := _about_file(context, store, event)):
        return text
    if event.get("action") != "run":
        return None
    is_failure = not event.get("files") and event.get("output") and may_have_failed(event)
    if is_failure and (text := _about_error(context, store, event)):
        return text
    return _about_command(context, store, as_text(event.get("command")))


def may_have_failed(event: EventDict) -> bool:
    """Whether a command failed, or may have: behind a pipe or `||` only the last program's status is told."""
    command = as_text(event.get("command"))
    return event.get("ok") is not True or "|" in command or ";" in command or "\n" in command


def _about_command(context: HookContext, store: HookStore, command: str) -> WriteText | None:
    """What a person said of a command that was run."""
    project_id = hook_lookup.find_project(store, context.top)
    sayings = hook_lookup.list_said(store, project_id, limit=_MAX_SAID)
    if not sayings:
        return None
    # Loaded only where somebody said something.
    from recollect.model.named_things import names_command

    rows = [row for row in sayings if names_command(row["text"], command)]
    if not rows:
        return None
    return lambda told: tool_result.write_said(rows, told_ids=told, boundary=context.boundary())


def _about_file(context: HookContext, store: HookStore, event: EventDict) -> WriteText | None:
    """Memories about the first file that any are known of, the surest first; and the session's own notes about it."""
    for file in event["files"]:
        if text := _about_one_file(context, store, as_text(file)):
            return text
    return None


def _about_one_file(context: HookContext, store: HookStore, file: str) -> WriteText | None:
    project_id = hook_lookup.find_project(store, context.top)
    memories = hook_lookup.list_about_file(
        store,
        project_id,
        file,
        session_id=context.session_id,
        kinds=json.dumps(TOOL_RESULT_KINDS),
        least=MIN_TOOL_RESULT_CONFIDENCE,
        limit=MAX_LOOKED_AT,
    )
    notes = hook_lookup.list_notes_about(store, context.session_id, context.agent, file, limit=MAX_NOTES)
    if not memories and not notes:
        return None
    return lambda told: tool_result.write_file_notes(
        memories, notes, file, told_ids=told, boundary=context.boundary()
    )


def _about_error(context: HookContext, store: HookStore, event: EventDict) -> WriteText | None:
    """The way out of the error in a command's output, if this very error was mended before: once is enough."""
    project_id = hook_lookup.find_project(store, context.top)
    known_errors = hook_lookup.list_known_errors(
        store, project_id, least=MIN_TOOL_RESULT_CONFIDENCE, limit=_MAX_ERRORS
    )
    has_notes = hook_lookup.has_error_notes(store, project_id)
    if not known_errors and not has_notes:
        return None
    # Loaded only where an error is known at all: their patterns cost more than the rest of the hook.
    from recollect.learn.error_fingerprint import fingerprint_fault, is_same_failure
    from recollect.observe.recognise.faults import read_fault

    fault = read_fault(as_text(event.get("output")), tool=as_text(event.get("tool")), root=context.top)
    if fault is None:
        return None
    fingerprint = fingerprint_fault(fault)
    fixes = [
        row for row in known_errors if is_same_failure(row["error"] or "", row["text"], fault, fingerprint)
    ]
    if not fixes and has_notes and fingerprint:
        fixes = _mended_once(context, store, project_id, fingerprint.keys)
    if not fixes:
        return None
    return lambda told: tool_result.write_known_fixes(fixes, told_ids=told, boundary=context.boundary())


def _mended_once(
    context: HookContext, store: HookStore, project_id: str | None, keys: Sequence[str]
) -> list[dict[str, Any]]:
    """What other sessions noted of an error they mended, before it came often enough to be a memory."""
    rows = hook_lookup.list_error_notes(
        store, project_id, context.session_id, keys, limit=_MAX_NOTES_OF_ERROR
    )
    if not rows:
        return []
    # Loaded only here: most errors were never met before.
    from recollect.learn.note_texts import write_sentence
    from recollect.model.value import replace
    from recollect.store.tables.scratchpad import note_from_row

    # Without the agent's explanation: no door has looked at those words yet. What was counted speaks for itself.
    notes = [note_from_row(row) for row in reversed(rows)]
    sentence = write_sentence([replace(note, facts=dict(note.facts) | {"diagnosis": ""}) for note in notes])
    if sentence is None:
        return []
    times = len({note.session_id for note in notes})
    mark = "seen once" if times == 1 else f"seen {times} times"
    newest = notes[-1]
    return [{"id": newest.id, "kind": newest.kind, "text": sentence.text, "mark": mark, "source": ""}]
