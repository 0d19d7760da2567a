"""From a payload to an answer: recorded first, then, at some events, spoken to."""

from __future__ import annotations

import json
import os
import time
from importlib import import_module

from recollect.clients import hook_events
from recollect.clients.answers import answer_for
from recollect.clients.payloads import CLIENTS
from recollect.events.event_dict import mapping, string, written_at
from recollect.events.excluded import first_excluded
from recollect.events.inbox import inbox_of
from recollect.events.machine_prompts import is_machine_text
from recollect.events.places import place_of
from recollect.hooks import hook_settings
from recollect.hooks.hook_context import Here
from recollect.hooks.paused import is_paused
from recollect.hooks.recording import forms_of, line_of
from recollect.model.ids import CHANCE_BITS, id_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.events.event_dict import Form, Payload
    from recollect.hooks.hook_settings import HookSettings
    from recollect.hooks.tool_result import Spoken
    from recollect.hooks.watchdog import Watchdog

_OPENS = ("read", "edit", "create")
# Agents without a tool for reading look at files with these.
_SHOWING = frozenset({"cat", "head", "tail", "sed", "nl", "less", "more", "bat"})


def hear(client: str, event: str, raw: bytes, watchdog: Watchdog) -> str:
    """Write down what a payload tells; the answer as JSON, or nothing."""
    if client not in CLIENTS:
        raise ValueError(f"there is no client {client!r}; the clients are {', '.join(CLIENTS)}")
    payload = _read(client, event, raw)
    session_id, folder, agent = _where(payload)
    top = place_of(folder).root if folder else ""
    found = hook_settings.read(top)
    watchdog.allow(found.most_ms)
    if not os.path.isabs(found.db) or (top and is_paused(found.db, top)):  # noqa: PTH117
        return ""
    microseconds = time.time_ns() // 1000

    def new_id() -> str:
        return id_at(microseconds // 1000, int.from_bytes(os.urandom(CHANCE_BITS // 8), "big"))

    here = Here(
        db=found.db,
        inbox=inbox_of(found.db),
        most_bytes=found.most_bytes,
        # As the store knows it: a client may have come by a link.
        top=os.path.realpath(top),
        folder=folder,
        session_id=session_id,
        agent=agent,
        client=client,
        at=written_at(microseconds),
        new_id=new_id,
    )
    told = [form for form in forms_of(client, payload, here.at, new_id) if not _is_excluded(form, found)]
    spoken = _spoken(hook_events.act_at(client, event), here, told, watchdog)
    answer = answer_for(client, event, spoken.text, spoken.message()) if spoken else {}
    return json.dumps(answer, ensure_ascii=False) if answer else ""


def _spoken(act: str, here: Here, told: list[Form], watchdog: Watchdog) -> Spoken | None:
    """What is said at an act. What could say something is loaded only where something may be said."""
    # Before anything else is even loaded: whatever becomes of the rest, what happened is on disk.
    here.write([line_of(form) for form in told])
    speaker = _SPEAKERS.get(act)
    worth = _WORTH.get(act, _always)(told)
    if speaker is None or worth is None:
        return None
    module = import_module(f"recollect.hooks.{speaker}")
    spoken: Spoken | None = module.speak(act, here, worth, watchdog)
    return spoken


_SPEAKERS = {
    hook_events.START: "at_start",
    hook_events.START_UNHEARD: "at_start",
    hook_events.PROMPT: "at_session",
    hook_events.OPENING_PROMPT: "at_opening",
    hook_events.SUBAGENT: "at_session",
    hook_events.TOOL: "at_tool",
    hook_events.END: "at_end",
}


def _read(client: str, event: str, raw: bytes) -> Payload:
    payload = json.loads(raw)
    if not isinstance(payload, dict):
        raise TypeError(f"the payload is no object but {type(payload).__name__}")
    # An event is what we were called for, whatever a client leaves out.
    payload.setdefault("hook" if client == "opencode" else "hook_event_name", event)
    return payload


def _where(payload: Payload) -> tuple[str, str, str]:
    """Session, folder and subagent, as the clients name them."""
    given = mapping(payload.get("input"))
    info = mapping(given.get("info"))
    roots = payload.get("workspace_roots")
    session = (
        string(payload.get("session_id"))
        or string(payload.get("conversation_id"))
        or string(given.get("sessionID"))
        or string(info.get("id"))
    )
    folder = (
        string(payload.get("cwd"))
        or string(payload.get("directory"))
        or string(info.get("directory"))
        or (string(roots[0]) if isinstance(roots, list) and roots else "")
    )
    return session or "unknown", folder, string(payload.get("agent_id"))


def _is_excluded(form: Form, found: HookSettings) -> bool:
    return first_excluded(form.get("files", ()), found.excluded) is not None


def _always(told: list[Form]) -> Form | None:
    return told[0] if told else {}


def _asked(told: list[Form]) -> Form | None:
    """What a person asked; nothing when a machine did."""
    prompt = next((form for form in told if form["type"] == "prompt"), None)
    return None if prompt is None or is_machine_text(string(prompt.get("text"))) else prompt


def _worth_a_word(told: list[Form]) -> Form | None:
    """The event that something may be known about: a file that was opened, or a command that failed."""
    for form in told:
        if form["type"] != "tool_finished" or form.get("data", {}).get("denied"):
            continue
        if form.get("action") in _OPENS and form.get("files") and form.get("ok") is not False:
            return form
        if form.get("action") == "run":
            if file := _file_shown(form):
                return form | {"files": [file]}
            if form.get("ok") is not True and form.get("output"):
                return form | {"files": []}
    return None


def _file_shown(form: Form) -> str:
    words = string(form.get("command")).split()
    if len(words) < 2 or words[0] not in _SHOWING or form.get("ok") is False:
        return ""
    place = place_of(string(form.get("folder")))
    inside = place.inside(words[-1].strip("'\""))
    return inside if inside and os.path.isfile(f"{place.root}/{inside}") else ""  # noqa: PTH113


_WORTH: dict[str, Callable[[list[Form]], Form | None]] = {
    hook_events.PROMPT: _asked,
    hook_events.OPENING_PROMPT: _asked,
    hook_events.TOOL: _worth_a_word,
}
