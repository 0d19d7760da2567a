"""From a payload to an answer: what happened is recorded first; then, at some events, something is said."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress

from recollect.clients import registry
from recollect.events.event_dict import as_mapping, as_text, format_time
from recollect.events.inbox import inbox_path
from recollect.events.machine_prompts import is_machine_text
from recollect.events.places import paths_of_folder
from recollect.hooks import hook_settings
from recollect.hooks.hook_context import HookContext, read_events
from recollect.hooks.paused import is_paused
from recollect.model.ids import CHANCE_BITS, id_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.registry import Client
    from recollect.events.event_dict import EventDict, Payload
    from recollect.hooks.watchdog import Watchdog
    from recollect.inject.injection import InjectionText

_FILE_ACTIONS = ("read", "edit", "create")
_MAX_WAITED_SECONDS = 60.0


def hear(client_name: str, event_name: str, raw: bytes, watchdog: Watchdog) -> str:
    """Record what a payload tells; the answer as JSON, or ""."""
    client = registry.find_client(client_name)
    if client is None:
        names = ", ".join(registry.CLIENT_NAMES)
        raise ValueError(f"there is no client {client_name!r}; the clients are {names}")
    payload = _parse_payload(client, event_name, raw)
    session_id, folder, agent = _where(payload)
    top = paths_of_folder(folder).root if folder else ""
    settings = hook_settings.read(top)
    watchdog.allow(settings.most_ms)
    if not os.path.isabs(settings.db) or (top and is_paused(settings.db, top)):  # noqa: PTH117
        return ""
    microseconds = _heard_at()

    def new_id() -> str:
        return id_at(microseconds // 1000, int.from_bytes(os.urandom(CHANCE_BITS // 8), "big"))

    context = HookContext(
        db=settings.db,
        inbox=inbox_path(settings.db),
        most_bytes=settings.most_bytes,
        # As the store knows it: a client may have come by a link.
        top=os.path.realpath(top),
        folder=folder,
        session_id=session_id,
        agent=agent,
        client=client_name,
        at=format_time(microseconds),
        new_id=new_id,
    )
    events = read_events(client_name, payload, context.at, new_id, excluded=settings.excluded)
    if events and events[0]["type"] == "session_started":
        _add_process(events[0])
    if events and events[0]["type"] in ("session_started", "session_ended"):
        _add_transcript_place(events[0], payload)
    # Before anything else is even loaded: whatever becomes of the rest, what happened is on disk.
    context.record(events)
    if hook_settings.is_unheard():
        return ""
    act = client.hook_events.get(event_name, registry.RECORD)
    if act == registry.STOP:
        return _ask_at_stop(context, payload) if settings.asks_agent else ""
    text = _speak(act, context, events, watchdog)
    answer = client.answer_form(event_name, text.text, text.message()) if text else {}
    return json.dumps(answer, ensure_ascii=False) if answer else ""


def _heard_at() -> int:
    """When the event came, in microseconds: now, or when the gate that started us behind the agent's back heard it."""
    now = time.time_ns() // 1000
    heard = hook_settings.heard_at_uptime()
    if heard is None:
        return now
    with open("/proc/uptime", encoding="ascii") as uptime:  # noqa: PTH123
        # It is told in hundredths of a second: rather one too early than after what followed.
        waited = float(uptime.read().split()[0]) - heard + 0.01
    return now - int(1_000_000 * min(max(waited, 0.0), _MAX_WAITED_SECONDS))


def _add_process(event: EventDict) -> None:
    """Whose hook this is, so that a session that was killed is known by its process being gone."""
    # Here alone: a session begins once.
    from recollect.events.client_process import describe_client_process

    # Whatever a machine may answer, a session begins.
    with suppress(Exception):
        if process := describe_client_process():
            event["data"] = {**event.get("data", {}), "process": process}


def _add_transcript_place(event: EventDict, payload: Payload) -> None:
    """Where the client writes the session down: what an agent says between its calls no hook is told."""
    place = payload.get("transcript_path")
    if isinstance(place, str) and os.path.isabs(place):  # noqa: PTH117
        event["data"] = {**event.get("data", {}), "transcript": place}


