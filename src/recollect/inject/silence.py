"""Why a memory stays silent, by the same decisions that let others speak: trust, bars, places and budgets."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from recollect.inject.assemble import LeftOut
from recollect.model.memory import Memory, MemoryState
from recollect.model.policy import (
    MIN_TOOL_RESULT_CONFIDENCE,
    PERSON_TOOL_RESULT_KINDS,
    TOOL_RESULT_KINDS,
)
from recollect.model.silence import SilenceReason
from recollect.model.trust import Moment, Origin, may_speak, origin_of

ALREADY_TOLD = SilenceReason(
    why="it was told in this session already, and is told once", remedy="recollect why"
)
_NOT_NEAR = "the prompt names nothing it is about, and it is not among what fits the prompt best"
_BY_NAME = "name the file or thing it is about, or ask: recollect recall"
_OF_CODE = ("file", "symbol")


def explain_standing(memory: Memory, moment: Moment, project_id: str | None) -> SilenceReason | None:
    """Why a memory may not speak at such a moment at all, whatever is asked; None if it may."""
    if memory.project_id is not None and memory.project_id != project_id:
        return SilenceReason(why="it belongs to another project", remedy="recollect projects")
    decision = may_speak(memory, moment)
    return None if decision.allowed else SilenceReason(why=decision.why, remedy=_find_remedy(memory))


def explain_at_prompt(
    memory: Memory, left_out: Mapping[str, LeftOut], project_id: str | None
) -> SilenceReason:
    """Why a memory was not chosen for a prompt. `left_out` are the candidates that were not, by their ids."""
    if candidate := left_out.get(memory.id):
        return explain_left_out(memory, candidate)
    return explain_standing(memory, Moment.PROMPT, project_id) or SilenceReason(
        why=_NOT_NEAR, remedy=_BY_NAME
    )


def explain_left_out(memory: Memory, candidate: LeftOut) -> SilenceReason:
    """A candidate's reason, with what would change it."""
    if not may_speak(memory, Moment.PROMPT).allowed:
        return SilenceReason(why=candidate.why, remedy=_find_remedy(memory))
    return SilenceReason(why=candidate.why, remedy=_BY_NAME if "bar" in candidate.why else "")


def explain_at_file(
    memory: Memory, file: str, told_ids: Collection[str], project_id: str | None
) -> SilenceReason | None:
    """Why a memory is not told when a file is opened; None if it is."""
    if memory.id in told_ids:
        return ALREADY_TOLD
    if standing := explain_standing(memory, Moment.TOOL_RESULT, project_id):
        return standing
    if not is_about(memory, file):
        return SilenceReason(
            why=f"it is not about {file}", remedy=f"recollect edit {memory.id} --about {file}"
        )
    by_person = origin_of(memory) is Origin.PERSON
    kinds = (*TOOL_RESULT_KINDS, *(PERSON_TOOL_RESULT_KINDS if by_person else ()))
    if memory.kind not in kinds:
        return SilenceReason(why=f"a {memory.kind} is not told when a file is opened")
    if memory.kind in TOOL_RESULT_KINDS and memory.confidence < MIN_TOOL_RESULT_CONFIDENCE:
        why = f"confidence {memory.confidence:.2f} is below {MIN_TOOL_RESULT_CONFIDENCE:.2f}"
        return SilenceReason(why=why, remedy=f"recollect review confirm {memory.id}")
    return None


def is_about(memory: Memory, file: str) -> bool:
    """Whether a memory is about a file, or about something that stands in it."""
    return any(
        subject.type in _OF_CODE and subject.name.partition("::")[0] == file for subject in memory.subjects
    )


def _find_remedy(memory: Memory) -> str:
    if memory.state in (MemoryState.INACTIVE, MemoryState.ARCHIVED):
        return f"recollect history {memory.id}, then recollect revive {memory.id}"
    if memory.stale_at is not None:
        return f"recollect show {memory.id}, then recollect edit or recollect review confirm {memory.id}"
    return f"recollect review confirm {memory.id}"
