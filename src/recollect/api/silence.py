"""Why an agent is not told something: at a prompt, at a file, or in a session that is over."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from recollect.api.contexts import Contexts
from recollect.api.wiring import Wiring
from recollect.inject.assemble import LeftOut
from recollect.inject.layout import OPENING
from recollect.inject.silence import ALREADY_TOLD, explain_at_file, explain_at_prompt, is_about
from recollect.inject.tool_result import MAX_ABOUT_A_FILE
from recollect.model.event import EventType
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.model.silence import SilenceReason, SilenceReport, SilentMemory
from recollect.model.subject import Subject
from recollect.store.tables import events, injections, memories

_MAX_SILENT = 20
_NO_PLACE = SilenceReason(why=f"{MAX_ABOUT_A_FILE} are told at a file, and surer ones come first")


def explain_at_prompt_of(
    wiring: Wiring, prompt: str, memory_id: str | None, told_ids: Collection[str]
) -> SilenceReport:
    """What a session's first prompt would be answered with, what not, and why not."""
    context = Contexts(wiring).assemble(prompt, layout=OPENING, known_ids=told_ids, files=False)
    chosen = tuple(item.memory_id for slot in context.slots for item in slot.said)
    left_out = {candidate.memory_id: candidate for candidate in context.left_out}
    listed = [memory_id] if memory_id else [name for name in left_out if name not in chosen]
    silent = [
        SilentMemory(memory=memory, reason=_explain(wiring, memory, left_out, told_ids))
        for memory in _read(wiring, listed[:_MAX_SILENT])
        if memory.id not in chosen
    ]
    sentence = _sum_up(chosen, silent, "this prompt")
    return SilenceReport(
        moment="prompt", place=prompt, sentence=sentence, told_ids=chosen, silent=tuple(silent)
    )


def explain_at_file_of(
    wiring: Wiring, file: str, memory_id: str | None, told_ids: Collection[str]
) -> SilenceReport:
    """What would be told when a file is opened, what not, and why not."""
    about_file = _list_about(wiring, file)
    known_ids = {memory.id for memory in about_file}
    extra = _read(wiring, [memory_id]) if memory_id and memory_id not in known_ids else ()
    reasons = {
        memory.id: explain_at_file(memory, file, told_ids, wiring.project_id())
        for memory in (*about_file, *extra)
    }
    speaking = [memory.id for memory in about_file if reasons[memory.id] is None]
    silent = [
        SilentMemory(memory=memory, reason=reasons[memory.id] or _NO_PLACE)
        for memory in (*about_file, *extra)
        if memory.id not in speaking[:MAX_ABOUT_A_FILE] and memory_id in (None, memory.id)
    ]
    chosen = tuple(speaking[:MAX_ABOUT_A_FILE])
    return SilenceReport(
        moment="file",
        place=file,
        sentence=_sum_up(chosen, silent, file),
        told_ids=chosen,
        silent=tuple(silent[:_MAX_SILENT]),
    )


def list_told_ids(wiring: Wiring, session_id: str) -> set[str]:
    """What the agent of a session has before it still."""
    return set(injections.list_visible_ids(wiring.db, session_id, ""))


def find_first_prompt(wiring: Wiring, session_id: str) -> str:
    """What a session was asked first by a person; "" if nothing was."""
    prompts = events.list_events(wiring.db, session_id, EventType.PROMPT)
    return next((event.text for event in prompts if event.text and not event.data.get("machine")), "")


def _explain(
    wiring: Wiring, memory: Memory, left_out: Mapping[str, LeftOut], told_ids: Collection[str]
) -> SilenceReason:
    if memory.id in told_ids:
        return ALREADY_TOLD
    return explain_at_prompt(memory, left_out, wiring.project_id())


def _list_about(wiring: Wiring, file: str) -> Sequence[Memory]:
    """Everything about a file in whatever state, those who may speak first in the order in which they do."""
    filters = Filters(
        subjects=(Subject("file", file),), project_id=wiring.project_id(), states=tuple(MemoryState)
    )
    about = [m for m in memories.list_memories(wiring.db, filters, limit=200) if is_about(m, file)]
    return sorted(
        about, key=lambda memory: (not memory.trust.verified, -memory.confidence, -memory.access_count)
    )


def _read(wiring: Wiring, memory_ids: Sequence[str]) -> Sequence[Memory]:
    return [memories.get_memory(wiring.db, memory_id) for memory_id in memory_ids]


def _sum_up(chosen: Sequence[str], silent: Sequence[SilentMemory], place: str) -> str:
    if chosen:
        return f"{len(chosen)} would be told at {place}."
    if silent:
        return f"Nothing would be told at {place}: what is near it stays silent, for these reasons."
    return f"Nothing would be told at {place}: nothing is known about it."