def _speak(
    act: str, context: HookContext, events: list[EventDict], watchdog: Watchdog
) -> InjectionText | None:
    """What is said at an act. Whatever could say something is imported only where something may be said."""
    if act in (registry.TOOL, registry.FAILURE):
        return _speak_of_tool_result(context, events)
    if act in (registry.PROMPT, registry.OPENING_PROMPT, registry.SUBMIT):
        return _speak_of_prompt(act, context, events, watchdog)
    if act == registry.SUBAGENT:
        from recollect.hooks.session_text import answer_subagent

        return answer_subagent(context)
    if act in (registry.START, registry.START_UNHEARD):
        from recollect.hooks.session_start import answer_start

        return answer_start(act, context, events[0] if events else {}, watchdog)
    if act == registry.END:
        from recollect.hooks.background import start_learning

        # In the background: nobody waits for this hook for long.
        start_learning(context.db, context.folder)
    return None


def _ask_at_stop(context: HookContext, payload: Payload) -> str:
    """The one question to an agent that stops; never while it goes on because of a hook, or something still runs."""
    if context.agent or payload.get("stop_hook_active") or payload.get("background_tasks"):
        return ""
    from recollect.hooks.reflection import request_reflection

    reason = request_reflection(context)
    return json.dumps({"decision": "block", "reason": reason}, ensure_ascii=False) if reason else ""


def _speak_of_tool_result(context: HookContext, events: list[EventDict]) -> InjectionText | None:
    event = _find_notable_event(events)
    if event is None:
        return None
    from recollect.hooks.tool_result import answer_tool_result

    return answer_tool_result(context, event)


def _speak_of_prompt(
    act: str, context: HookContext, events: list[EventDict], watchdog: Watchdog
) -> InjectionText | None:
    prompt = next((event for event in events if event["type"] == "prompt"), None)
    question = as_text(prompt.get("text")) if prompt else ""
    if prompt is None or is_machine_text(question):
        return None
    if words := find_typed_memory(question):
        from recollect.hooks.background import start_remembering

        start_remembering(context.db, context.folder, context.session_id, words)
        return None
    from recollect.hooks.session_text import answer_prompt, is_later_prompt

    if act != registry.OPENING_PROMPT or is_later_prompt(context):
        return _add_known_error(context, question, answer_prompt(context, question))
    # What a start loads is not loaded for the prompts that follow.
    from recollect.hooks.session_start import answer_first_prompt

    return answer_first_prompt(context, question, watchdog)


_REMEMBER_COMMAND = "/recollect:remember"


def find_typed_memory(prompt: str) -> str:
    """What a person typed to be remembered, by the command for it; "" if nothing."""
    command, _, words = prompt.strip().partition(" ")
    return words.strip() if command == _REMEMBER_COMMAND else ""


def _add_known_error(context: HookContext, question: str, text: InjectionText | None) -> InjectionText | None:
    """With the way out of an error that a person pasted into a prompt, where one is known."""
    if "\n" not in question and "rror" not in question:
        return text
    from recollect.hooks.tool_result import answer_tool_result
    from recollect.inject.injection import join_injections

    failure = answer_tool_result(context, {"action": "run", "output": question, "ok": False, "command": ""})
    return join_injections(text, failure)


def _parse_payload(client: Client, event_name: str, raw: bytes) -> Payload:
    payload = json.loads(raw)
    if not isinstance(payload, dict):
        raise TypeError(f"the payload is no object but {type(payload).__name__}")
    # An event is what we were called for, whatever a client leaves out.
    payload.setdefault(client.event_key, event_name)
    return payload


def _where(payload: Payload) -> tuple[str, str, str]:
    """Session, folder and subagent, as the clients name them."""
    details = as_mapping(payload.get("input"))
    info = as_mapping(details.get("info"))
    roots = payload.get("workspace_roots")
    session = (
        as_text(payload.get("session_id"))
        or as_text(payload.get("conversation_id"))
        or as_text(details.get("sessionID"))
        or as_text(info.get("id"))
    )
    folder = (
        as_text(payload.get("cwd"))
        or as_text(payload.get("directory"))
        or as_text(info.get("directory"))
        or (as_text(roots[0]) if isinstance(roots, list) and roots else "")
    )
    return session or "unknown", folder, as_text(payload.get("agent_id"))


def _find_notable_event(events: list[EventDict]) -> EventDict | None:
    """The event that something may be known about: a file that was opened, or a command that failed."""
    for event in events:
        if event["type"] != "tool_finished" or event.get("data", {}).get("denied"):
            continue
        if event.get("action") in _FILE_ACTIONS and event.get("files") and event.get("ok") is not False:
            return event
        if event.get("action") == "run":
            if event.get("ok") is not False and (files := _find_shown_files(event)):
                return event | {"files": files}
            return event | {"files": []}
    return None


def _find_shown_files(event: EventDict) -> list[str]:
    # Loaded at commands alone.
    from recollect.hooks.shell_reads import find_shown_files

    return find_shown_files(as_text(event.get("command")), as_text(event.get("folder")))
