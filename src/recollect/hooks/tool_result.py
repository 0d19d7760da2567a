"""
What a hook says at a tool's result: what is known about a file or an error.

Apart from the desks, because it must not load them: such a hook runs at every step of an agent.
"""

from __future__ import annotations

import os
from importlib import import_module

from recollect.events.event_dict import string
from recollect.hooks import lookup
from recollect.hooks.inject_once import say_once
from recollect.inject import tool_result
from recollect.inject.injection import Spoken

__all__ = ["Spoken", "at_tool_result"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form
    from recollect.hooks.hook_context import Here
    from recollect.hooks.inject_once import Say


def at_tool_result(here: Here, event: Form) -> Spoken | None:
    """Say what is known about the file that was opened, or about the error that came."""
    looked = lookup.opened(here.db) if os.path.exists(here.db) else None  # noqa: PTH110
    if looked is None:
        return None
    try:
        say = _about_file(here, looked, event) if event.get("files") else _way_out(here, looked, event)
        if say is None:
            return None
        return say_once(here, say, lambda: lookup.told_to(looked, here.session_id, here.agent))
    finally:
        looked.close()


def _about_file(here: Here, looked: lookup.Glance, event: Form) -> Say | None:
    file = string(event["files"][0])
    found, notes = lookup.about_file(looked, here.top, here.session_id, file)
    if not found and not notes:
        return None
    return lambda told: tool_result.about_file(found, notes, file, told=told, boundary=here.boundary())


def _way_out(here: Here, looked: lookup.Glance, event: Form) -> Say | None:
    known = lookup.known_errors(looked, here.top)
    if not known:
        return None
    # Loaded only where an error is known at all: its patterns cost more than the rest of the hook.
    faults = import_module("recollect.observe.recognise.faults")
    fault = faults.read_fault(string(event.get("output")), tool=string(event.get("tool")), root=here.top)
    if fault is None:
        return None
    normal = import_module("recollect.observe.recognise.normal_line").normal_line
    return lambda told: tool_result.way_out(known, fault.lines, normal, told=told, boundary=here.boundary())
